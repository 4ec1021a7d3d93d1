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
/** Of what wrangler prints from its error on. */
const LINES_SHOWN = 12;
const NOISE = /Logs were written|If you think this is a bug/;

/** Wrangler failed; the message has the reason that it printed. */
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
    const printed = stripVTControlCharacters(`${stdout}\n${stderr}`);
    const reason = printed.slice(Math.max(printed.indexOf('[ERROR]'), 0)).replace('[ERROR]', '');
    const lines = reason
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !NOISE.test(line));
    const [first, second] = args.filter((arg) => /^[a-z0-9]+$/.test(arg));
    const command = [first, first === 'deploy' ? undefined : second].filter(Boolean).join(' ');
    throw new WranglerError(
      `wrangler ${command} failed:\n${lines.slice(0, LINES_SHOWN).join('\n')}`,
    );
  }
};
