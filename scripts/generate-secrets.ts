/**
 * `npm run --silent secrets:generate`: new secrets for a deployment, as JSON for `wrangler secret
 * bulk`. `-- --out FILE` writes a file that only its owner can read; it replaces no existing file.
 */
import { writeFile } from 'node:fs/promises';
import { generateSecret, SECRET_NAMES } from './dev/secrets.ts';
import { commandLine } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run --silent secrets:generate',
  about: 'Prints new secrets for a deployment, as JSON for `wrangler secret bulk`.',
  options: {
    out: { value: 'FILE', about: 'write a new file instead, which only its owner can read' },
  },
};

/** Key ids distinguish generations while they overlap (docs/decisions.md#32): `k20261121120000`. */
function keyIdOf(now: Date): string {
  // To the second, so that two rotations of one day do not collide; at most 16 characters.
  return `k${now.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}`;
}

async function main(): Promise<void> {
  const { out } = commandLine(SCRIPT);
  const keyId = keyIdOf(new Date());
  const entries = await Promise.all(
    SECRET_NAMES.map(async (name) => [name, await generateSecret(name, keyId)] as const),
  );
  const json = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
  if (out === undefined) {
    process.stdout.write(json);
    return;
  }
  await writeFile(out, json, { mode: 0o600, flag: 'wx' });
  console.log(`Wrote ${out}. Next: npx wrangler secret bulk ${out}`);
  console.log(
    'Keep a copy in a safe place: without DATA_ENCRYPTION_KEYS no API key works, and stored secrets are lost.',
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
