import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../../src/recovery/backup/manifest.ts';
import { manifestName } from '../../src/recovery/backup/names.ts';
import { keyIdOfPart, openPart } from '../../src/recovery/backup/part.ts';
import type { Deployment } from './deployment-file.ts';
import { backupKeys } from './keys.ts';
import type { RecoveryKey } from './recovery-key.ts';

/**
 * The payments' secrets in a fetched run, with the key that opened it, by their names: for an operator
 * who has lost the deployment file. Throws UnreadablePart for another recovery key.
 */
export async function recoveredSecrets(
  folder: string,
  run: string,
  recoveryKey: RecoveryKey,
  deployment: Deployment | null = null,
): Promise<Readonly<Record<string, string>>> {
  const name = manifestName(run);
  const file = join(folder, name);
  const content = await readFile(file).catch(() => {
    throw new Error(`there is no ${file}: \`backup fetch\` writes it; name one of its runs`);
  });
  const bytes = new Uint8Array(content);
  const keyId = keyIdOfPart(name, bytes);
  const key = (await backupKeys(deployment, recoveryKey))(keyId);
  const [manifest] = (await openPart([key], name, bytes)) as readonly Manifest[];
  return { ...manifest?.secrets, BACKUP_KEYS: `${keyId}:${key.base64}` };
}
