import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { LINKS_MAX } from '../../../src/engine/links/payment-link.ts';
import { auditLog } from '../dashboard/support.ts';
import { askLinks, copyLinks, createLink, LINK, type LinkContent } from '../support/links.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  type Body,
  call,
  HOUR_MS,
  hostedBody,
  ORIGIN,
  SECOND_MS,
  tenantOf,
  useGateway,
} from '../support.ts';

/** Goal: a merchant's payment links by the API (docs/links.md): what they take, keep and refuse. */

useGateway();

const change = (body: Body, id = 'link-honey') => askLinks(`/${id}`, { method: 'PATCH', body });

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

interface LinkPage {
  readonly data: readonly LinkContent[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

const list = async (query = '') => (await askLinks(query)).content as unknown as LinkPage;

const SPLIT = { bank: 'CBE', creditAccount: '1000', splitType: 'PERCENTAGE', amount: 12.5 };

test('creates, reads, lists, changes and deactivates a link', async () => {
  const { status, content } = await createLink({
    description: 'White',
    askFor: { name: 'REQUIRED' },
  });
  expect(status).toBe(200);
  const now = new Date(Date.now()).toISOString();
  const expected = {
    paymentLinkUniqueId: 'link-honey',
    url: expect.stringMatching(/^http:\/\/localhost(?::\d+)?\/pay\/[\w-]{40,80}$/),
    title: 'Honey, 1 kg',
    description: 'White',
    amount: 450,
    openAmount: null,
    items: [],
    currency: 'ETB',
    methods: [],
    askFor: { name: 'REQUIRED', phone: 'NO', email: 'NO', note: 'NO' },
    commissionPaidByCustomer: false,
    splitPayment: [],
    validUntil: null,
    paymentsMax: null,
    paidText: null,
    returnUrl: null,
    callbackUrl: null,
    metadata: {},
    isActive: true,
    paymentsCount: null,
    createdAt: now,
    updatedAt: now,
  };
  expect({ ...content, url: content.url.replace(ORIGIN, 'http://localhost') }).toEqual(expected);
  expect((await askLinks('/link-honey')).content).toEqual(content);
  expect((await list()).data).toEqual([content]);

  advance(SECOND_MS);
  const changed = (await change({ title: 'Honey, 2 kg', amount: 900.5 })).content;
  const updatedAt = new Date(Date.now()).toISOString();
  expect(changed).toEqual({ ...content, title: 'Honey, 2 kg', amount: 900.5, updatedAt });
  const off = await askLinks('/link-honey/deactivate', { method: 'POST' });
  expect(off.content).toMatchObject({ isActive: false, url: content.url });
  expect(await askLinks('/link-honey/deactivate', { method: 'POST' })).toMatchObject({
    content: off.content,
  });
  expect((await change({ isActive: true })).content.isActive).toBe(true);
});

test('what a link answers can be sent back as a change, and changes nothing', async () => {
  const bodies: Body[] = [
    { amount: 19.99, splitPayment: [SPLIT, { ...SPLIT, splitType: 'NUMBER', amount: 1.1 }] },
    { amount: null, openAmount: { min: 10.05, max: 5_000, suggestions: [50, 99.99] } },
    { amount: null, items: [{ name: 'Bag', type: 'PHYSICAL_PRODUCT', price: 120.3 }] },
    { methods: ['CBE'], metadata: { cart: '1' }, validUntil: '2099-01-01T00:00:00Z' },
  ];
  for (const [index, body] of bodies.entries()) {
    const id = `link-${index}`;
    const { content } = await createLink({ ...body, paymentLinkUniqueId: id });
    const { paymentLinkUniqueId: _id, url: _url, ...others } = content;
    const { createdAt, updatedAt, paymentsCount: _count, ...sent } = others;
    expect([createdAt, updatedAt]).toEqual([updatedAt, createdAt]);
    expect((await change(sent, id)).content).toEqual(content);
  }
});

test('makes an id for a link without one', async () => {
  const { content } = await createLink({ paymentLinkUniqueId: null });
  expect(content.paymentLinkUniqueId).toMatch(/^lnk_[0-9a-f]{20}$/);
  expect((await askLinks(`/${content.paymentLinkUniqueId}`)).content).toEqual(content);
});

test('lists by pages, and filters by time and state', async () => {
  for (let index = 1; index <= 3; index += 1) {
    await createLink({ paymentLinkUniqueId: `ሊንክ ${index}` });
    advance(HOUR_MS);
  }
  await askLinks(`/${encodeURIComponent('ሊንክ 2')}/deactivate`, { method: 'POST' });
  const idsOf = ({ data }: LinkPage) => data.map((link) => link.paymentLinkUniqueId);
  expect(idsOf(await list())).toEqual(['ሊንክ 3', 'ሊንክ 2', 'ሊንክ 1']);
  expect(idsOf(await list('?isActive=true'))).toEqual(['ሊንክ 3', 'ሊንክ 1']);
  expect(idsOf(await list('?isActive=false'))).toEqual(['ሊንክ 2']);
  const from = new Date(Date.now() - 2.5 * HOUR_MS).toISOString();
  expect(idsOf(await list(`?createdFrom=${from}`))).toEqual(['ሊንክ 3', 'ሊንክ 2']);
  const first = await list('?limit=2');
  expect([idsOf(first), first.hasMore]).toEqual([['ሊንክ 3', 'ሊንክ 2'], true]);
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  expect([idsOf(second), second.hasMore]).toEqual([['ሊንክ 1'], false]);
  expect((await askLinks('?isActive=1')).status).toBe(400);
});

describe('decisions.md#8', () => {
  test('a repeat with the same key gets the first answer, even after a change', async () => {
    const first = await createLink({ paymentLinkUniqueId: null }, keyed('k'));
    await change({ title: 'Changed' }, first.content.paymentLinkUniqueId);
    const again = await createLink({ paymentLinkUniqueId: null }, keyed('k'));
    expect(again.content).toEqual(first.content);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await list()).data).toHaveLength(1);
    const entries = await auditLog();
    expect(entries.filter(({ action }) => action === 'payment_link.create_requested')).toHaveLength(
      1,
    );
  });

  test('the same key with another body is refused', async () => {
    await createLink({}, keyed('k'));
    expect(await createLink({ amount: 7 }, keyed('k'))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  test('of many at once with one key, one creates', async () => {
    const body = { paymentLinkUniqueId: null };
    const all = await Promise.all(Array.from({ length: 5 }, () => createLink(body, keyed('k'))));
    expect(new Set(all.map(({ content }) => content.paymentLinkUniqueId)).size).toBe(1);
    expect((await list()).data).toHaveLength(1);
  });

  test('a taken id is 409, and the link stays', async () => {
    const { content } = await createLink();
    expect(await createLink({ amount: 7 })).toMatchObject({
      status: 409,
      code: 'duplicate_payment_link_id',
    });
    expect((await askLinks('/link-honey')).content).toEqual(content);
  });
});

test('two changes at the same moment both count', async () => {
  await createLink();
  await Promise.all([change({ title: 'Wax' }), change({ amount: 7 }), change({ currency: 'USD' })]);
  expect((await askLinks('/link-honey')).content).toMatchObject({
    title: 'Wax',
    amount: 7,
    currency: 'USD',
  });
});

test('promises.md#8: another merchant and environment have links of their own', async () => {
  const { content } = await createLink();
  const apiKey = BETA.apiKeys.sandbox;
  const others = [
    { path: '/api/v1/payment/sandbox/links', apiKey },
    { path: '/api/v1/payment/links', apiKey: ALPHA.apiKeys.production },
  ];
  for (const { path, apiKey: other } of others) {
    const read = await answerOf(call(`${path}/link-honey`, { apiKey: other }));
    expect(read.envelope.code).toBe('payment_link_not_found');
    const body = { ...LINK, amount: 7 };
    const made = await answerOf(call(path, { method: 'POST', apiKey: other, body }));
    expect(made.envelope.content).toMatchObject({ paymentLinkUniqueId: 'link-honey', amount: 7 });
    expect((made.envelope.content as LinkContent).url).not.toBe(content.url);
  }
  expect((await askLinks('/link-honey')).content).toEqual(content);
});

test('decisions.md#54: each change is in the audit log by the name of the key, without texts', async () => {
  await createLink({ description: 'Call Abebe' });
  await createLink();
  await change({ title: 'Secret title' });
  await askLinks('/link-honey/deactivate', { method: 'POST' });
  const log = await auditLog();
  expect(log.map(({ action, target }) => [action, target])).toEqual([
    ['payment_link.create_requested', 'link-honey'],
    ['payment_link.create_requested', 'link-honey'],
    ['payment_link.create_requested', 'link-honey'],
    ['payment_link.change_requested', 'link-honey'],
    ['payment_link.change_requested', 'link-honey'],
  ]);
  expect(JSON.stringify(log)).toContain('taken');
  expect(JSON.stringify(log)).not.toMatch(/Abebe|Secret title/);
  const { results } = await env.DB.prepare('SELECT DISTINCT actor_kind FROM audit_log').all();
  expect(results).toEqual([{ actor_kind: 'api_key' }]);
});

test('the merchant’s last link is refused', async () => {
  await createLink();
  await copyLinks(tenantOf(ALPHA), LINKS_MAX - 1);
  expect(await createLink({ paymentLinkUniqueId: 'one-more' })).toMatchObject({
    status: 409,
    code: 'payment_link_limit',
  });
});

test('decisions.md#68: on create calls the id stays any text, never checked and never counted', async () => {
  const reads = vi.spyOn(env.MERCHANT_REGISTER, 'get');
  const body = { paymentIntentUniqueId: 'p', paymentLinkUniqueId: 'link-honey' };
  const path = '/api/v1/payment/sandbox/intent';
  const { status } = await answerOf(call(path, { method: 'POST', body: hostedBody(body) }));
  expect(status).toBe(200);
  expect(reads).not.toHaveBeenCalled();
});

const ITEM = { name: 'Bag', type: 'PHYSICAL_PRODUCT', price: 120 };

/** Each row: what is sent, and the field with its error. */
const INVALID: readonly (readonly [Body, string, string])[] = [
  [{ title: '' }, 'title', 'empty'],
  [{ title: '  ' }, 'title', 'empty'],
  [{ title: 'x'.repeat(101) }, 'title', 'too_long'],
  [{ title: undefined }, 'title', 'required'],
  [{ description: 'x'.repeat(1_001) }, 'description', 'too_long'],
  [{ amount: 0.5 }, 'amount', 'too_small'],
  [{ amount: 1.005 }, 'amount', 'too_many_decimals'],
  [{ amount: '450' }, 'amount', 'invalid_type'],
  [{ amount: null }, 'amount', 'required'],
  [{ openAmount: {} }, 'openAmount', 'mismatch'],
  [{ items: [ITEM] }, 'items', 'mismatch'],
  [{ amount: null, openAmount: { min: 0.5 } }, 'openAmount.min', 'too_small'],
  [{ amount: null, openAmount: { min: 10, max: 9 } }, 'openAmount.max', 'too_small'],
  [{ amount: null, openAmount: { step: 1 } }, 'openAmount.step', 'unknown_field'],
  [
    { amount: null, openAmount: { min: 10, suggestions: [20, 5] } },
    'openAmount.suggestions[1]',
    'too_small',
  ],
  [
    { amount: null, openAmount: { max: 10, suggestions: [20] } },
    'openAmount.suggestions[0]',
    'too_large',
  ],
  [
    { amount: null, openAmount: { suggestions: [1, 2, 3, 4, 5] } },
    'openAmount.suggestions',
    'too_many',
  ],
  [{ amount: null, items: new Array(21).fill(ITEM) }, 'items', 'too_many'],
  [{ amount: null, items: [{ ...ITEM, price: -1 }] }, 'items[0].price', 'too_small'],
  [
    { amount: null, items: [{ ...ITEM, price: 0.1, quantityMax: 9 }] },
    'items[0].price',
    'too_small',
  ],
  [{ amount: null, items: [{ ...ITEM, quantityMax: 0 }] }, 'items[0].quantityMax', 'too_small'],
  [{ amount: null, items: [{ ...ITEM, quantityMax: 1_001 }] }, 'items[0].quantityMax', 'too_large'],
  [
    { amount: null, items: [{ ...ITEM, image: 'https://x.example' }] },
    'items[0].image',
    'unknown_field',
  ],
  [{ currency: 'EUR' }, 'currency', 'invalid_choice'],
  [{ methods: ['CASH'] }, 'methods[0]', 'invalid_choice'],
  [{ askFor: { age: 'NO' } }, 'askFor.age', 'unknown_field'],
  [{ askFor: { name: 'MAYBE' } }, 'askFor.name', 'invalid_choice'],
  [{ splitPayment: [{ ...SPLIT, bank: 'NONE' }] }, 'splitPayment[0].bank', 'invalid_choice'],
  [{ splitPayment: [{ ...SPLIT, amount: 101 }] }, 'splitPayment[0].amount', 'too_large'],
  [
    {
      amount: null,
      openAmount: { min: 5 },
      splitPayment: [{ ...SPLIT, splitType: 'NUMBER', amount: 6 }],
    },
    'splitPayment',
    'too_large',
  ],
  [{ validUntil: 'tomorrow' }, 'validUntil', 'invalid_format'],
  [{ paymentsMax: 0 }, 'paymentsMax', 'too_small'],
  [{ paymentsMax: 1_001 }, 'paymentsMax', 'too_large'],
  [{ paymentsMax: 1.5 }, 'paymentsMax', 'not_whole'],
  [{ paymentsMax: '10' }, 'paymentsMax', 'invalid_type'],
  [{ paidText: 'x'.repeat(1_001) }, 'paidText', 'too_long'],
  [{ returnUrl: 'shop' }, 'returnUrl', 'invalid_format'],
  [{ callbackUrl: 'https://10.0.0.1/' }, 'callbackUrl', 'undeliverable'],
  [{ metadata: { customerNote: 'x' } }, 'metadata', 'invalid_format'],
  [
    { metadata: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, 'v'])) },
    'metadata',
    'too_many',
  ],
  [{ isActive: 'yes' }, 'isActive', 'invalid_type'],
  [{ paymentLinkUniqueId: '..' }, 'paymentLinkUniqueId', 'invalid_format'],
  // Answers have it.
  [{ paymentsCount: 10 }, 'paymentsCount', 'unknown_field'],
];

test.each(INVALID.map(([body, path, code]) => [path, code, body] as const))(
  'refuses a link whose %s is %s',
  async (path, code, body) => {
    const refused = await createLink(body);
    expect(refused).toMatchObject({ status: 400, validationErrorCodes: { [path]: code } });
    expect((await list()).data).toEqual([]);
    expect(await auditLog()).toEqual([]);
    if (body.paymentLinkUniqueId === undefined && !('title' in body && body.title === undefined)) {
      const { content } = await createLink();
      expect((await change(body)).status).toBe(400);
      expect((await askLinks('/link-honey')).content).toEqual(content);
    }
  },
);

test('its id cannot change, and a body that is no object is refused', async () => {
  await createLink();
  expect((await change({ paymentLinkUniqueId: 'other' })).status).toBe(400);
  for (const body of ['[]', 'null', '"x"']) {
    expect((await askLinks('/link-honey', { method: 'PATCH', body })).status).toBe(400);
    expect((await askLinks('', { method: 'POST', body })).status).toBe(400);
  }
});
