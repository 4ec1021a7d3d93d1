import { execFile } from 'node:child_process';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { parseCommandLine } from '../../scripts/operator/arguments.ts';
import { gatewayOf, send } from '../../scripts/operator/client.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

export interface Ran {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** A command that hangs must not hang the test. */
const TIMEOUT_MS = 60_000;

/**
 * Runs `npm run operator -- …` against a local gateway to its end; the secret comes from .dev.vars.
 */
export function runOperator(
  baseUrl: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { KEFEL_OPERATOR_SECRET: _secret, ...inherited } = process.env;
  const env = { ...inherited, KEFEL_URL: baseUrl, ...environment };
  const options = { cwd: PROJECT_DIRECTORY, env, timeout: TIMEOUT_MS };
  return new Promise((resolve, reject) => {
    const npm = ['run', '--silent', 'operator', '--', ...args];
    execFile('npm', npm, options, (error, output, errors) => {
      if (error !== null && typeof error.code !== 'number') {
        reject(error);
        return;
      }
      resolve({ exitCode: error === null ? 0 : Number(error.code), output, errors });
    });
  });
}

/** A command's output. Throws with its errors when the command failed. */
export async function operate(baseUrl: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, output, errors } = await runOperator(baseUrl, args);
  if (exitCode !== 0) {
    throw new Error(`operator ${args.join(' ')} ended with ${exitCode}:\n${output}${errors}`);
  }
  return output;
}

/** Repeats a command, without a process for each time, until the gateway accepts it. */
export async function operateOnceAccepted(
  baseUrl: string,
  timeoutMs: number,
  args: readonly string[],
): Promise<void> {
  const wanted = parseCommandLine(args);
  if ('help' in wanted) {
    throw new Error(`${args.join(' ')} asks for help`);
  }
  const gateway = await gatewayOf(wanted, { KEFEL_URL: baseUrl });
  const request = wanted.command.request(wanted.given);
  await vi.waitFor(() => send(gateway, request), { timeout: timeoutMs, interval: 1_000 });
}

/** The one-time link in the output of an invitation. */
export function linkIn(output: string): string {
  const [link] = /http:\S+\/dashboard\/join\?token=[\w-]{43}/.exec(output) ?? [];
  if (link === undefined) {
    throw new Error(`no link in ${output}`);
  }
  return link;
}

/** As an operator does it. The context's other pages are signed in too. */
export async function signInOperator(page: Page): Promise<void> {
  const { OPERATOR_SECRETS } = await localSecrets();
  await page.goto('/operator/sign-in');
  await page.fill('#name', 'operator');
  await page.fill('#secret', OPERATOR_SECRETS.split(',')[0] ?? '');
  await page.click('main form button');
  await page.waitForSelector('footer form');
}
