import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folder of package.json and wrangler.toml. */
export const PROJECT_DIRECTORY = dirname(dirname(import.meta.dirname));

/** Where `wrangler dev` keeps its state without `--persist-to`. */
export const DEFAULT_STATE_DIRECTORY = join(PROJECT_DIRECTORY, '.wrangler', 'state');

export const BACK_OFFICE_CONFIG_FILE = join(PROJECT_DIRECTORY, 'back-office', 'wrangler.toml');
export const WRANGLER_CONFIG_FILE = join(PROJECT_DIRECTORY, 'wrangler.toml');
export const MIGRATIONS_DIRECTORY = join(PROJECT_DIRECTORY, 'migrations');
export const BACK_OFFICE_MIGRATIONS_DIRECTORY = join(PROJECT_DIRECTORY, 'back-office/migrations');

/** Only the owner may read files with secrets. */
const SECRET_FILE_MODE = 0o600;

/** The text of a file, or null when the file is missing. */
export async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/** Replaces a file atomically: a reader, or a crash, sees the old text or the new. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await rename(await writeBeside(file, text), file);
}

/**
 * The text of a file that is created once. When several processes start at the same time, one
 * writes it and all read the same text.
 */
export async function readOrCreate(file: string, create: () => Promise<string>): Promise<string> {
  const present = await readIfPresent(file);
  if (present !== null) {
    return present;
  }
  const written = await writeBeside(file, await create());
  try {
    // Unlike a rename, a link fails when another process was faster.
    await link(written, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw error;
    }
  } finally {
    await rm(written);
  }
  return readFile(file, 'utf8');
}

async function writeBeside(file: string, text: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: SECRET_FILE_MODE });
  return temporary;
}

/** Whether the system refused to read or write a file. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
