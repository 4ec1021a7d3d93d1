import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { OPEN_MAX, SLOW_FROM } from '../../../src/engine/links/openings.ts';
import { slugOf } from '../../../src/engine/links/slug.ts';
import { databaseRows } from '../../security/storage.ts';
import { plantedError } from '../../support/output/planted.ts';
import { askLinks, createLink } from '../support/links.ts';
import { registerRows, registerStub } from '../support/register.ts';
import {
  ALPHA,
  abortObjects,
  advance,
  type Body,
  call,
  chooseMethod,
  DAY_MS,
  HOUR_MS,
  LIMITED,
  logged,
  ORIGIN,
  pathOf,
  postForm,
  reachedObjects,
  runSql,
  SECOND_MS,
  simulate,
  tenantOf,
  useDeliveries,
} from '../support.ts';

/**
 * Goal: the page of a payment link (docs/links.md, docs/promises.md#8): a submission makes one ordinary
 * payment by the link's terms and the customer's choice, and nothing else reaches or writes anything.
 */

const { arrivals, deliverAll } = useDeliveries();

async function newLink(body: Body = {}): Promise<string> {
  const { status, content } = await createLink(body);
  expect(status).toBe(200);
  return pathOf(content.url);
}

async function page(path: string, headers: Record<string, string> = {}) {
  const response = await call(path, { apiKey: null, headers });
  return { status: response.status, html: await response.text(), headers: response.headers };
}

/** The token in the page's form. */
function tokenIn(html: string): string {
  return /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

async function send(path: string, fields: Record<string, string>) {
  const response = await postForm(path, fields);
  await response.body?.cancel();
  return { status: response.status, location: response.headers.get('location') ?? '' };
}

/** Opens the page and submits it. */
async function submit(path: string, fields: Record<string, string> = {}) {
  return send(path, { form: tokenIn((await page(path)).html), ...fields });
}

/** The page that a refused form leads to. */
async function refused(path: string, fields: Record<string, string> = {}) {
  const { status, location } = await submit(path, fields);
  expect([status, location.startsWith(`${path}?form=`)]).toEqual([303, true]);
  return page(pathOf(location));
}

/** Terms of each payment that was made. */
async function payments() {
  const all = await Promise.all(
    reachedObjects().map((id) =>
      runInDurableObject(env.PAYMENT_INTENT.get(id), (_instance, { storage: { sql } }) => {
        const known = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'record'").toArray();
        const rows = known.length === 0 ? [] : sql.exec('SELECT * FROM record').toArray();
        return rows.map((row) => JSON.parse(String(row.content ?? row.json ?? '{}')));
      }),
    ),
  );
  return all.flat().flatMap((record) => (record.intent === undefined ? [] : [record.intent.terms]));
}

const ITEMS = {
  amount: null,
  items: [
    { name: 'Honey', type: 'PHYSICAL_PRODUCT', price: 450.5, quantityMax: 3 },
    { name: 'Wax', type: 'PHYSICAL_PRODUCT', price: 0.4, quantityMax: 5 },
  ],
};
const OPEN = { amount: null, openAmount: { min: 10, max: 5_000, suggestions: [50, 100] } };

describe('opening', () => {
  test('shows and previews title, amount and merchant, and writes nothing', async () => {
    const path = await newLink({ description: 'White honey\nfrom Tigray' });
    const stored = async () => [
      await databaseRows(() => true),
      await registerRows('payment_links'),
    ];
    const before = await stored();
    const { status, html } = await page(path);
    expect(status).toBe(200);
    expect(html).toContain('<h1><bdi>Honey, 1 kg</bdi></h1>');
    expect(html).toContain('White honey\nfrom Tigray');
    const preview = /property="og:title" content="([^"]+)"/.exec(html)?.[1];
    expect(preview?.replaceAll('\u00a0', ' ')).toBe('Honey, 1 kg · ETB 450.00 · Addis Books');
    expect(html).toContain('<meta property="og:description" content="White honey');
    expect(html).not.toContain('<script>');
    expect(await stored()).toEqual(before);
    expect(await payments()).toEqual([]);
  });

  test.each(['en', 'am', 'om', 'ti'])(
    'in %s is within the first load of a checkout page',
    async (language) => {
      const items = Array.from({ length: 20 }, (_, index) => ({
        ...{ name: `ማር ${index}`, type: 'PHYSICAL_PRODUCT', price: 450 + index },
      }));
      const asked = { name: 'REQUIRED', phone: 'REQUIRED', email: 'OPTIONAL', note: 'OPTIONAL' };
      const path = await newLink({ amount: null, items, askFor: asked });
      const { html } = await page(`${path}?lang=${language}`);
      const zipped = new Blob([html]).stream().pipeThrough(new CompressionStream('gzip'));
      const { byteLength } = await new Response(zipped).arrayBuffer();
      // Without the script of all customers' pages, which has 5 KB.
      expect(byteLength).toBeLessThan(9_000);
    },
  );

  test.each(['am', 'om', 'ti'])('speaks %s', async (language) => {
    const path = await newLink({ ...OPEN, askFor: { name: 'REQUIRED', note: 'OPTIONAL' } });
    const english = (await page(path)).html;
    const { html } = await page(`${path}?lang=${language}`);
    expect(html).toContain(`<html lang="${language}`);
    for (const text of ['Another amount', 'Your name', 'Continue', 'Next, you choose']) {
      expect([text, english.includes(text), html.includes(text)]).toEqual([text, true, false]);
    }
  });

  test.each([
    [
      'deactivated',
      async () => void (await askLinks('/link-honey/deactivate', { method: 'POST' })),
    ],
    ['past its time', async () => void advance(2 * HOUR_MS)],
    [
      'of a suspended merchant',
      () => runSql([{ sql: "UPDATE merchants SET status = 'suspended'", params: [] }]),
    ],
  ])('a link that is %s says so, and takes nothing', async (name, close) => {
    const business = { contact: '+251911000000', address: 'Bole' };
    await env.DB.prepare(
      'INSERT INTO merchant_business (merchant_id, address, contact) VALUES (?, ?, ?)',
    )
      .bind(ALPHA.id, business.address, business.contact)
      .run();
    const path = await newLink({ validUntil: new Date(Date.now() + HOUR_MS).toISOString() });
    const token = tokenIn((await page(path)).html);
    await close();
    const { status, html } = await page(path);
    expect(status).toBe(410);
    expect(html).not.toContain('<form class="stack"');
    if (!name.includes('suspended')) {
      expect(html).toContain('href="tel:+251911000000"');
      expect(html).toContain('Addis Books');
    }
    expect(await send(path, { form: token })).toEqual({ status: 303, location: path });
    expect(await payments()).toEqual([]);
  });
});

describe('a submission', () => {
  test('makes a hosted payment by the terms of the link, and its webhook names the link', async () => {
    const path = await newLink({
      description: 'White',
      askFor: { name: 'REQUIRED', phone: 'REQUIRED', email: 'OPTIONAL', note: 'OPTIONAL' },
      methods: ['TELE_BIRR'],
      callbackUrl: 'https://shop.example.com/hook',
      metadata: { shelf: '7' },
    });
    const { status, location } = await submit(path, {
      name: ' Abebe ',
      phone: '0711 22 33 44',
      email: 'abebe@example.com',
      note: 'በር ላይ ይደውሉ',
      // Of no field of this page.
      amount: '1',
      suggestion: '100',
    });
    expect([status, location.startsWith(`${ORIGIN}/checkout/`)]).toEqual([303, true]);
    const [terms] = await payments();
    expect(terms).toMatchObject({
      uniqueId: expect.stringMatching(/^LINK-[A-Z2-7]{16}$/),
      paymentLinkUniqueId: 'link-honey',
      kind: 'hosted',
      amountMinor: 45_000,
      currency: 'ETB',
      description: 'Honey, 1 kg',
      methods: [{ method: 'TELE_BIRR' }],
      customer: { name: 'Abebe', email: 'abebe@example.com', phone: '711223344' },
      metadata: { shelf: '7', customerNote: 'በር ላይ ይደውሉ' },
      callbackUrl: 'https://shop.example.com/hook',
      returnUrl: `${ORIGIN}${path}/paid`,
    });
    expect(terms.expiresAtMs - terms.createdAtMs).toBe(30 * 60 * SECOND_MS);
    await simulate(await chooseMethod(location), 'approve');
    await deliverAll();
    const [arrival] = arrivals;
    expect(arrival?.event.webHookEvent).toBe('PAYMENT_SUCCESS');
    expect(JSON.parse(arrival?.event.body ?? '{}')).toMatchObject({
      paymentLinkUniqueId: 'link-honey',
      totalAmount: 45_000,
    });
  });

  test('of items charges price × quantity, without those that were not chosen', async () => {
    const path = await newLink(ITEMS);
    await submit(path, { 'quantity-0': '2', 'quantity-1': '' });
    expect(await payments()).toMatchObject([
      { amountMinor: 90_100, items: [{ name: 'Honey', quantity: 2, priceMinor: 45_050 }] },
    ]);
  });

  test.each([
    [{ suggestion: '10000' }, 10_000],
    [{ suggestion: 'other', amount: '1 250 birr' }, 125_000],
    [{ suggestion: '5000', amount: '50' }, 5_000],
    [{ amount: '10' }, 1_000],
  ])('of an open amount with %j charges it', async (fields, amountMinor) => {
    await submit(await newLink(OPEN), fields as Record<string, string>);
    expect(await payments()).toMatchObject([{ amountMinor }]);
  });

  test('that is sent twice finds its payment, at once, later and after a crash', async () => {
    const path = await newLink();
    const form = tokenIn((await page(path)).html);
    const at = await Promise.all([send(path, { form }), send(path, { form })]);
    await abortObjects();
    advance(60 * SECOND_MS);
    at.push(await send(path, { form }));
    expect(new Set(at.map(({ location }) => location)).size).toBe(1);
    expect(await payments()).toHaveLength(1);
  });

  test('whose first answer was lost in a crash finds its payment', async () => {
    const path = await newLink();
    const form = tokenIn((await page(path)).html);
    const { create } = PaymentIntentObject.prototype;
    const dying = vi
      .spyOn(PaymentIntentObject.prototype, 'create')
      .mockImplementationOnce(function (this: PaymentIntentObject, request) {
        create.call(this, request);
        throw plantedError('killed');
      });
    const first = await send(path, { form });
    expect(first.location).not.toContain('/checkout/');
    expect(logged.join()).toContain('page_failed');
    logged.length = 0;
    dying.mockRestore();
    await abortObjects();
    expect((await send(path, { form })).location).toContain('/checkout/');
    expect(await payments()).toHaveLength(1);
  });

  test('of another customer is another payment', async () => {
    const path = await newLink();
    expect((await submit(path)).location).not.toBe((await submit(path)).location);
    expect(await payments()).toHaveLength(2);
  });

  test('with another choice is another payment', async () => {
    const path = await newLink(OPEN);
    const form = tokenIn((await page(path)).html);
    const one = await send(path, { form, amount: '10' });
    const other = await send(path, { form, amount: '20' });
    expect(one.location).not.toBe(other.location);
    expect((await payments()).map(({ amountMinor }) => amountMinor).sort()).toEqual([1_000, 2_000]);
  });

  test('of a page that was open during a change shows the link again first', async () => {
    const path = await newLink();
    const form = tokenIn((await page(path)).html);
    await askLinks('/link-honey', { method: 'PATCH', body: { amount: 900 } });
    const back = await send(path, { form });
    const { html } = await page(pathOf(back.location));
    expect(html).toContain('The seller has changed this page');
    expect(await payments()).toEqual([]);
    expect((await send(path, { form: tokenIn(html) })).location).toContain('/checkout/');
  });

  test('without a form of ours makes nothing', async () => {
    const path = await newLink();
    const other = tokenIn((await page(await newLink({ paymentLinkUniqueId: 'other' }))).html);
    const own = tokenIn((await page(path)).html);
    const isOld = async (form: string) => {
      const { location } = await send(path, { form });
      expect((await page(pathOf(location))).html).toContain('open for a long time');
    };
    for (const form of ['', 'x', other, `${own.slice(0, -4)}AAAA`]) {
      await isOld(form);
    }
    advance(25 * HOUR_MS);
    await isOld(own);
    const site = { 'sec-fetch-site': 'cross-site' };
    expect((await postForm(path, { form: own }, site)).status).toBe(400);
    expect(await payments()).toEqual([]);
  });
});

/** Each row: the link, what is typed, and the text beside the field. */
const WRONG: readonly (readonly [Body, Record<string, string>, string, string])[] = [
  [OPEN, { suggestion: 'other' }, 'amount', 'Please fill this in'],
  [OPEN, { suggestion: '9' }, 'amount', 'Please fill this in'],
  [OPEN, { suggestion: 'other', amount: 'ten' }, 'amount', 'Type an amount such as'],
  [OPEN, { suggestion: 'other', amount: '9.99' }, 'amount', 'The least is ETB 10.00'],
  [OPEN, { suggestion: 'other', amount: '5001' }, 'amount', 'The most is ETB 5,000.00'],
  [OPEN, { suggestion: '5000', amount: '70' }, 'amount', 'Choose one of them'],
  [ITEMS, { 'quantity-0': '0' }, 'items', 'Choose at least one'],
  [ITEMS, { 'quantity-0': '4' }, 'quantity-0', 'At most 3'],
  [ITEMS, { 'quantity-0': '1.5' }, 'quantity-0', 'Type a whole number'],
  [ITEMS, { 'quantity-1': '1' }, 'items', 'This is too little'],
  [{ askFor: { name: 'REQUIRED' } }, { name: '  ' }, 'name', 'Please fill this in'],
  [{ askFor: { name: 'OPTIONAL' } }, { name: 'x'.repeat(101) }, 'name', 'At most 100'],
  [
    { askFor: { phone: 'REQUIRED' } },
    { phone: '12345' },
    'phone',
    'Type an Ethiopian mobile number',
  ],
  [{ askFor: { email: 'OPTIONAL' } }, { email: 'abebe' }, 'email', 'Type an e-mail address'],
  [{ askFor: { note: 'OPTIONAL' } }, { note: 'ሀ'.repeat(201) }, 'note', 'At most 200'],
  [{ askFor: { note: 'OPTIONAL' } }, { note: 'a\u0007b' }, 'note', 'cannot read'],
];

test.each(WRONG.map(([body, typed, field, text]) => [field, text, body, typed] as const))(
  'a wrong form comes back: %s says "%s"',
  async (field, text, body, typed) => {
    const { html } = await refused(await newLink(body), typed);
    const hint = new RegExp(`id="${field}-hint"[^>]*>([^<]*)`).exec(html)?.[1] ?? '';
    expect(hint.replaceAll('\u00a0', ' ')).toContain(text);
    expect(html).toContain('Please check your details');
    for (const value of Object.values(typed).filter((one) => /^[\w@]{2,40}$/.test(one))) {
      expect(html).toContain(value);
    }
    expect(await payments()).toEqual([]);
  },
);

test('an amount above what the merchant may take comes back', async () => {
  await env.DB.prepare(
    "INSERT INTO merchant_limits (merchant_id, environment, currency, amount_minor_max) VALUES (?, 'sandbox', 'ETB', 100000)",
  )
    .bind(ALPHA.id)
    .run();
  const { html } = await refused(await newLink({ ...OPEN, openAmount: { min: 10 } }), {
    amount: '2000',
  });
  expect(html).toContain('This is too much');
});

describe('many open payments', () => {
  const setOpened = (opened: number) =>
    runInDurableObject(registerStub(tenantOf(ALPHA)), (_instance, { storage }) => {
      const window = Math.floor(Date.now() / (30 * 60 * SECOND_MS));
      const sql = 'UPDATE payment_links SET opening_window = ?, opened = ?, opened_before = 0';
      storage.sql.exec(sql, window, opened);
    });

  beforeEach(() => {
    vi.setSystemTime(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 1);
  });

  test('slow a visitor down, with the same choice only', async () => {
    const path = await newLink(OPEN);
    await setOpened(SLOW_FROM);
    const { html } = await refused(path, { amount: '20' });
    expect(html).toContain('Wait ten seconds');
    expect(html).toContain('value="20"');
    const form = tokenIn(html);
    const early = await send(path, { form, amount: '20' });
    advance(10 * SECOND_MS);
    const other = await send(path, { form, amount: '30' });
    expect([early.location, other.location].map((to) => to.startsWith(path))).toEqual([true, true]);
    expect(await payments()).toEqual([]);
    expect((await send(path, { form, amount: '20' })).location).toContain('/checkout/');
    expect(await payments()).toHaveLength(1);
  });

  test('of many submissions at once, none is made beyond the limit', async () => {
    const path = await newLink();
    await setOpened(SLOW_FROM - 2);
    const sent = await Promise.all(Array.from({ length: 6 }, () => submit(path)));
    expect(sent.filter(({ location }) => location.includes('/checkout/'))).toHaveLength(2);
    expect(await payments()).toHaveLength(2);
  });

  test('at the cap make no more', async () => {
    const path = await newLink();
    await setOpened(OPEN_MAX);
    expect((await refused(path)).html).toContain('Too many people are paying');
    expect(await payments()).toEqual([]);
    advance(HOUR_MS);
    expect((await submit(path)).location).toContain('/checkout/');
  });
});

test('the way back says that it is paid only if it is', async () => {
  const path = await newLink({ paidText: 'We call you.' });
  const { location } = await submit(path);
  const [{ uniqueId }] = (await payments()) as [{ uniqueId: string }];
  const paid = `${path}/paid?paymentIntentUniqueId=${uniqueId}&status=SUCCESS`;
  expect((await call(paid, { apiKey: null })).headers.get('location')).toBe(path);
  await simulate(await chooseMethod(location), 'approve');
  const { html } = await page(paid);
  expect(html).toContain('Thank you');
  expect(html).toContain('We call you.');
  expect(html).toContain(`href="${ORIGIN}/receipt/`);
  const elsewhere = pathOf((await createLink({ paymentLinkUniqueId: 'wax' })).content.url);
  const foreign = await call(paid.replace(path, elsewhere), { apiKey: null });
  expect(foreign.headers.get('location')).toBe(elsewhere);
  for (const other of ['LINK-AAAAAAAAAAAAAAAA', 'order-1', '']) {
    const answer = await call(`${path}/paid?paymentIntentUniqueId=${other}`, { apiKey: null });
    expect(answer.headers.get('location')).toBe(path);
  }
  advance(365 * DAY_MS);
  expect((await page(paid)).html).not.toContain('/receipt/');
});

test('promises.md#8: no forged slug reaches anything', async () => {
  const path = await newLink();
  const slug = path.slice('/pay/'.length);
  const keys = configOf(env).linkSigningKeys;
  const spies = [
    vi.spyOn(env.DB, 'prepare'),
    vi.spyOn(env.DB, 'batch'),
    vi.spyOn(env.MERCHANT_REGISTER, 'get'),
    vi.spyOn(env.PAYMENT_INTENT, 'get'),
  ];
  const foreign = [{ keyId: keys[0].keyId, base64: btoa('f'.repeat(32)) }] as const;
  const name = { tenant: tenantOf(ALPHA), code: '0011223344556677' };
  const forged = [
    'x',

    slug.slice(0, -1),
    `${slug}A`,
    slug.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    slug.toUpperCase(),
    'A'.repeat(5_000),
    await slugOf(foreign, name),
  ];
  for (const text of forged) {
    for (const rest of ['', '/paid', `/logo/${'0'.repeat(64)}`]) {
      const response = await call(`/pay/${text}${rest}`, { apiKey: null });
      await response.body?.cancel();
      expect([text, rest, response.status]).toEqual([text, rest, 404]);
    }
    expect((await postForm(`/pay/${text}`, { form: 'x' })).status).toBe(404);
  }
  expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0, 0]);
  // A genuine slug of a link that the register does not have creates no storage.
  const response = await call(`/pay/${await slugOf(keys, name)}`, { apiKey: null });
  expect(response.status).toBe(404);
  expect(await registerRows('payment_links')).toHaveLength(1);
});

test('API4:2023 opening and submitting count by network, before they reach storage', async () => {
  const path = await newLink();
  vi.spyOn(env.CHECKOUT_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  vi.spyOn(env.LINK_SUBMISSION_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  const register = vi.spyOn(env.MERCHANT_REGISTER, 'get');
  const options = { apiKey: null, bindings: LIMITED };
  expect((await call(path, options)).status).toBe(429);
  expect((await call(`${path}/paid`, options)).status).toBe(429);
  expect((await postForm(path, { form: 'x' }, {}, LIMITED)).status).toBe(303);
  expect(register).not.toHaveBeenCalled();
});
