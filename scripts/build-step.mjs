/**
 * wrangler's build step (`[build]` in wrangler.toml): for `wrangler dev`, creates what a fresh clone
 * lacks. Plain JavaScript, because `wrangler deploy` may run it on a Node that reads no TypeScript.
 */

if (process.env.WRANGLER_COMMAND === 'dev') {
  const { prepareWranglerDev } = await import('./dev/prepare.ts');
  console.log(await prepareWranglerDev());
}
