import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../../src/recovery/backup/manifest.ts';
import { manifestName } from '../../src/recovery/backup/names.ts';
import { keyIdOfPart, openPart } from '../../src/recovery/backup/part.ts';
import { derivedKey, type RecoveryKey } from './recovery-key.ts';

/**
 * The payments' secrets in a fetched run, with the key that opened it, by their names: for an operator
 * who has lost the deployment file. Throws UnreadablePart for another recovery key.
 */
export async function recoveredSecrets(
  folder: string,
  run: string,
  recoveryKey: RecoveryKey,
): Promise<Readonly<Record<string, string>>> {
  const name = manifestName(run);
  const file = join(folder, name);
  const content = await readFile(file).catch(() => {
    throw new Error(`there is no ${file}: \`backup fetch\` writes it; name one of its runs`);
  });
  const bytes = new Uint8Array(content);
  const keyId = keyIdOfPart(name, bytes);
  const base64 = derivedKey(recoveryKey, 'BACKUP_KEYS', keyId);
  const [manifest] = (await openPart([{ keyId, base64 }], name, bytes)) as readonly Manifest[];
  return { ...manifest?.secrets, BACKUP_KEYS: `${keyId}:${base64}` };
}
