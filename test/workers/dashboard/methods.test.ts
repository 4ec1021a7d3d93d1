import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { Role } from '../../../back-office/members/permissions.ts';
import { offerMethod, setCommission, setLimit } from '../../../src/control/merchants/methods.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  type Body,
  intentOf,
  postExpress,
  postHosted,
  runSql,
  SECOND_MS,
  tenantOf,
  useGateway,
} from '../support.ts';
import { auditLog, signedIn, submit, visit } from './support.ts';

/**
 * Goal: an owner turns methods on and off, the operator decides which ones to offer and up to which
 * amount, and new payments obey both. Method: the page, its forms, and requests to the API.
 */

useGateway();

const PATH = '/dashboard/sandbox/methods';
/** How long isolates cache a merchant. */
const SETTINGS_AGE_MS_MAX = 10 * SECOND_MS;

/** A page's table: the text of each cell by its column, by method. */
async function shown(path = PATH, role: Role = 'owner') {
  const html = await (await visit(await signedIn(role), path)).text();
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) => row);
  const cellsOf = (row: string) =>
    Object.fromEntries(
      [...row.matchAll(/<td data-column="([^"]+)">(.*?)<\/td>/g)].map(([, column, cell = '']) => [
        column,
        cell.replaceAll(/<[^>]*>/g, '').trim(),
      ]),
    );
  return { html, rows: rows.map(cellsOf).filter((row) => row.Method !== undefined) };
}

async function rowOf(method: string, path = PATH) {
  const { rows } = await shown(path);
  return rows.find((row) => row.Method?.endsWith(` ${method}`));
}

async function allMethods(): Promise<unknown[]> {
  return (await env.DB.prepare('SELECT * FROM merchant_methods').all()).results;
}

let payments = 0;

async function create(kind: 'hosted' | 'express', changes: Body) {
  advance(SETTINGS_AGE_MS_MAX);
  payments += 1;
  const post = kind === 'hosted' ? postHosted : postExpress;
  return answerOf(post({ paymentIntentUniqueId: `method-${payments}`, ...changes }));
}

test('shows the commission, rail and limits of every method', async () => {
  await runSql([
    setCommission(tenantOf(ALPHA), 'CBE', { basisPoints: 250, fixedMinor: 100 }),
    setCommission(tenantOf(ALPHA), 'M_PESA', { basisPoints: 0, fixedMinor: 5 }),
    setCommission(tenantOf(ALPHA), 'E_BIRR', { basisPoints: 0, fixedMinor: 0 }),
    setLimit(tenantOf(ALPHA), 'ETB', 5_000_000),
    setLimit(tenantOf(BETA), 'USD', 12_300),
  ]);
  const { html, rows } = await shown();
  expect(rows).toHaveLength(METHODS.length);
  const commissions = rows.map(({ Commission }) => Commission);
  expect(commissions).toEqual(['1%', '1%', '2.5% + 1.00', '1%', '0.05', 'None']);
  expect(rows[0]).toMatchObject({ State: 'On', Connection: 'Simulated', Currencies: 'ETB, USD' });
  expect(html).toMatch(/ETB.50,000\.00/);
  expect(html).toMatch(/USD.999,999,999\.99/);
  expect(html).not.toContain('123.00');
});

test('shows in production which methods the operator has connected', async () => {
  const { html, rows } = await shown('/dashboard/production/methods');
  expect(rows.map(({ State }) => State)).toEqual(METHODS.map(() => 'Not available'));
  expect(rows[0]?.Currencies).toBe('—');
  expect(html).toContain('No method is on and available');
});

test('rejects new payments by a disabled method, and old payments keep it', async () => {
  const owner = await signedIn();
  await create('hosted', { paymentIntentUniqueId: 'before', methods: ['CBE'] });
  const off = await submit(owner, `${PATH}/CBE/disable`);
  expect(off.headers.get('location')).toBe(`${PATH}?done=disabled`);
  expect((await rowOf('CBE'))?.State).toBe('Off');
  const refused = await create('hosted', { methods: ['CBE'] });
  expect(refused.status).toBe(400);
  expect(refused.envelope.validationErrors).toHaveProperty('methods[0]');
  expect((await intentOf('before')).terms.methods.map(({ method }) => method)).toEqual(['CBE']);

  await submit(owner, `${PATH}/CBE/enable`);
  await submit(owner, `${PATH}/CBE/enable`);
  expect((await rowOf('CBE'))?.State).toBe('On');
  expect((await create('hosted', { methods: ['CBE'] })).status).toBe(200);
  const entries = (await auditLog()).map(
    ({ action, target, environment, merchant_id, actor_id }) => [
      action,
      target,
      environment,
      merchant_id,
      actor_id,
    ],
  );
  expect(entries).toEqual([
    ['method.disabled', 'CBE', 'sandbox', ALPHA.id, owner.memberId],
    ['method.enabled', 'CBE', 'sandbox', ALPHA.id, owner.memberId],
  ]);
});

test('cannot enable what the operator does not offer', async () => {
  const owner = await signedIn();
  await runSql([offerMethod(tenantOf(ALPHA), 'CBE', false)]);
  expect(await rowOf('CBE')).toMatchObject({ State: 'Not offered', Actions: 'Ask the operator' });
  expect((await create('express', { method: 'CBE', phoneNumber: '911223344' })).status).toBe(400);
  const before = await allMethods();
  for (const change of ['enable', 'disable']) {
    expect((await submit(owner, `${PATH}/CBE/${change}`)).status).toBe(404);
  }
  for (const method of ['CASH', 'cbe', '%00', 'x'.repeat(3_000)]) {
    expect((await submit(owner, `${PATH}/${method}/disable`)).status).toBe(404);
  }
  expect(await allMethods()).toEqual(before);
  expect(await auditLog()).toEqual([]);
});

test.each(['developer', 'cashier', 'viewer'] as const)('shows a %s no switch', async (role) => {
  const { html } = await shown(PATH, role);
  expect(html).toContain('telebirr');
  expect(html).not.toContain('Turn off');
});

test.each(['hosted', 'express'] as const)(
  "rejects a payment above the merchant's limit: %s",
  async (kind) => {
    await runSql([setLimit(tenantOf(ALPHA), 'ETB', 5_000_000)]);
    // The limit does not count the commission on top.
    const atLimit = { amount: 50_000, commissionPaidByCustomer: true };
    expect((await create(kind, atLimit)).status).toBe(200);
    const above = await create(kind, { amount: 50_000.01 });
    expect(above.status).toBe(400);
    expect(above.envelope.validationErrors).toEqual({
      amount: expect.stringMatching(/^Must be at most 50000\.00: /),
    });
    expect((await create(kind, { amount: 50_000.01, currency: 'USD' })).status).toBe(200);
    await runSql([setLimit(tenantOf(ALPHA), 'ETB', null)]);
    expect((await create(kind, { amount: 50_000.01 })).status).toBe(200);
  },
);

test('answers a repeated id as such after the limit was lowered', async () => {
  await create('hosted', { amount: 100, paymentIntentUniqueId: 'taken' });
  await runSql([setLimit(tenantOf(ALPHA), 'ETB', 100)]);
  const again = await create('hosted', { amount: 100, paymentIntentUniqueId: 'taken' });
  expect(again.status).toBe(409);
});
