import { createHash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { readIfPresent, writeWhole } from '../project/files.ts';
import { type Deployment, DeploymentFileError } from './deployment-file.ts';
import { keyIdAt } from './keys.ts';

/**
 * The address of a deployment's desk and the secret of the one operator who works on this machine. Only
 * the owner can read it; `npm run operator -- … --env NAME` does. A second secret here would let one
 * person act as two.
 */
const SCHEMA = v.strictObject({ url: v.string(), name: v.string(), secret: v.string() });

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
    throw new DeploymentFileError(
      `${file} is malformed: get a new secret with \`npm run rotate -- operator NAME\``,
    );
  }
}

/** `writeWhole` makes files that only their owner can read. */
export async function writeOperatorsFile(file: string, content: OperatorsFile): Promise<void> {
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** Where a new secret lies until its owner has it. */
export function handedOutFile(operatorsFile: string, keyId: string): string {
  return `${operatorsFile.replace(/\.json$/, '')}-${keyId}.json`;
}

type Operator = Deployment['operators'][number];

export function newOperatorsFile(url: string, name: string): OperatorsFile {
  return { url, name, secret: `kfl_op_${randomBytes(32).toString('base64url')}` };
}

/** What the deployment file has of it: the digest alone, so that only its owner has the secret. */
export function operatorIn({ name, secret }: OperatorsFile, now: Date): Operator {
  return { name, keyId: keyIdAt(now), sha256: digestOf(secret) };
}

/** Whether the file has this secret. */
export function isSecretOf(file: OperatorsFile | null, { name, sha256 }: Operator): boolean {
  return file?.name === name && digestOf(file.secret) === sha256;
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
