import { homedir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { readIfPresent, writeWhole } from '../project/files.ts';
import { type Deployment, DeploymentFileError } from './deployment-file.ts';
import { derivedOperatorSecret, type RecoveryKey } from './recovery-key.ts';

/**
 * The address of a deployment's desk and the secrets of operators who work on this machine. Only the
 * owner can read it; `npm run operator -- … --env NAME` does.
 */
const SCHEMA = v.strictObject({
  url: v.string(),
  /** By the operator's name. */
  secrets: v.record(v.string(), v.string()),
});

export type OperatorsFile = v.InferOutput<typeof SCHEMA>;

export function defaultOperatorsFile(deployment: string): string {
  return join(homedir(), `kefel-${deployment}-operators.json`);
}

/** Null without the file. */
export async function readOperatorsFile(file: string): Promise<OperatorsFile | null> {
  const text = await readIfPresent(file);
  if (text === null) {
    return null;
  }
  try {
    return v.parse(SCHEMA, JSON.parse(text));
  } catch {
    // The cause is dropped, because it could quote a secret.
    throw new DeploymentFileError(`${file} is malformed: delete it, and run \`npm run setup\``);
  }
}

/** `writeWhole` makes files that only their owner can read. */
export async function writeOperatorsFile(file: string, content: OperatorsFile): Promise<void> {
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** What the file has to say. Of a person's two secrets during a rotation, the newer one. */
export function operatorsOf(deployment: Deployment, recoveryKey: RecoveryKey): OperatorsFile {
  const newestLast = deployment.operators.toReversed();
  const secrets = newestLast.map(({ name, keyId }) => [
    name,
    derivedOperatorSecret(recoveryKey, keyId, name),
  ]);
  return { url: deployment.addresses.backOffice, secrets: Object.fromEntries(secrets) };
}
