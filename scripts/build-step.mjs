/**
 * wrangler's build step (`[build]` in wrangler.toml): builds the documentation's pages if they are
 * missing or outdated, and for `wrangler dev` creates what a fresh clone lacks. Plain JavaScript,
 * because `wrangler deploy` may run it on a Node that reads no TypeScript.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const isDev = process.env.WRANGLER_COMMAND === 'dev';
// `npm run dev` prepares the directory that its `--persist-to` names.
const isPrepared = process.env.KEFEL_IS_PREPARED === 'true';

// The dev dependency `node` reads TypeScript. Without it, this Node must be as new.
const ownNode = 'node_modules/.bin/node';
const hasOwnNode = existsSync(ownNode);
if (!hasOwnNode) {
  await import('./check-node.mjs');
}
const node = hasOwnNode ? ownNode : process.execPath;
execFileSync(node, ['scripts/build-docs.ts'], { stdio: 'inherit' });

if (isDev && !isPrepared) {
  const { prepareWranglerDev } = await import('./dev/prepare.ts');
  console.log(await prepareWranglerDev());
}
