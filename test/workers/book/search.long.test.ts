import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { attemptReferenceFrom, REFERENCE_LENGTH } from '../../../src/engine/domain/identifiers.ts';
import {
  CREATION_SHOWN_WITHIN_MS,
  PROGRESS_SHOWN_AFTER_MS,
} from '../../../src/engine/domain/schedule.ts';
import { idSearchKey, receiptSearchKey } from '../../../src/engine/domain/search-key.ts';
import { SEARCH_ROWS_MAX } from '../../../src/lists/book/queries/search.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import { bookSql } from '../support/book.ts';
import {
  ALPHA,
  advance,
  BETA,
  booksAreFed,
  clientOf,
  createExpress,
  createHosted,
  execute,
  fireAlarm,
  intentOf,
  lastEvent,
  logged,
  MINUTE_MS,
  postHosted,
  reportsAreSent,
  resolveAttempt,
  SECOND_MS,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';
import { applyAll, nameOf, projectionMessage, TENANTS } from './fixture.ts';

/**
 * Goal: a merchant finds its own payments by every id, its start or its end, and by the customer's phone,
 * name and e-mail, and no personal data is readable in the book. Method: payments made by the API,
 * their messages sent to the book, and a search through the text of its tables.
 */

const caught = useGateway();

const TENANT = tenantOf(ALPHA);
const CUSTOMER_PHONE = '911223344';
const ATTEMPT_PHONE = '251722334455';

const railReference = 'rail-session-0001';
const receipt = 'RCPT7XK2';
/** Without nine digits in a row, which could be a phone number. */
const RANDOM = Uint8Array.from({ length: REFERENCE_LENGTH }, (_, index) => 10 + index);

async function projectCaught(): Promise<void> {
  await expect.poll(() => caught.projections.length).toBeGreaterThan(0);
  await applyAll(caught.projections.splice(0));
}

/** A hosted payment with every kind of id, paid by telebirr from another phone. */
async function payment(changes: { readonly railReference?: string } = {}) {
  await createHosted({
    paymentLinkUniqueId: 'link-77',
    customerInfo: { name: 'Almaz Kebede', email: 'Almaz.K@Example.com', phone: CUSTOMER_PHONE },
    metadata: { driver: 'Tolosa Bekele' },
  });
  const start = startRedirect('a0');
  if (start.type !== 'start_attempt') {
    throw new Error('no attempt');
  }
  const { createdAtMs } = (await intentOf()).terms;
  const reference = attemptReferenceFrom(createdAtMs, 1, RANDOM);
  await execute({ ...start, attempt: { ...start.attempt, reference, phone: ATTEMPT_PHONE } });
  await execute({
    type: 'accept_attempt',
    attemptId: 'a0',
    redirectUrl: null,
    railReference,
    ...changes,
  });
  await execute({
    type: 'resolve_attempt',
    attemptId: 'a0',
    outcome: { type: 'succeeded', receipt },
  });
  await expect.poll(() => caught.projections.at(-1)?.row.status).toBe('succeeded');
  const intent = await intentOf();
  const transactionId = intent.attempts[0]?.reference ?? '';
  return { intent, transactionId, event: await lastEvent() };
}

async function found(text: string, tenant = TENANT, bindings: Env = env): Promise<string[]> {
  return (await (await readerOf(bindings, tenant)).search(text)).map(({ uniqueId }) => uniqueId);
}

type Paid = Awaited<ReturnType<typeof payment>>;

const TEXTS: readonly (readonly [string, (paid: Paid) => string])[] = [
  ['paymentIntentUniqueId', ({ intent }) => intent.terms.uniqueId],
  ['uuid', ({ intent }) => intent.terms.uuid],
  ['uuid in capitals', ({ intent }) => intent.terms.uuid.toUpperCase()],
  ['integer id', ({ intent }) => String(intent.terms.number)],
  ['transactionId', ({ transactionId }) => transactionId],
  ["the rail's reference", () => railReference],
  ["the rail's receipt", () => receipt],
  ['paymentLinkUniqueId', () => 'link-77'],
  ['event id', ({ event }) => event.eventId],
  ['text with surrounding spaces', () => `  ${receipt}\n`],
  ...[8, 12, 19].map(
    (length) =>
      [
        `the first ${length} characters of the transactionId`,
        ({ transactionId }: Paid) => transactionId.slice(0, length),
      ] as const,
  ),
  ...['er-1', 'rder-1', 'session-0001', '7XK2', '-77'].map(
    (end) => [`an id that ends with ${end}`, () => end] as const,
  ),
  ...['ord', 'order-', 'rail-sess', 'RCPT7XK', 'link-7'].map(
    (start) => [`an id that starts with ${start}`, () => start] as const,
  ),
  ...['Almaz', 'kebede', 'ALMAZ KEBEDE', 'Kebede, Almaz'].map(
    (name) => [`the customer's name as ${name}`, () => name] as const,
  ),
  ...['almaz.k@example.com', ' ALMAZ.K@EXAMPLE.COM'].map(
    (email) => [`the customer's e-mail as ${email}`, () => email] as const,
  ),
  ...['911223344', '0911223344', '251911223344', '+251911223344', '+251 (0)91-122-33 44'].map(
    (phone) => [`the customer's phone as ${phone}`, () => phone] as const,
  ),
  ...['722334455', '0722334455', '251722334455', '+251722334455'].map(
    (phone) => [`an attempt's phone as ${phone}`, () => phone] as const,
  ),
  ...['3344', '…3344', '****3344', ' 4455 '].map(
    (end) => [`the end of a phone as ${end}`, () => end] as const,
  ),
];

describe('a payment is found by each of its ids', () => {
  test.each(TEXTS)('%s, by its own merchant only', async (_name, textOf) => {
    const paid = await payment();
    // Both tenants have a payment, so that an empty result is not due to missing rows.
    const byBeta = { apiKey: BETA.apiKeys.sandbox };
    expect((await postHosted({ paymentIntentUniqueId: 'of-beta' }, byBeta)).status).toBe(200);
    // Books show an event that is not sent yet only after some seconds.
    advance(MINUTE_MS);
    await projectCaught();
    const text = textOf(paid);
    for (const tenant of TENANTS) {
      const isOwn = nameOf(tenant) === nameOf(TENANT);
      expect(await found(text, tenant), nameOf(tenant)).toEqual(isOwn ? ['order-1'] : []);
    }
  });
});

test("an event's id finds no payment of the other environment with the same unique id", async () => {
  const { event } = await payment();
  const live = tenantOf(ALPHA, 'production');
  advance(MINUTE_MS);
  await projectCaught();
  expect(await found(event.eventId)).toEqual(['order-1']);
  await applyAll([projectionMessage(live, 1)]);
  expect(await found('order-1', live)).toEqual(['order-1']);
  expect(await found(event.eventId, live)).toEqual([]);
});

test('each transactionId finds its payment, without a term for the whole of it', async () => {
  await createHosted();
  const { createdAtMs } = (await intentOf()).terms;
  // The second has nine digits that could be a phone number.
  const references = [RANDOM, RANDOM.map(() => 7)].map((random) =>
    attemptReferenceFrom(createdAtMs, 1, random),
  );
  for (const [index, reference] of references.entries()) {
    const start = startRedirect(`a${index}`);
    await execute(
      start.type === 'start_attempt'
        ? { ...start, attempt: { ...start.attempt, reference } }
        : start,
      resolveAttempt(`a${index}`, index === 0 ? 'failed' : 'succeeded'),
    );
  }
  await projectCaught();
  for (const reference of references) {
    expect(await found(reference)).toEqual(['order-1']);
    expect(await found(reference.slice(0, 12))).toEqual(['order-1']);
  }
  const another = attemptReferenceFrom(createdAtMs, 1, RANDOM.with(REFERENCE_LENGTH - 1, 2));
  const later = attemptReferenceFrom(createdAtMs + SECOND_MS, 1, RANDOM);
  for (const wrong of [another, later]) {
    expect(await found(wrong)).toEqual([]);
  }
  const exact = await bookSql("SELECT term FROM payment_search_term WHERE term LIKE 'id:%'");
  const { number } = (await intentOf()).terms;
  expect(exact).toEqual([{ term: `id:${number}` }, { term: 'id:order-1' }]);
});

test('an express payment is also found by its phone', async () => {
  await createExpress({ method: 'M_PESA', phoneNumber: '+251733445566' });
  advance(CREATION_SHOWN_WITHIN_MS);
  await fireAlarm();
  await projectCaught();
  expect(await found('0733445566')).toEqual(['order-1']);
  expect(await found('0733445567')).toEqual([]);
});

test('no personal data is readable in the book, in a message or in a log', async () => {
  await payment();
  await reportsAreSent();
  const messages = JSON.stringify(caught.projections);
  await projectCaught();
  const rows = ['payment', 'delivery', 'payment_search_term'].map((table) =>
    bookSql(`SELECT * FROM ${table}`),
  );
  const stored = JSON.stringify(await Promise.all(rows));
  // Proves that the search would find it: the keys of this payment are found.
  expect(stored).toContain(receiptSearchKey(receipt));
  expect(stored).toContain('phone:');
  expect(stored).toContain('meta:');
  for (const text of [messages, stored, logged.join('\n')]) {
    expect(text).not.toContain('911223344');
    expect(text).not.toContain('722334455');
    for (const word of ['almaz', 'kebede', '@example', 'tolosa']) {
      expect(text.toLowerCase()).not.toContain(word);
    }
  }
});

/** Like M-PESA's CheckoutRequestID: the time, some digits and the customer's phone. */
const phoneBearingId = `ws_CO_0412209001024714${ATTEMPT_PHONE.slice(3)}`;

test('a rail reference that contains the phone finds the payment, and is not readable either', async () => {
  await payment({ railReference: phoneBearingId });
  await reportsAreSent();
  const messages = JSON.stringify(caught.projections);
  await projectCaught();
  const rows = [
    await bookSql('SELECT * FROM payment'),
    await bookSql('SELECT * FROM payment_search_term'),
  ];
  for (const text of [messages, JSON.stringify(rows)]) {
    expect(text).not.toContain(ATTEMPT_PHONE.slice(3));
  }
  expect(await found(phoneBearingId)).toEqual(['order-1']);
  expect(await found(phoneBearingId.replace('4714', '4715'))).toEqual([]);
});

test("the rail's reference is found although its callback arrived before the answer that names it", async () => {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  await projectCaught();
  await execute({ type: 'accept_attempt', attemptId: 'a0', redirectUrl: null, railReference });
  await projectCaught();
  expect(await found(railReference)).toEqual(['order-1']);
});

test('one batch with both messages of a version keeps the id that only the later message has', async () => {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  await execute({ type: 'accept_attempt', attemptId: 'a0', redirectUrl: null, railReference });
  const [before, after] = (await booksAreFed(caught)).slice(-2);
  if (before === undefined || after === undefined) {
    throw new Error('the messages were not sent');
  }
  expect(after.intentVersion).toBe(before.intentVersion);
  for (const batch of [
    [before, after],
    [after, before],
  ]) {
    await applyAll(batch);
    expect(await found(railReference)).toEqual(['order-1']);
  }
});

test('a name is found in other Ethiopic spellings of its sounds, and only by all typed words', async () => {
  await createHosted({ customerInfo: { name: 'ፀሐይ ኃይሉ' } });
  await projectCaught();
  for (const name of ['ፀሐይ', 'ጸሀይ ሃይሉ', 'ኀይሉ ፀሐይ']) {
    expect(await found(name), name).toEqual(['order-1']);
  }
  expect(await found('ፀሐይ አበበ')).toEqual([]);
});

test('many ids with the same start do not hide the payment of exactly this id', async () => {
  const many = Array.from({ length: SEARCH_ROWS_MAX + 10 }, (_, number) =>
    projectionMessage(TENANT, number, { uniqueId: `shop-1${number === 0 ? '' : number}` }),
  );
  await applyAll(many);
  const ids = await found('shop-1');
  expect(ids).toHaveLength(SEARCH_ROWS_MAX);
  expect(ids).toContain('shop-1');
});

test("a file keeps the provider's reference, when either of two messages of a version comes last", async () => {
  await createHosted({ customerInfo: { name: 'Almaz' } });
  await execute(startRedirect('a0'));
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
  await execute({ type: 'accept_attempt', attemptId: 'a0', redirectUrl: null, railReference });
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
  const [before, after] = (await booksAreFed(caught)).slice(-2);
  if (before === undefined || after === undefined) {
    throw new Error('the messages were not sent');
  }
  expect(after.intentVersion).toBe(before.intentVersion);
  for (const order of [
    [before, after],
    [after, before],
  ]) {
    await applyAll(order);
    const [row] = (await (await readerOf(env, TENANT)).exported({}, null)).rows;
    expect(row?.details).toEqual({ providerReference: railReference, customerName: 'Almaz' });
    expect(row?.transactionId).toBe('REFA0');
  }
});

test('sealing the same details again gives the same row', async () => {
  await createHosted({ customerInfo: { name: 'Almaz' } });
  await clientOf().republish();
  await reportsAreSent();
  const [first, again] = caught.projections;
  expect(again?.sealedDetails).toBe(first?.sealedDetails);
  await createHosted({ paymentIntentUniqueId: 'order-2', customerInfo: { name: 'Almaz' } });
  await reportsAreSent();
  expect(caught.projections.at(-1)?.sealedDetails).not.toBe(first?.sealedDetails);
});

test('one phone has different keys for two tenants', async () => {
  const customerInfo = { phone: CUSTOMER_PHONE };
  await createHosted({ customerInfo });
  await postHosted({ customerInfo }, { apiKey: BETA.apiKeys.sandbox });
  await expect.poll(() => caught.projections.length).toBe(2);
  const [one, other] = caught.projections.map(({ searchKeys }) => searchKeys);
  // That of the number and that of its end.
  expect(new Set([...(one ?? []), ...(other ?? [])]).size).toBe(4);
});

test('after a key rotation old payments are still found, and new ones by the new key', async () => {
  await createHosted({ customerInfo: { phone: CUSTOMER_PHONE } });
  await projectCaught();
  const fresh = btoa('n'.repeat(32));
  const rotated = { ...env, DATA_ENCRYPTION_KEYS: `t2:${fresh},${env.DATA_ENCRYPTION_KEYS}` };
  const forgotten = { ...env, DATA_ENCRYPTION_KEYS: `t2:${fresh}` };
  expect(await found(CUSTOMER_PHONE, TENANT, rotated)).toEqual(['order-1']);
  expect(await found(CUSTOMER_PHONE, TENANT, forgotten)).toEqual([]);
});

test.each([
  '',
  '   ',
  'or',
  'rder-',
  'order-11',
  'ORDER-1',
  "order-1' OR '1'='1",
  'id:order-1',
  'phone:',
  '%',
  '0',
  '99999999999999999999',
  'evt_',
  'x'.repeat(256),
  'order-1'.padEnd(1_000_000),
  '\0',
])('nothing is found by %.30j', async (text) => {
  await payment();
  await projectCaught();
  expect(await found(text)).toEqual([]);
});

test("an attempt in progress is found by its provider's reference, whose message has no own version", async () => {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
  await reportsAreSent();
  const before = caught.projections.at(-1);
  await execute({ type: 'accept_attempt', attemptId: 'a0', redirectUrl: null, railReference });
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm();
  await reportsAreSent();
  expect(caught.projections.at(-1)?.intentVersion).toBe(before?.intentVersion);
  // In both orders within a batch.
  const messages = await booksAreFed(caught);
  for (const batch of [messages, messages.toReversed()]) {
    await applyAll(batch);
    expect(await found(railReference)).toEqual(['order-1']);
  }
});

test('lists the newest first, up to the limit', async () => {
  const many = Array.from({ length: SEARCH_ROWS_MAX + 10 }, (_, number) =>
    projectionMessage(TENANT, number, {}, { searchKeys: [idSearchKey('link-1')] }),
  );
  await applyAll(many.toReversed());
  const numbers = (await (await readerOf(env, TENANT)).search('link-1')).map(
    ({ number }) => number,
  );
  expect(numbers).toEqual(Array.from({ length: SEARCH_ROWS_MAX }, (_, index) => 59 - index));
});

test('a payment that matches in two ways is found once', async () => {
  await applyAll([
    projectionMessage(TENANT, 7, { uniqueId: '7' }, { searchKeys: [idSearchKey('7')] }),
    projectionMessage(TENANT, 8, { uniqueId: 'other' }, { searchKeys: [idSearchKey('7')] }),
  ]);
  expect(await found('7')).toEqual(['other', '7']);
});

test('settling again adds no key twice', async () => {
  const { intent } = await payment();
  await execute(resolveAttempt('a0', 'succeeded'));
  await projectCaught();
  const [row] = await bookSql<{ search_keys: string }>('SELECT search_keys FROM payment');
  const keys: string[] = JSON.parse(row?.search_keys ?? '[]');
  expect(keys.filter((key) => key.startsWith('id:')).sort()).toEqual(
    ['link-77', railReference, intent.attempts[0]?.reference ?? ''].map(idSearchKey).sort(),
  );
});

test.each([
  ['open', 20],
  ['open', 120],
  ['failed', 20],
  // More terms begin with it than the index would read.
  ['failed', 120],
] as const)(
  'of many %s payments the newest of %d with a part of an id are found',
  async (status, count) => {
    const numbers = Array.from({ length: count }, (_, number) => number);
    await applyAll(
      numbers.map((number) =>
        projectionMessage(TENANT, number, { status, uniqueId: `cart-${number}-end` }),
      ),
    );
    const newest = numbers
      .map((number) => `cart-${number}-end`)
      .toReversed()
      .slice(0, SEARCH_ROWS_MAX);
    for (const part of ['cart-', '-end']) {
      expect(await found(part)).toEqual(newest);
    }
    expect(await found('cart-7-')).toEqual(['cart-7-end']);
    expect(await found('-7-end')).toEqual(['cart-7-end']);
    expect(await found('CART-7-')).toEqual([]);
    expect(await found('cart-7-end', tenantOf(BETA))).toEqual([]);
  },
);

test('two digits behind a dash are no receipt, and find no number that ends with them', async () => {
  await applyAll([projectionMessage(TENANT, 1_077, { uniqueId: 'order-of-a-number' })]);
  expect(await found('-77')).toEqual([]);
  expect(await found('077')).toEqual(['order-of-a-number']);
});
