import { cloudflareOf } from '../deployment/cloudflare.ts';
import { runWrangler } from '../deployment/wrangler.ts';
import type { Tools } from './context.ts';
import { checkGateway } from './self-check.ts';
import { processTerminal } from './terminal.ts';

/** The terminal, the account and wrangler of this process. */
export async function processTools(): Promise<Tools> {
  return {
    terminal: processTerminal(),
    cloudflare: await cloudflareOf(process.env),
    runWrangler,
    checkGateway,
  };
}
