import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/** Quiet and offline: no traces on disk, no metrics, no banner, no fetch at start. */
export const WRANGLER_ENVIRONMENT = {
  X_LOCAL_OBSERVABILITY: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
} as const;

/**
 * Starts wrangler in `directory` and in this process's group: a signal to the group, SIGKILL
 * included, reaches wrangler and workerd too. Without a terminal wrangler asks no questions. Its
 * main file runs directly, because its launcher is one more process that signals must pass.
 */
export function startWrangler(
  args: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
  output: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const main = createRequire(import.meta.url).resolve('wrangler');
  return spawn(process.execPath, ['--no-warnings', main, ...args], {
    cwd: directory,
    env: { ...process.env, ...WRANGLER_ENVIRONMENT, ...environment },
    stdio: ['ignore', output, output],
  });
}

/** Runs wrangler and waits until it has ended. Throws when it fails. */
export async function runWrangler(
  args: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const wrangler = startWrangler(args, directory, environment);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    wrangler.once('error', reject);
    wrangler.once('exit', resolve);
  });
  if (exitCode !== 0) {
    throw new Error(`wrangler ${args.slice(0, 2).join(' ')} failed`);
  }
}
