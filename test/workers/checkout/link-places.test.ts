import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { registerOf } from '../../../src/engine/register/client.ts';
import { OpenRegister } from '../../../src/engine/register/open-register.ts';
import { plantedError } from '../../support/output/planted.ts';
import { askLinks, createLink } from '../support/links.ts';
import { registerRows } from '../support/register.ts';
import {
  ALPHA,
  advance,
  answerOf,
  type Body,
  call,
  chooseMethod,
  clientOf,
  createHosted,
  fireAlarm,
  MINUTE_MS,
  ORIGIN,
  pathOf,
  postForm,
  reportsAreSent,
  simulate,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: a link with `paymentsMax` commits no more payments, by its page, the register and the payments'
 * objects (docs/promises.md#12, docs/decisions.md#69). The rules: test/unit/checkout/link-places.test.ts.
 */

useGateway();

/** Each attempt of the simulator ends with its payment, and a place a minute later. */
const WINDOW_MS = 32 * MINUTE_MS;

async function newLink(body: Body = {}): Promise<string> {
  const { status, content } = await createLink({ paymentsMax: 1, ...body });
  expect(status).toBe(200);
  return pathOf(content.url);
}

async function page(path: string) {
  const response = await call(path, { apiKey: null });
  return { status: response.status, html: await response.text() };
}

/** Opens the page and submits it. The address that this leads to. */
async function submit(path: string): Promise<string> {
  const { html } = await page(path);
  const form = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const response = await postForm(path, { form });
  await response.body?.cancel();
  return response.headers.get('location') ?? '';
}

/** Where the choice of a method leads. */
async function choose(checkoutUrl: string, attempts = 0): Promise<string> {
  const choice = { method: 'TELE_BIRR', attempts: String(attempts) };
  const response = await postForm(`${pathOf(checkoutUrl)}/attempts`, choice);
  await response.body?.cancel();
  return response.headers.get('location') ?? '';
}

async function places() {
  const rows = (await registerRows('link_places')) as readonly { type: string }[];
  return rows.map(({ type }) => type).sort();
}

async function ids(): Promise<string[]> {
  const rows = (await registerRows('link_places')) as readonly { payment_unique_id: string }[];
  return rows.map((row) => row.payment_unique_id);
}

async function decide(token: string, outcome: 'approve' | 'decline' | 'give_up'): Promise<void> {
  await simulate(token, outcome);
  await reportsAreSent();
}

const counts = async () => (await askLinks('/link-honey')).content;

test('takes as many payments as it says, and gives back what is not paid', async () => {
  await env.DB.prepare(
    'INSERT INTO merchant_business (merchant_id, address, contact) VALUES (?, ?, ?)',
  )
    .bind(ALPHA.id, 'Bole', '+251911000000')
    .run();
  const path = await newLink({ paymentsMax: 2 });
  const [first = '', second = '', third = ''] = [
    await submit(path),
    await submit(path),
    await submit(path),
  ];
  const one = await chooseMethod(first);
  const other = await chooseMethod(second);
  expect(await places()).toEqual(['reserved', 'reserved']);

  expect(await choose(third)).toBe(`${ORIGIN}${path}`);
  const full = await page(path);
  expect(full.status).toBe(410);
  expect(full.html).toContain('All places are taken at the moment');
  expect(full.html).toContain('a place is free again in some minutes');
  expect(full.html).toContain('href="tel:+251911000000"');
  expect(await submit(path)).toBe(path);

  await decide(one, 'decline');
  expect(await places()).toEqual(['reserved']);
  const last = await chooseMethod(third);
  expect(await choose(first, 1)).toBe(`${ORIGIN}${path}`);

  await decide(other, 'approve');
  await decide(last, 'approve');
  expect(await places()).toEqual(['committed', 'committed']);
  expect(await counts()).toMatchObject({ paymentsMax: 2, paymentsCount: 2 });
  const soldOut = await page(path);
  expect(soldOut.status).toBe(410);
  expect(soldOut.html).toContain('All places are taken');
  expect(soldOut.html).not.toContain('at the moment');
});

test('one payment has one place over all its attempts, and giving up returns it', async () => {
  const path = await newLink();
  const checkoutUrl = await submit(path);
  const first = await chooseMethod(checkoutUrl);
  // The register does not hear of it, so the only place is still taken.
  const lost = vi.spyOn(OpenRegister.prototype, 'settlePlace').mockImplementation(() => {
    throw plantedError();
  });
  await decide(first, 'decline');
  lost.mockRestore();
  expect(await places()).toEqual(['reserved']);
  const second = await chooseMethod(checkoutUrl, { attempts: 1 });
  expect(await registerRows('link_places')).toMatchObject([{ type: 'reserved', attempt: 2 }]);
  await decide(second, 'give_up');
  expect(await places()).toEqual([]);
});

test('an attempt without an outcome holds its place for its window only', async () => {
  const path = await newLink();
  await chooseMethod(await submit(path));
  expect((await page(path)).status).toBe(410);
  advance(WINDOW_MS);
  expect((await page(path)).status).toBe(200);
});

test('a success for which no place is left is marked, once, and still paid', async () => {
  const path = await newLink();
  await chooseMethod(await submit(path));
  const [late = ''] = await ids();
  advance(WINDOW_MS);
  await decide(await chooseMethod(await submit(path)), 'approve');

  const client = await clientOf(late);
  const attemptId = (await client.read())?.attempts[0]?.id ?? '';
  const outcome = { type: 'succeeded', receipt: 'R1' } as const;
  await client.execute([{ type: 'resolve_attempt', attemptId, outcome }]);
  await reportsAreSent();
  await expect
    .poll(async () => (await client.read())?.anomalies.map(({ kind }) => kind))
    .toEqual(['surplus_payment']);
  await reportsAreSent();
  const { envelope } = await answerOf(call(`/api/v1/payment/sandbox/checkout/${late}`));
  expect(envelope.content).toMatchObject({
    status: 'SUCCESS',
    anomalies: [{ type: 'surplus_payment' }],
  });
  expect(await places()).toEqual(['committed', 'surplus']);
  expect(await counts()).toMatchObject({ paymentsCount: 1 });

  await client.republish();
  expect((await client.read())?.anomalies).toHaveLength(1);
});

test('a lower maximum stops further payments, and commits none above it', async () => {
  const path = await newLink({ paymentsMax: 3 });
  const tokens = [];
  for (let index = 0; index < 3; index += 1) {
    tokens.push(await chooseMethod(await submit(path)));
  }
  const changed = await askLinks('/link-honey', { method: 'PATCH', body: { paymentsMax: 2 } });
  expect(changed.content).toMatchObject({ paymentsMax: 2, paymentsCount: 0 });
  await askLinks('/link-honey/deactivate', { method: 'POST' });
  for (const token of tokens) {
    await decide(token, 'approve');
  }
  await expect.poll(places).toEqual(['committed', 'committed', 'surplus']);
});

test('a success that the register does not hear of is reported again', async () => {
  const path = await newLink();
  const token = await chooseMethod(await submit(path));
  const [id = ''] = await ids();
  const lost = vi.spyOn(OpenRegister.prototype, 'settlePlace').mockImplementation(() => {
    throw plantedError();
  });
  await decide(token, 'approve');
  expect(await places()).toEqual(['reserved']);
  lost.mockRestore();
  advance(MINUTE_MS);
  await fireAlarm(id);
  await reportsAreSent();
  expect(await places()).toEqual(['committed']);
});

test('a link without a maximum, and an API payment that names one, cost no call and no row', async () => {
  const reserve = vi.spyOn(OpenRegister.prototype, 'reservePlace');
  const settle = vi.spyOn(OpenRegister.prototype, 'settlePlace');
  const path = await newLink({ paymentsMax: null });
  await decide(await chooseMethod(await submit(path)), 'approve');
  // It counts only payments that are made from now on.
  await askLinks('/link-honey', { method: 'PATCH', body: { paymentsMax: 1 } });
  const { code } = (await registerOf(env, tenantOf(ALPHA)).link('link-honey')) ?? {};
  const named = { paymentLinkUniqueId: 'link-honey', countedLink: code };
  await decide(await chooseMethod(await createHosted(named)), 'approve');
  expect([reserve.mock.calls, settle.mock.calls, await places()]).toEqual([[], [], []]);
});
