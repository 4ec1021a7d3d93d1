/**
 * wrangler's build step (`[build]` in wrangler.toml): for `wrangler dev`, creates what a fresh clone
 * lacks. Plain JavaScript, because `wrangler deploy` may run it on a Node that reads no TypeScript.
 */

const isDev = process.env.WRANGLER_COMMAND === 'dev';
// `npm run dev` prepares the directory that its `--persist-to` names.
const isPrepared = process.env.KEFEL_IS_PREPARED === 'true';

if (isDev && !isPrepared) {
  const { prepareWranglerDev } = await import('./dev/prepare.ts');
  console.log(await prepareWranglerDev());
}
