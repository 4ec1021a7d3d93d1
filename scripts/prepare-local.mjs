/**
 * wrangler's build step (`[build]` in wrangler.toml): creates what `wrangler dev` needs and a fresh
 * clone lacks. Plain JavaScript, because `wrangler deploy` may run it on a Node that reads no
 * TypeScript; a deployment needs nothing of this.
 */
const isDev = process.env.WRANGLER_COMMAND === 'dev';
// `npm run dev` prepares the directory that its `--persist-to` names.
const isPrepared = process.env.KEFEL_IS_PREPARED === 'true';

if (isDev && !isPrepared) {
  const { prepareWranglerDev } = await import('./dev/prepare.ts');
  console.log(await prepareWranglerDev());
}
