import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import {
  createRecoveryKey,
  fingerprintOf,
  formatRecoveryKey,
  parseRecoveryKey,
  type RecoveryKey,
  RecoveryKeyError,
} from './recovery-key.ts';

/** Where setup puts the file unless `--recovery` names another place. */
export function defaultRecoveryFile(deployment: string): string {
  return join(homedir(), `kefel-${deployment}-recovery.txt`);
}

/** The absolute path. Refuses a place inside the project, which people copy and commit. */
export function checkRecoveryFile(file: string): string {
  const path = resolve(file);
  if (!relative(PROJECT_DIRECTORY, path).startsWith('..')) {
    throw new RecoveryKeyError(
      `${path} is inside the project's folder: name a place outside it with --recovery`,
    );
  }
  return path;
}

/** The key, or null without a file. Throws RecoveryKeyError for a file that holds no key. */
export async function readRecoveryFile(file: string): Promise<RecoveryKey | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  try {
    return parseRecoveryKey(text);
  } catch (error) {
    throw new RecoveryKeyError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Where the next recovery key lies until its rotation is done. */
export function nextRecoveryFile(file: string): string {
  return `${file}.next`;
}

/** The key of a deployment, also while a rotation is under way. Null without a file. */
export async function recoveryKeyAt(
  file: string,
  { recoveryKey }: { readonly recoveryKey: string },
): Promise<RecoveryKey | null> {
  const next = await readRecoveryFile(nextRecoveryFile(file));
  return next !== null && fingerprintOf(next) === recoveryKey ? next : readRecoveryFile(file);
}

/** The same for a command that cannot go on without it. */
export async function requireRecoveryFile(
  file: string,
  deployment: { readonly recoveryKey: string } | null = null,
): Promise<RecoveryKey> {
  const key =
    deployment === null ? await readRecoveryFile(file) : await recoveryKeyAt(file, deployment);
  if (key === null) {
    throw new RecoveryKeyError(
      `there is no recovery file at ${file}: copy it there from where you keep it, or name its place with --recovery`,
    );
  }
  return key;
}

/** Creates the file, which only its owner can read. Never replaces one. */
export async function createRecoveryFile(file: string, deployment: string): Promise<RecoveryKey> {
  const key = createRecoveryKey();
  await mkdir(dirname(file), { recursive: true });
  const text = `# Recovery key of the Kefel deployment "${deployment}". All its keys are made from it, and a backup
# cannot be read without it. A person who has it can act as the gateway. Keep copies in two safe places.
${formatRecoveryKey(key)}
`;
  await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
  return key;
}
