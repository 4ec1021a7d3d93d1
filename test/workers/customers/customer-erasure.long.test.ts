import { createExecutionContext, createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { MerchantBook } from '../../../src/connected-objects.ts';
import { insertDeadLetter, markRetried } from '../../../src/control/dead-letters/store.ts';
import { createMerchant } from '../../../src/control/merchants/provision.ts';
import type {
  CustomerRequest,
  CustomersPage,
  ErasedPage,
} from '../../../src/control/rpc/operator.ts';
import { configOf } from '../../../src/engine/config.ts';
import type { IntentClient } from '../../../src/engine/intent/client.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { databaseRows } from '../../security/storage.ts';
import worker from '../../support/gateway.ts';
import { refuseCallback } from '../../support/intents.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog } from '../dashboard/support.ts';
import { content, deskOf, operateApi } from '../operator/support.ts';
import { decideAtRails, playRails, SCENE_SECRETS, SCENES, type Scene } from '../rails/scenes.ts';
import { configureRails, fireAlarmOf, PHONE } from '../rails/support.ts';
import { type Person, placesOf } from '../support/all-stores.ts';
import { bookSql, bookStub, booksReport } from '../support/book.ts';
import {
  ALPHA,
  advance,
  booksAreFed,
  call,
  cancelPath,
  clientOf,
  consume,
  createHosted,
  DAY_MS,
  fireAlarm,
  HOUR_MS,
  payHosted,
  postRefund,
  resolveAttempt,
  runSql,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/decisions.md#51: after an erasure, no store has the customer's phone number, name, e-mail
 * address or a digest of one. Method: payments of one customer with everything that Kefel stores about
 * them, then a search of every row of both databases, of all objects with their full-text indexes, and
 * of the bucket, raw and decrypted.
 */

configureRails(SCENE_SECRETS);
const caught = useGateway();

const NAME = 'Canaria Kanarek';
const EMAIL = 'canaria@kanarek.example';
/** After the merchants' limit for refunds, and after the last query of a provider. */
const WINDOW_MS = 200 * DAY_MS;
const REASON = { reason: 'Request 12' };

/** Delivers what waits. */
async function work(): Promise<void> {
  for (let rounds = 0; rounds < 4; rounds += 1) {
    for (const [queue, waiting] of [
      ['kefel-webhooks', caught.webhooks],
      ['kefel-webhook-retries', caught.retries],
      ['kefel-provider-reports', caught.reports],
    ] as const) {
      await consume(queue, waiting.splice(0));
    }
    await booksAreFed(caught);
  }
}

/** The alarms send what a confirmation still lacks. */
async function settle(payments: readonly IntentClient[]): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds += 1) {
    advance(HOUR_MS);
    for (const payment of payments) {
      await fireAlarmOf(payment);
    }
    await work();
  }
  await booksReport();
}

/** The merchant's server answers every event. */
function deliverEvents(): void {
  playRails();
  const providers = vi.mocked(fetch).getMockImplementation();
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.startsWith('https://shop.example.com/')
      ? new Response('thank you', { status: 200 })
      : (providers?.(input, init) ?? new Response());
  });
}

/** Payments of one customer in both environments, with all that can hang on them. */
async function customersPayments(scene: Scene): Promise<Person> {
  deliverEvents();
  await scene.begin();
  decideAtRails('paid');
  await scene.report('paid');
  await work();
  const texts = {
    customerInfo: { name: NAME, email: EMAIL, phone: PHONE.slice(3) },
    metadata: { note: `call 0${PHONE.slice(3)}` },
    items: [{ name: NAME, type: 'SERVICE', price: 100.5, quantity: 1 }],
  };
  await payHosted({ ...texts, paymentIntentUniqueId: 'paid' });
  await work();
  const refund = { paymentIntentUniqueId: 'paid', amountMinor: 100, reason: `asked by ${EMAIL}` };
  expect((await postRefund(refund)).status).toBe(200);
  await createHosted({ ...texts, paymentIntentUniqueId: 'canceled' });
  await call(cancelPath('canceled'), { method: 'POST' });
  await byHand({ ...texts, paymentIntentUniqueId: 'by-hand' });
  await letterAbout('paid');
  const review = `/payments/sandbox/${ALPHA.id}/by-hand/review`;
  expect((await operateApi(review, { note: 'Seen' })).status).toBe(200);
  await settle([scene.payment(), ...['paid', 'canceled', 'by-hand'].map((id) => clientOf(id))]);
  for (const tenant of [tenantOf(ALPHA), tenantOf(ALPHA, 'production')]) {
    expect(await bookOf(env, tenant, 0).backUp()).toBe(true);
  }
  const atProvider = (await scene.payment().read())?.attempts[0]?.phone ?? '';
  return { phones: [...new Set([PHONE, atProvider])], email: EMAIL, name: NAME };
}

/** An operator records a payment by its receipt. */
async function byHand(body: object): Promise<void> {
  await createHosted({ ...body });
  await clientOf('by-hand').execute([startRedirect('a1')]);
  const path = `/payments/sandbox/${ALPHA.id}/by-hand/attempts/a1/resolve`;
  const found = { outcome: 'succeeded', receipt: 'R-77', note: 'Seen in the portal' };
  expect((await operateApi(path, found)).status).toBe(200);
}

/** A provider's report that a queue gave up, and that an operator sent again. */
async function letterAbout(uniqueId: string): Promise<void> {
  const { objectName } = clientOf(uniqueId);
  const body = { type: 'result', objectName, attemptId: 'a', outcome: { receipt: PHONE } };
  const message = { id: 'l1', timestamp: new Date(Date.now()), body };
  const keys = configOf(env).dataEncryptionKeys;
  await runBatch(env.DB, [
    await insertDeadLetter(keys, 'kefel-provider-reports', message, Date.now()),
    markRetried('l1', 'Hana', Date.now()),
  ]);
  const stored = await env.DB.prepare('SELECT object_name AS id FROM dead_letters').first('id');
  expect(stored).toBe(objectName);
}

/** All pages of an erasure. */
async function erase(fields: object): Promise<{ erased: number; last: ErasedPage }> {
  let erased = 0;
  for (let after: string | null | undefined; ; ) {
    const body = { ...REASON, ...fields, ...(after && { after }) };
    const page = await content<ErasedPage>(operateApi('/customers/erase', body));
    erased += page.erased;
    after = page.next;
    if (after === null) {
      return { erased, last: page };
    }
  }
}

async function daily(): Promise<void> {
  await worker.scheduled(createScheduledController(), env, createExecutionContext());
}

test.each(SCENES)(
  'decisions.md#51: nothing of a customer of $railId is left after an erasure',
  async (scene) => {
    const person = await customersPayments(scene);
    const before = await placesOf(person);
    expect(before).toEqual(
      expect.arrayContaining([
        'book payment',
        'book payment_search_data',
        'bucket',
        'object record',
      ]),
    );
    advance(WINDOW_MS);
    let erased = 0;
    for (const phone of person.phones) {
      const done = await erase({ phone: `0${phone.slice(3)}` });
      expect(done.last).toMatchObject({ failed: 0, kept: [], next: null });
      erased += done.erased;
    }
    expect(erased).toBe(4);
    expect(await placesOf(person)).toEqual([]);
    expect(await clientOf('paid').read()).toBeNull();
    for (const table of ['dead_letters', 'manual_receipts', 'customer_request_payments']) {
      expect([table, (await databaseRows())[table]?.length ?? 0]).toEqual([table, 0]);
    }

    // The search can fail: a copy in any one place is found.
    await env.DB.prepare(
      `INSERT INTO failing_endpoints (merchant_id, environment, endpoint, failing_since_ms,
      last_failure_at_ms, last_error) VALUES ('m', 'sandbox', ?1, 1, 1, 'x')`,
    )
      .bind(`https://x.example/?p=%2B${PHONE}`)
      .run();
    expect(await placesOf(person)).toEqual(['D1 failing_endpoints']);
  },
);

/** A payment of the customer with PHONE that was paid now, with its events delivered. */
async function paidNow(uniqueId = 'paid'): Promise<void> {
  deliverEvents();
  const customerInfo = { phone: PHONE.slice(3), email: EMAIL };
  await payHosted({ paymentIntentUniqueId: uniqueId, customerInfo });
  await work();
  await settle([clientOf(uniqueId)]);
}

const phone = PHONE;
const hold = (uniqueId: string, body: object) =>
  operateApi(`/payments/sandbox/${ALPHA.id}/${uniqueId}/hold`, body);

describe('a payment is kept', () => {
  test('while the merchant may still refund it, and then the daily run erases it', async () => {
    await paidNow();
    const { last } = await erase({ phone });
    expect(last).toMatchObject({ erased: 0, kept: [{ reason: 'refundable', payments: 1 }] });
    const untilAtMs = last.kept[0]?.untilAtMs ?? 0;
    advance(untilAtMs - Date.now() - HOUR_MS);
    await daily();
    expect(await clientOf('paid').read()).not.toBeNull();
    advance(2 * HOUR_MS);
    await daily();
    expect(await clientOf('paid').read()).toBeNull();
    expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toEqual([]);
    const { items } = await content<{ items: readonly CustomerRequest[] }>(
      operateApi('/customers/requests'),
    );
    expect(items).toMatchObject([{ id: last.request, erased: 1, kept: [] }]);
    expect(items[0]?.finishedAtMs).not.toBeNull();
  });

  test('30 days after its last change even if the merchant refunds it no more', async () => {
    await paidNow();
    const { last } = await erase({ phone, refundableToo: true });
    expect(last.kept).toMatchObject([{ reason: 'late_report' }]);
    advance(31 * DAY_MS);
    expect((await erase({ phone, refundableToo: true })).erased).toBe(1);
  });

  test('while it is open, and while its provider has not said the outcome', async () => {
    deliverEvents();
    const customerInfo = { phone: PHONE.slice(3) };
    await createHosted({ paymentIntentUniqueId: 'open', customerInfo });
    await createHosted({ paymentIntentUniqueId: 'unresolved', customerInfo });
    await clientOf('unresolved').execute([startRedirect('a0', Date.now() + HOUR_MS)]);
    await settle([clientOf('open'), clientOf('unresolved')]);
    await settle([clientOf('open'), clientOf('unresolved')]);
    const { last } = await erase({ phone, refundableToo: true });
    expect(last).toMatchObject({ erased: 1, failed: 0 });
    expect(last.kept).toMatchObject([{ reason: 'needs_attention', payments: 1, untilAtMs: null }]);
  });

  test('while it needs more attention than an operator has reviewed', async () => {
    deliverEvents();
    await createHosted({ customerInfo: { phone: PHONE.slice(3) } });
    for (const id of ['a1', 'a2']) {
      await clientOf().execute([startRedirect(id), resolveAttempt(id, 'failed')]);
    }
    const review = () =>
      operateApi(`/payments/sandbox/${ALPHA.id}/order-1/review`, { note: 'Seen' });
    for (const id of ['a1', 'a2']) {
      expect((await review()).status).toBe(200);
      await clientOf().execute([refuseCallback(id)]);
      await settle([clientOf()]);
    }
    advance(WINDOW_MS);
    const { last } = await erase({ phone });
    expect(last).toMatchObject({ erased: 0, kept: [{ reason: 'needs_attention', payments: 1 }] });
    expect((await review()).status).toBe(200);
    advance(2 * DAY_MS);
    expect((await erase({ phone })).erased).toBe(1);
  });

  test('while an operator holds it, and the hold outlives retention until it is released', async () => {
    await paidNow();
    expect((await hold('paid', { reason: 'Court order 12' })).status).toBe(200);
    await settle([clientOf('paid')]);
    advance(WINDOW_MS);
    expect((await erase({ phone })).last.kept).toMatchObject([
      { reason: 'legal_hold', payments: 1, untilAtMs: null },
    ]);
    advance(400 * DAY_MS);
    await fireAlarm('paid');
    await booksReport();
    expect(await clientOf('paid').read()).not.toBeNull();
    expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toContain('book payment');
    const release = `/payments/sandbox/${ALPHA.id}/paid/release`;
    expect((await operateApi(release, { reason: 'Case closed' })).status).toBe(200);
    await booksAreFed(caught);
    expect(await bookSql('SELECT until_ms FROM payment_hold')).toEqual([{ until_ms: Date.now() }]);
    await fireAlarm('paid');
    await fireAlarm('paid');
    advance(DAY_MS);
    await booksReport();
    await daily();
    expect(await clientOf('paid').read()).toBeNull();
    expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toEqual([]);
  });

  test('through the day of a hold that ends by itself', async () => {
    await paidNow();
    const until = new Date(Date.now() + 500 * DAY_MS).toISOString().slice(0, 10);
    expect((await hold('paid', { reason: 'Court order 12', until })).status).toBe(200);
    await settle([clientOf('paid')]);
    advance(499 * DAY_MS);
    await fireAlarm('paid');
    expect(await clientOf('paid').read()).not.toBeNull();
    advance(2 * DAY_MS);
    await fireAlarm('paid');
    expect(await clientOf('paid').read()).toBeNull();
  });
});

test('an operator holds and releases a payment on the desk, and its merchant does not see it', async () => {
  await paidNow();
  const desk = deskOf('Hana');
  const page = `/operator/payments/sandbox/${ALPHA.id}/paid`;
  expect(await desk.pageOf(page)).toContain(`${page}/hold`);
  expect(
    await desk.change(`${page}/hold`, { reason: 'Court order 12', until: '2089-01-01' }),
  ).toContain('wrong=until');
  expect(await desk.change(`${page}/hold`, { reason: 'Court order 12', until: '' })).toContain(
    'done=held',
  );
  const held = await desk.pageOf(page);
  expect(held).toContain('Court order 12');
  expect(held).toContain('until it is released');
  expect(await desk.change(`${page}/release`, { reason: 'Case closed' })).toContain(
    'done=released',
  );
  expect(await desk.pageOf(page)).not.toContain('Court order 12');
  const entries = (await auditLog()).filter(({ action }) => /^payment\.h/.test(action));
  expect(entries.map(({ merchant_id }) => merchant_id)).toEqual([null, null]);
});

describe('a crash during an erasure', () => {
  const CRASH = 'the process ended';

  test.each<[string, () => { mockRestore(): void }]>([
    [
      'before the object is asked',
      () =>
        vi.spyOn(PaymentIntentObject.prototype, 'erase').mockImplementation(() => {
          throw plantedError(CRASH);
        }),
    ],
    [
      'after the object, before the parts of the backup',
      () =>
        vi.spyOn(MerchantBook.prototype, 'settleBackup').mockImplementation(() => {
          throw plantedError(CRASH);
        }),
    ],
    [
      'after the parts of the backup, before the rows of the database',
      () => {
        const batch = env.DB.batch.bind(env.DB);
        return vi.spyOn(env.DB, 'batch').mockImplementation(async (statements) => {
          if ((await clientOf('paid').read()) === null) {
            throw plantedError(CRASH);
          }
          return batch(statements) as never;
        });
      },
    ],
    [
      'after the rows of the database, before the book',
      () =>
        vi.spyOn(MerchantBook.prototype, 'erase').mockImplementation(() => {
          throw plantedError(CRASH);
        }),
    ],
    [
      'after the book, before the request is told',
      () => {
        const batch = env.DB.batch.bind(env.DB);
        return vi.spyOn(env.DB, 'batch').mockImplementation(async (statements) => {
          const rows = await bookSql("SELECT id FROM payment WHERE search_keys <> '[]'");
          if (rows.length === 0) {
            throw plantedError(CRASH);
          }
          return batch(statements) as never;
        });
      },
    ],
  ])('%s, is completed by the same command', async (_when, crash) => {
    await paidNow();
    expect(await bookOf(env, tenantOf(ALPHA), 0).backUp()).toBe(true);
    expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toContain('bucket');
    advance(WINDOW_MS);
    const crashed = crash();
    await operateApi('/customers/erase', { ...REASON, phone });
    crashed.mockRestore();
    const { last } = await erase({ phone });
    expect(last).toMatchObject({ failed: 0, next: null });
    expect(await clientOf('paid').read()).toBeNull();
    // What the last crash left is only the request's own row, which the daily run ends.
    advance(DAY_MS);
    await daily();
    expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toEqual([]);
    expect((await databaseRows()).customer_request_payments ?? []).toEqual([]);
    expect((await auditLog()).filter(({ action }) => action === 'payment.erased')).toHaveLength(1);
  });
});

test('a payment is erased whose rebuilt book has given it another row of its millisecond', async () => {
  await paidNow();
  const [row] = await bookSql<{ id: number }>('SELECT id FROM payment');
  const id = row?.id ?? 0;
  await bookOf(env, tenantOf(ALPHA), 0).erase(id % 2 === 0 ? id + 1 : id - 1, 'paid');
  expect(await bookSql('SELECT search_keys, sealed_details FROM payment')).toEqual([
    { search_keys: '[]', sealed_details: null },
  ]);
});

test('a delayed message of the payment brings nothing back into the book', async () => {
  await paidNow();
  await clientOf('paid').republish();
  const late = caught.projections.at(-1);
  advance(WINDOW_MS);
  await erase({ phone });
  expect(late).toBeDefined();
  await bookStub().apply(late as NonNullable<typeof late>);
  expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toEqual([]);
});

test('the search goes on through more books than one request asks', async () => {
  await paidNow();
  for (let index = 0; index < 70; index += 1) {
    await runSql(
      createMerchant({ id: `a-${index}`, name: 'Shop', methods: [], createdAtMs: Date.now() }),
    );
  }
  advance(WINDOW_MS);
  const first = await content<ErasedPage>(operateApi('/customers/erase', { ...REASON, phone }));
  expect(first).toMatchObject({ erased: 0 });
  expect(first.next).not.toBeNull();
  expect((await erase({ phone })).erased).toBe(1);
});

test('an interrupted search is shown as such, and recognized when it is repeated', async () => {
  await paidNow();
  advance(WINDOW_MS);
  const asked = { ...REASON, phone };
  vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementationOnce(() => {
    throw new Error('away');
  });
  expect((await operateApi('/customers/erase', asked)).status).toBeGreaterThanOrEqual(500);
  const requests = () =>
    content<{ items: readonly CustomerRequest[] }>(operateApi('/customers/requests'));
  expect((await requests()).items).toMatchObject([{ searchedAtMs: null, finishedAtMs: null }]);
  await erase({ phone: '+251 91 122 33 44' });
  const { items } = await requests();
  expect(items).toHaveLength(1);
  expect(items[0]?.finishedAtMs).not.toBeNull();
});

test('the audit log says who, when, how many and why, and names no customer', async () => {
  await paidNow();
  advance(WINDOW_MS);
  await erase({ email: EMAIL.toUpperCase(), reason: `Request 12 of 0${PHONE.slice(3)}` });
  const entries = (await auditLog()).filter(({ action }) => /erase|erasure/.test(action));
  expect(entries.map(({ action }) => action).sort()).toEqual([
    'customer.erasure_requested',
    'payment.erased',
  ]);
  expect(JSON.stringify(entries)).toContain('Request 12 of …');
  expect(await placesOf({ phones: [PHONE], email: EMAIL, name: NAME })).toEqual([]);
});

test('an export has all that is stored about the customer, and what is kept elsewhere', async () => {
  await customersPayments(SCENES[0] as Scene);
  const page = await content<CustomersPage>(operateApi('/customers/export', { ...REASON, phone }));
  expect(page.payments.map(({ uniqueId }) => uniqueId).sort()).toEqual(
    ['by-hand', 'canceled', 'order-1', 'paid'].sort(),
  );
  const paid = page.payments.find(({ uniqueId }) => uniqueId === 'paid');
  expect(paid).toMatchObject({
    environment: 'sandbox',
    payment: { customer: { name: NAME, email: EMAIL }, refunds: [{ returnedMinor: 100 }] },
    undeliveredMessages: [{ kind: 'result', message: { type: 'result' } }],
  });
  expect(paid?.events.map(({ receiver }) => receiver)).toContain('https://shop.example.com');
  const byHandPayment = page.payments.find(({ uniqueId }) => uniqueId === 'by-hand');
  expect(byHandPayment).toMatchObject({ reviews: [{ note: 'Seen' }], recordedReceipts: [{}] });
  expect(page.elsewhere.length).toBeGreaterThan(0);
  const entries = (await auditLog()).filter(({ action }) => action === 'customer.exported');
  expect(entries.map(({ detail }) => JSON.parse(detail))).toEqual([
    { payments: 4, reason: 'Request 12' },
  ]);
});

test.each([
  [{}, 'phone'],
  [{ phone: '0911', reason: 'x' }, 'phone'],
  [{ phone, email: EMAIL }, 'email'],
  [{ phone, after: 'x' }, 'after'],
])('refuses %j without asking a book', async (fields, wrong) => {
  const reached = vi.spyOn(env.MERCHANT_BOOK, 'get');
  const answer = await operateApi('/customers/erase', { ...REASON, ...fields });
  expect(Object.keys(answer.envelope.validationErrors ?? {})).toEqual([wrong]);
  expect(reached).not.toHaveBeenCalled();
});
