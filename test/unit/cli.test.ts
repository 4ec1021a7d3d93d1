import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SCENARIOS as TRIGGERED } from '../../clients/cli/trigger.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { REFUND_SCENARIOS } from '../../src/rails/simulator/refunds.ts';
import { SCENARIOS } from '../../src/rails/simulator/scenarios.ts';

test('kefel trigger knows every outcome of the sandbox that needs no customer', () => {
  const amounts = Object.entries(SCENARIOS)
    // Paid twice: the customer chooses a second method. Expired: an unopened page is faster.
    .filter(([name]) => name !== 'paid_twice' && name !== 'expired')
    .map(([name, { amountMinor }]) => [name, amountMinor]);
  const triggered = amounts.map(([name]) => {
    const { amount = 0 } = TRIGGERED[String(name)] ?? {};
    return [name, Math.round(amount * 100)];
  });
  expect(triggered).toEqual(amounts);
});

test('kefel trigger knows every outcome of refunds in the sandbox', () => {
  const amounts = Object.entries(REFUND_SCENARIOS).map(([name, { amountMinor }]) => [
    `refund_${name}`,
    amountMinor,
  ]);
  const triggered = amounts.map(([name]) => {
    return [name, TRIGGERED[String(name)]?.refundMinor];
  });
  expect(triggered).toEqual(amounts);
});

test('the packed command line has the version of the gateway', () => {
  const [packed, whole] = ['clients/cli/package.json', 'package.json'].map((file) =>
    JSON.parse(readFileSync(join(PROJECT_DIRECTORY, file), 'utf8')),
  );
  expect(packed.version).toBe(whole.version);
});

test('npx kefel runs the command line of this checkout', () => {
  const { bin } = JSON.parse(readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'));
  const program = readFileSync(join(PROJECT_DIRECTORY, bin.kefel), 'utf8');
  expect(program).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test('kefel sends no key where a folder of strangers says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kefel-cli-'));
  try {
    await mkdir(join(folder, '.wrangler'));
    const file = JSON.stringify({ baseUrl: 'https://collector.invalid' });
    await writeFile(join(folder, '.wrangler', 'demo-merchant.json'), file);
    const program = join(PROJECT_DIRECTORY, 'clients', 'cli', 'kefel.ts');
    const { KEFEL_URL: _, ...inherited } = process.env;
    const env = { ...inherited, KEFEL_API_KEY: 'kfl_live_secret' };
    const run = promisify(execFile)(process.execPath, [program, 'payments'], { cwd: folder, env });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('https://collector.invalid is not on this machine'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
