import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import { idSearchKey } from '../../../src/engine/domain/search-key.ts';
import { parseCursor } from '../../../src/kit/platform/paging.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import { applyAll, projectionMessage, TENANTS } from '../book/fixture.ts';
import {
  ALPHA,
  advance,
  allPages,
  answerOf,
  booksAreFed,
  call,
  contentOf,
  createExpress,
  createHosted,
  DAY_MS,
  execute,
  MINUTE_MS,
  type Page,
  payHosted,
  postHosted,
  resolveAttempt,
  startRedirect,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: GET …/intents answers exactly the payments that match every filter, newest first, of the
 * key's own merchant and environment (docs/lists.md#lists). Method: payments made by the API, and rows
 * in numbers for the pages.
 */

const caught = useGateway();
const PATH = '/api/v1/payment/sandbox/intents';

interface Item {
  readonly uniqueId: string;
}

function list(query: Readonly<Record<string, string>> = {}, apiKey = ALPHA.apiKeys.sandbox) {
  return contentOf<Page<Item>>(call(`${PATH}?${new URLSearchParams(query)}`, { apiKey }));
}

async function idsOf(query: Readonly<Record<string, string>> = {}): Promise<string[]> {
  return (await list(query)).data.map(({ uniqueId }) => uniqueId);
}

async function project(): Promise<void> {
  await expect.poll(() => caught.projections.length).toBeGreaterThan(0);
  await applyAll(caught.projections.splice(0));
}

async function statusNow() {
  return (await answerOf(call(statusPath('order-1')))).envelope.content;
}

const isoAfter = (ms: number) => new Date(Date.now() + ms).toISOString();

test('shows a payment by the names of the payment object', async () => {
  await payHosted({
    metadata: { cart: '8841', note: 'ሰላም "1"' },
    customerInfo: { phone: '911223344' },
  });
  await project();
  const { data, ...page } = await list();
  expect(page).toEqual({ hasMore: false, nextCursor: null });
  const read = await answerOf(call('/api/v1/payment/sandbox/intent/order-1'));
  const payment = read.envelope.content as Record<string, unknown>;
  const { createdAt, updatedAt, endedAt, paidAt, ...others } = data[0] as unknown as Record<
    string,
    unknown
  >;
  const { transactionId, paymentType, receipt, providerReference, ...shared } = others;
  expect(payment).toMatchObject(shared);
  expect(payment.transaction).toMatchObject({
    ...{ transactionId, paymentType, receipt, providerReference },
  });
  expect([createdAt, updatedAt, endedAt, paidAt]).toEqual([
    payment.creationDate,
    payment.lastUpdateDate,
    payment.lastUpdateDate,
    payment.lastUpdateDate,
  ]);
  expect(payment.paidAt).toBe(paidAt);
  expect(shared).toMatchObject({ status: 'SUCCESS', metadata: { cart: '8841', note: 'ሰላም "1"' } });
});

test.each([
  ['as the provider named them', 'RAIL-7', 'RAIL-7'],
  ['without a reference that contains the phone', 'ws_CO_23112026911223344', null],
])(
  'shows receipt and reference of the paid attempt, %s',
  async (_name, railReference, providerReference) => {
    await createHosted({ customerInfo: { phone: '911223344' } });
    await execute(
      startRedirect('a0'),
      { type: 'accept_attempt', attemptId: 'a0', redirectUrl: null, railReference },
      {
        type: 'resolve_attempt',
        attemptId: 'a0',
        outcome: { type: 'succeeded', receipt: 'RECEIPT-7' },
      },
    );
    await project();
    const transaction = { transactionId: 'REFA0', receipt: 'RECEIPT-7', providerReference };
    expect((await list()).data).toMatchObject([transaction]);
    const read = await answerOf(call('/api/v1/payment/sandbox/intent/order-1'));
    expect(read.envelope.content).toMatchObject({ transaction });
  },
);

test('finds a late payment by the time when it was paid, and still by its end', async () => {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(DAY_MS);
  expect(await statusNow()).toMatchObject({ status: 'EXPIRED', paidAt: null });
  const endedAt = isoAfter(0);
  const ofEnd = { endedFrom: endedAt, endedTo: isoAfter(MINUTE_MS) };
  advance(2 * DAY_MS);
  const paidAt = isoAfter(0);
  const ofPayment = { paidFrom: paidAt, paidTo: isoAfter(MINUTE_MS) };
  await execute(resolveAttempt('a0', 'succeeded'));
  advance(DAY_MS);
  await execute(resolveAttempt('a0', 'succeeded'));
  await project();
  expect((await list({ status: 'SUCCESS', ...ofPayment })).data).toMatchObject([
    { uniqueId: 'order-1', late: true, endedAt, paidAt },
  ]);
  expect(await statusNow()).toMatchObject({ status: 'SUCCESS', paidAt });
  // The end that was announced does not move.
  expect(await idsOf(ofEnd)).toEqual(['order-1']);
  expect(await idsOf({ ...ofPayment, ...ofEnd })).toEqual(['order-1']);
  for (const query of [{ paidFrom: ofPayment.paidTo }, { paidTo: paidAt }]) {
    expect(await idsOf(query)).toEqual([]);
  }
  expect(await idsOf({ ...ofPayment, endedTo: endedAt })).toEqual([]);
});

/** Three payments a minute apart, the last one first in lists. */
async function scene(): Promise<readonly string[]> {
  const starts: string[] = [];
  const at = () => starts.push(isoAfter(0));
  at();
  await payHosted({
    paymentIntentUniqueId: 'paid',
    metadata: { branch: 'Bole', cart: '1' },
    paymentLinkUniqueId: 'Stall 0911223344',
    customerInfo: { phone: '911223344' },
  });
  advance(MINUTE_MS);
  at();
  await createHosted({
    paymentIntentUniqueId: 'open',
    metadata: { branch: 'Bole', cart: '2' },
    paymentLinkUniqueId: 'Bole',
  });
  advance(MINUTE_MS);
  at();
  await createExpress({
    paymentIntentUniqueId: 'express',
    method: 'M_PESA',
    phoneNumber: '0733445566',
    metadata: { branch: 'Piassa' },
    // Its outcome waits for the customer, so that the book shows it at once.
    testMode: { testModeType: 'ACTUAL_TEST' },
  });
  await project();
  return starts;
}

type Query = Readonly<Record<string, string>>;

const FILTERS: readonly (readonly [string, (times: readonly string[]) => Query, string[]])[] = [
  ['nothing', () => ({}), ['express', 'open', 'paid']],
  ['a status', () => ({ status: 'SUCCESS' }), ['paid']],
  ['another status', () => ({ status: 'OPEN' }), ['open']],
  ['a method', () => ({ method: 'M_PESA' }), ['express']],
  ['created from, inclusive', (at) => ({ createdFrom: at[1] ?? '' }), ['express', 'open']],
  ['created to, exclusive', (at) => ({ createdTo: at[1] ?? '' }), ['paid']],
  [
    'a time of another zone',
    () => ({ createdFrom: '2080-01-01T03:00:00+03:00' }),
    ['express', 'open', 'paid'],
  ],
  ['ended from', (at) => ({ endedFrom: at[0] ?? '' }), ['paid']],
  ['ended before', (at) => ({ endedTo: at[0] ?? '' }), []],
  ['ended and created', (at) => ({ endedFrom: at[0] ?? '', createdFrom: at[1] ?? '' }), []],
  ['paid from', (at) => ({ paidFrom: at[0] ?? '' }), ['paid']],
  ['paid before', (at) => ({ paidTo: at[0] ?? '' }), []],
  ['metadata and paid', (at) => ({ 'metadata[branch]': 'Bole', paidFrom: at[0] ?? '' }), ['paid']],
  ["the customer's phone", () => ({ customerPhone: '0911 22 33 44' }), ['paid']],
  ["an attempt's phone", () => ({ customerPhone: '+251733445566' }), ['express']],
  ['a phone of nobody', () => ({ customerPhone: '0911223345' }), []],
  ['an entry of metadata', () => ({ 'metadata[branch]': 'Bole' }), ['open', 'paid']],
  ['two entries', () => ({ 'metadata[branch]': 'Bole', 'metadata[cart]': '2' }), ['open']],
  ['entries of two payments', () => ({ 'metadata[branch]': 'Piassa', 'metadata[cart]': '2' }), []],
  ['another value', () => ({ 'metadata[branch]': 'bole' }), []],
  ['a link', () => ({ paymentLinkUniqueId: 'Stall 0911223344' }), ['paid']],
  ['a link in another case', () => ({ paymentLinkUniqueId: 'stall 0911223344' }), []],
  ['a link and a status', () => ({ paymentLinkUniqueId: 'Bole', status: 'OPEN' }), ['open']],
  ['a link and paid', () => ({ paymentLinkUniqueId: 'Bole', paidTo: isoAfter(0) }), []],
  [
    'phone and metadata',
    () => ({ customerPhone: '911223344', 'metadata[branch]': 'Bole' }),
    ['paid'],
  ],
  ['metadata and status', () => ({ 'metadata[branch]': 'Bole', status: 'OPEN' }), ['open']],
  [
    'metadata and ended',
    (at) => ({ 'metadata[branch]': 'Bole', endedFrom: at[0] ?? '' }),
    ['paid'],
  ],
];

test('each filter finds its payments, and all of them together', async () => {
  const times = await scene();
  for (const [name, queryOf, expected] of FILTERS) {
    expect([name, await idsOf(queryOf(times))]).toEqual([name, expected]);
  }
});

describe('pages', () => {
  const COUNT = 25;

  test.each([
    ['by creation', {}],
    ['by end', { endedFrom: '1970-01-01T00:00:00Z' }],
  ])('%s: each payment once, in order, across equal times', async (_name, query) => {
    const rows = TENANTS.flatMap((tenant) =>
      Array.from({ length: COUNT }, (_, number) =>
        projectionMessage(tenant, number, {
          status: 'failed',
          createdAtMs: Math.floor(number / 3) * 1_000,
          endedAtMs: Math.floor(number / 3) * 1_000 + 500,
        }),
      ),
    );
    await applyAll(rows);
    const items = await allPages<Item>(PATH, { ...query, limit: '4' });
    expect(items.map(({ uniqueId }) => uniqueId)).toEqual(
      Array.from({ length: COUNT }, (_, index) => `order-${COUNT - 1 - index}`),
    );
  });

  test('twenty unless asked otherwise', async () => {
    const tenant = tenantOf(ALPHA);
    await applyAll(Array.from({ length: 21 }, (_, number) => projectionMessage(tenant, number)));
    expect((await list()).data).toHaveLength(20);
    expect((await list({ limit: '100' })).data).toHaveLength(21);
  });
});

test('a link finds no payment by another id of its text', async () => {
  const [tenant, searchKeys] = [tenantOf(ALPHA), [idSearchKey('refund-7')]];
  await applyAll([projectionMessage(tenant, 1, { status: 'failed' }, { searchKeys })]);
  expect(await idsOf({ paymentLinkUniqueId: 'refund-7' })).toEqual([]);
});

test('payments are found by phone and metadata while data keys rotate, each once', async () => {
  for (const paymentIntentUniqueId of ['old', 'both', 'new']) {
    await postHosted({ paymentIntentUniqueId, metadata: { branch: 'Bole' } });
    advance(MINUTE_MS);
  }
  const [old, both, young] = await booksAreFed(caught);
  if (old === undefined || both === undefined || young === undefined) {
    throw new Error('a projection is missing');
  }
  await applyAll([old, both]);
  const [first] = configOf(env).dataEncryptionKeys;
  const key = btoa('k'.repeat(32));
  const DATA_ENCRYPTION_KEYS = `next:${key},${env.DATA_ENCRYPTION_KEYS}`;
  const rotated = { ...env, DATA_ENCRYPTION_KEYS };
  expect(configOf(rotated).dataEncryptionKeys.map(({ keyId }) => keyId)).toEqual([
    'next',
    ...configOf(env).dataEncryptionKeys.map(({ keyId }) => keyId),
  ]);
  expect(first.keyId).not.toBe('next');
  const summaries = async (limit: number, after: string | null = null) => {
    const filter = { metadata: { branch: 'Bole' } };
    const cursor = after === null ? null : parseCursor(after);
    return (await readerOf(rotated, tenantOf(ALPHA))).summaries(filter, cursor, limit);
  };
  // As a projection under the new ring writes them: "both" has digests by either key.
  const { keyedDigest } = await import('../../../src/kit/crypto/keyed-digest.ts');
  const [next] = configOf(rotated).dataEncryptionKeys;
  const owner = `sandbox/${ALPHA.id}`;
  const digest = await keyedDigest(next, owner, 'metadata', 'branch=Bole');
  await applyAll([both, young].map((message) => ({ ...message, searchKeys: [`meta:${digest}`] })));
  const all = await summaries(10);
  expect(all.rows.map(({ uniqueId }) => uniqueId)).toEqual(['new', 'both', 'old']);
  expect(all.nextCursor).toBeNull();
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const page = await summaries(1, after);
    seen.push(...page.rows.map(({ uniqueId }) => uniqueId));
    if (page.nextCursor === null) {
      break;
    }
    after = page.nextCursor;
  }
  expect(seen).toEqual(['new', 'both', 'old']);
});

const BAD: readonly (readonly [string, string, Record<string, string>])[] = [
  ['a misspelled filter', 'stats=OPEN', { stats: 'unknown_field' }],
  [
    'a name of the prototype',
    'toString=1&__proto__=1',
    { toString: 'unknown_field', ['__proto__']: 'unknown_field' },
  ],
  ['metadata without a key', 'metadata=1', { metadata: 'unknown_field' }],
  ['an empty key', 'metadata[]=1', { metadata: 'invalid_format' }],
  ['a bad key', 'metadata[a b]=1', { metadata: 'invalid_format' }],
  ['a long value', `metadata[a]=${'x'.repeat(501)}`, { 'metadata.a': 'too_long' }],
  ['a repeated parameter', 'status=OPEN&status=FAILED', { status: 'duplicate' }],
  ['a repeated key', 'metadata[a]=1&metadata[a]=2', { 'metadata[a]': 'duplicate' }],
  ['an unknown status', 'status=open', { status: 'invalid_choice' }],
  ['an empty status', 'status=', { status: 'invalid_choice' }],
  ['an unknown method', 'method=CASH', { method: 'invalid_choice' }],
  ['a date without a time', 'createdFrom=2026-11-22', { createdFrom: 'invalid_format' }],
  ['a time without a zone', 'endedTo=2026-11-22T08:00:00', { endedTo: 'invalid_format' }],
  ['30 February', 'createdFrom=2026-02-30T00:00:00Z', { createdFrom: 'invalid_format' }],
  ['31 April', 'endedTo=2026-04-31T10:00:00%2B03:00', { endedTo: 'invalid_format' }],
  ['29 February', 'endedFrom=2027-02-29T23:00:00-05:00', { endedFrom: 'invalid_format' }],
  ['a month 13', 'createdTo=2026-13-01T00:00:00Z', { createdTo: 'invalid_format' }],
  [
    'a range that is empty',
    'createdFrom=2026-11-22T08:00:00Z&createdTo=2026-11-22T08:00:00Z',
    { createdTo: 'mismatch' },
  ],
  [
    'a range that ends before it starts',
    'endedFrom=2026-11-22T08:00:00Z&endedTo=2026-11-21T08:00:00Z',
    { endedTo: 'mismatch' },
  ],
  ['no rows', 'limit=0', { limit: 'invalid_format' }],
  ['too many rows', 'limit=101', { limit: 'invalid_format' }],
  ['a limit that is no number', 'limit=ten', { limit: 'invalid_format' }],
  ['an invented cursor', 'cursor=abc', { cursor: 'invalid_format' }],
  ['an empty cursor', 'cursor=', { cursor: 'invalid_format' }],
  ['a phone that is none', 'customerPhone=12', { customerPhone: 'invalid_format' }],
  [
    'several faults',
    'status=x&limit=x&cursor=x',
    { status: 'invalid_choice', limit: 'invalid_format', cursor: 'invalid_format' },
  ],
];

test.each(BAD)('refuses %s', async (_name, query, codes) => {
  const { status, envelope } = await answerOf(call(`${PATH}?${query}`));
  expect(status).toBe(400);
  expect(envelope.code).toBe('validation_failed');
  expect(envelope.validationErrorCodes).toEqual(codes);
});
