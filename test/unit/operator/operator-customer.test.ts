import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Given } from '../../../scripts/operator/command.ts';
import { eraseCustomer, exportCustomer } from '../../../scripts/operator/customer.ts';

/**
 * Goal: the commands about a customer go through all pages, and an export is a file for its operator
 * alone. Method: a gateway of two pages.
 */

const GATEWAY = { origin: 'http://localhost:8787', headers: {} };
const directory = mkdtempSync(join(tmpdir(), 'kefel-export-'));

afterEach(() => vi.restoreAllMocks());

/** Answers with the pages in order, and keeps the bodies of the requests. */
function gatewayOf(pages: readonly object[]): unknown[] {
  const bodies: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
    const content = pages[bodies.push(JSON.parse(String(init?.body))) - 1];
    return Response.json({ status: 200, message: 'ok', content });
  });
  return bodies;
}

function given(options: Readonly<Record<string, string>>): Given {
  const entries = Object.entries(options).map(([name, value]) => [name, [value]] as const);
  return new Given(new Map(), new Map(entries));
}

async function last(lines: AsyncGenerator<unknown>): Promise<unknown> {
  const all: unknown[] = [];
  for await (const line of lines) {
    all.push(line);
  }
  return all.at(-1);
}

const CUSTOMER = { phone: '0911223344', reason: 'Request 12' };

test('an export has the payments of all pages, and only its operator can read the file', async () => {
  const page = { payments: [{ uniqueId: 'a' }], elsewhere: ['the bank'], next: 'place' };
  const bodies = gatewayOf([page, { ...page, payments: [{ uniqueId: 'b' }], next: null }]);
  const to = join(directory, 'export.json');
  expect(await last(exportCustomer(GATEWAY, given({ ...CUSTOMER, to })))).toEqual({
    file: to,
    payments: 2,
  });
  expect(bodies).toEqual([CUSTOMER, { ...CUSTOMER, after: 'place' }]);
  expect(JSON.parse(readFileSync(to, 'utf8'))).toMatchObject({
    customer: { phone: '0911223344' },
    payments: [{ uniqueId: 'a' }, { uniqueId: 'b' }],
    keptElsewhere: ['the bank'],
  });
  expect(statSync(to).mode & 0o777).toBe(0o600);
});

test('an export replaces no file, and asks the gateway nothing then', async () => {
  const to = join(directory, 'known.json');
  writeFileSync(to, 'mine');
  const bodies = gatewayOf([]);
  await expect(last(exportCustomer(GATEWAY, given({ ...CUSTOMER, to })))).rejects.toThrow(
    'is there already',
  );
  expect(bodies).toEqual([]);
  expect(readFileSync(to, 'utf8')).toBe('mine');
});

test('an erasure adds up its pages, and shows what the whole request keeps', async () => {
  const kept = [{ reason: 'refundable', payments: 2, untilAtMs: 5 }];
  gatewayOf([
    { request: 'r', erased: 3, failed: 0, kept: [], next: 'place' },
    { request: 'r', erased: 1, failed: 1, kept, next: null },
  ]);
  expect(await last(eraseCustomer(GATEWAY, given(CUSTOMER)))).toEqual({
    request: 'r',
    erased: 4,
    failed: 1,
    kept,
  });
});

test.each([{}, { phone: '0911223344', email: 'a@b.et' }])('refuses %j', async (named) => {
  const lines = eraseCustomer(GATEWAY, given({ ...named, reason: 'Request 12' }));
  await expect(last(lines)).rejects.toThrow('give either --phone, or --email');
});
