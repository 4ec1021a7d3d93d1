import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SCENARIOS as TRIGGERED } from '../../../clients/cli/trigger.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { REFUND_SCENARIOS } from '../../../src/engine/rails/simulator/refunds.ts';
import { SCENARIOS } from '../../../src/engine/rails/simulator/scenarios.ts';

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

test('npx kefel runs the command line of this checkout', async () => {
  const file = join(PROJECT_DIRECTORY, 'package.json');
  const { bin, version } = JSON.parse(readFileSync(file, 'utf8'));
  const program = join(PROJECT_DIRECTORY, bin.kefel);
  expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--version']);
  expect(stdout).toBe(`${version}\n`);
});

test.each([
  'https://collector.invalid',
  // Any program of this machine may listen there.
  'http://localhost:9',
])('kefel sends no key of yours where the file of a folder says: %s', async (baseUrl) => {
  const folder = await mkdtemp(join(tmpdir(), 'kefel-cli-'));
  try {
    await mkdir(join(folder, '.wrangler'));
    const file = JSON.stringify({ baseUrl });
    await writeFile(join(folder, '.wrangler', 'demo-merchant.json'), file);
    const program = join(PROJECT_DIRECTORY, 'clients', 'cli', 'kefel.ts');
    const { KEFEL_URL: _, ...inherited } = process.env;
    const env = { ...inherited, KEFEL_API_KEY: 'kfl_live_secret' };
    const run = promisify(execFile)(process.execPath, [program, 'payments'], { cwd: folder, env });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Which gateway is your key for?'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('kefel prints no character that changes the terminal or the order of a text', async () => {
  const hostile = 'a\u001b]0;gone\u0007\u202eb\u009b2J\r\u2066c';
  const row = {
    createdAt: '2026-11-23T00:00:00Z',
    status: 'SUCCESS',
    totalAmount: 100,
    currency: 'ETB',
    uniqueId: `row\nforged ${hostile}`,
    reason: null,
  };
  const answer = { data: [row], hasMore: true, nextCursor: hostile };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 200, message: 'OK', content: answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const env = {
      ...process.env,
      KEFEL_API_KEY: 'kfl_test_key',
      KEFEL_URL: `http://127.0.0.1:${port}`,
    };
    const program = join(PROJECT_DIRECTORY, 'clients', 'cli', 'kefel.ts');
    const kefel = (...words: string[]) =>
      promisify(execFile)(process.execPath, [program, ...words], { env });
    const table = await kefel('payments');
    const json = await kefel('payments', '--json');
    for (const printed of [table.stdout, table.stderr, json.stdout]) {
      expect(printed).not.toMatch(/[^\P{C}\n]/u);
    }
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(table.stdout).toContain('\\u202e');
    expect(JSON.parse(json.stdout)).toEqual(answer);
    const refused = await kefel(hostile).catch(({ stderr }: { stderr: string }) => stderr);
    expect(refused).toContain('There is no command');
    expect(refused).not.toMatch(/[^\P{C}\n]/u);
  } finally {
    server.close();
  }
});
