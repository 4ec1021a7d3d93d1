import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify, stripVTControlCharacters } from 'node:util';
import { PROJECT_DIRECTORY } from '../project/files.ts';

/** Without a terminal wrangler asks no questions; CI also keeps it from writing to configurations. */
const ENVIRONMENT = {
  CI: 'true',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
} as const;

const OUTPUT_BYTES_MAX = 10_000_000;
/** Wrangler prints its reason last. */
const LINES_SHOWN = 12;

/** Wrangler failed; the message has the last lines that it printed. */
export class WranglerError extends Error {
  override readonly name = 'WranglerError';
}

/** Runs wrangler and returns what it printed. */
export type RunWrangler = (args: readonly string[]) => Promise<string>;

export const runWrangler: RunWrangler = async (args) => {
  const main = createRequire(import.meta.url).resolve('wrangler');
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-warnings', main, ...args],
      {
        cwd: PROJECT_DIRECTORY,
        env: { ...process.env, ...ENVIRONMENT },
        maxBuffer: OUTPUT_BYTES_MAX,
      },
    );
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/Logs were written/.test(line));
    const command = args.filter((arg) => !arg.startsWith('-')).slice(0, 3);
    throw new WranglerError(
      `wrangler ${command.join(' ')} failed:\n${lines.slice(-LINES_SHOWN).join('\n')}`,
    );
  }
};
