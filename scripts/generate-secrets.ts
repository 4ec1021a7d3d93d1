/**
 * `npm run --silent secrets:generate`: new secrets for the payments' Worker, or with
 * `-- --back-office` for the other, as JSON for `wrangler secret bulk`. `-- --out FILE` writes a file
 * that only its owner can read; it replaces no existing file.
 */
import { writeFile } from 'node:fs/promises';
import { keyIdAt } from './deployment/keys.ts';
import { runScript } from './project/options.ts';
import { BACK_OFFICE_SECRETS, generateSecret, PAYMENTS_SECRETS } from './project/secrets.ts';

const SCRIPT = {
  usage: 'npm run --silent secrets:generate',
  about: 'Prints new secrets for a deployment, as JSON for `wrangler secret bulk`.',
  options: {
    'back-office': { value: null, about: "the back office's secrets instead of the payments'" },
    out: { value: 'FILE', about: 'write a new file instead, which only its owner can read' },
  },
};

await runScript(SCRIPT, async ({ out, 'back-office': isBackOffice }) => {
  const names = isBackOffice ? BACK_OFFICE_SECRETS : PAYMENTS_SECRETS;
  const keyId = keyIdAt(new Date());
  const entries = await Promise.all(
    names.map(async (name) => [name, await generateSecret(name, keyId)] as const),
  );
  const json = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
  if (out === undefined) {
    process.stdout.write(json);
    return;
  }
  await writeFile(out, json, { mode: 0o600, flag: 'wx' });
  const config = isBackOffice ? ' -c back-office/wrangler.toml' : '';
  console.log(`Wrote ${out}. Next: npx wrangler secret bulk ${out}${config}`);
  console.log(
    isBackOffice
      ? 'Keep a copy in a safe place: the operator signs in with OPERATOR_SECRETS.'
      : 'Keep a copy in a safe place: without DATA_ENCRYPTION_KEYS no API key works, and stored secrets are lost.',
  );
});
