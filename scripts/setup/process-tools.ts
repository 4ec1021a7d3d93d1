import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cloudflareOf } from '../deployment/cloudflare.ts';
import { runWrangler } from '../deployment/wrangler.ts';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import type { Tools } from './context.ts';
import { checkGateway } from './self-check.ts';
import { processTerminal } from './terminal.ts';

/** The terminal, the account and wrangler of this process. */
export async function processTools(): Promise<Tools> {
  return {
    terminal: processTerminal(),
    cloudflare: await cloudflareOf(process.env),
    runWrangler,
    commitOfCode,
    checkGateway,
  };
}

async function commitOfCode(): Promise<string | null> {
  const git = async (...args: readonly string[]) =>
    (await promisify(execFile)('git', args, { cwd: PROJECT_DIRECTORY })).stdout.trim();
  try {
    // Setup itself writes into the folder of deployment files.
    const changes = await git('status', '--porcelain', '--', '.', ':!deployments');
    return changes === '' ? await git('rev-parse', 'HEAD') : null;
  } catch {
    // Downloaded without git.
    return null;
  }
}
