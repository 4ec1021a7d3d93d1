import { execFile } from 'node:child_process';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** Made by builds, perhaps at this moment. */
const NOT_COPIED = ['dist', 'node_modules'];

/**
 * Packs the command line as npm installs it, to `file`, so that a merchant gets it from the gateway
 * itself. Works on a copy in `directory`: several builds may run at the same time.
 */
export async function packCommandLine(directory: string, file: string): Promise<void> {
  const copy = join(directory, 'clients');
  await cp('clients', copy, {
    recursive: true,
    filter: (source) => !NOT_COPIED.includes(basename(source)),
  });
  await mkdir(join(file, '..'), { recursive: true });
  const args = ['pack', '--silent', '--pack-destination', directory];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: join(copy, 'cli') });
  await rename(join(directory, stdout.trim()), file);
  await rm(copy, { recursive: true });
}
