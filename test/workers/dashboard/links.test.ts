import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { codeSvg } from '../../../back-office/dashboard/links/code-image.ts';
import { checksumOf } from '../../../src/control/merchants/bank-code.ts';
import { qrModules } from '../../../src/engine/checkout/qr.ts';
import { configOf } from '../../../src/engine/config.ts';
import { digestOwner } from '../../../src/engine/domain/search-key.ts';
import { keyedDigest } from '../../../src/kit/crypto/keyed-digest.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import { askLinks, createLink, type LinkContent } from '../support/links.ts';
import { ALPHA, tenantOf, useGateway } from '../support.ts';
import { joined, submitConfirmed } from './people-support.ts';
import { auditLog, signedIn, submit, visit } from './support.ts';

/**
 * Goal: members make and change payment links by the same rules as the API, and share them
 * (docs/links.md).
 */

useGateway();

const PATH = '/dashboard/sandbox/links';

const LINK = { title: 'ማር 1 ኪ.ግ', kind: 'fixed', amount: '450.50', currency: 'ETB' };

async function save(fields: Record<string, string>, path = PATH) {
  const response = await submit(await signedIn(), path, fields);
  const html = await response.text();
  return { status: response.status, html, location: response.headers.get('location') ?? '' };
}

async function links(): Promise<readonly LinkContent[]> {
  return ((await askLinks()).content as unknown as { data: readonly LinkContent[] }).data;
}

async function pageOf(path: string, language = 'en'): Promise<string> {
  return (await visit(await signedIn(), path, language)).text();
}

test.each([
  [{ ...LINK }, { amount: 450.5, openAmount: null, items: [] }],
  [
    { ...LINK, kind: 'open', min: '10', max: '1,000', suggestions: '50, 99.50' },
    { amount: null, openAmount: { min: 10, max: 1_000, suggestions: [50, 99.5] } },
  ],
  [
    {
      ...LINK,
      kind: 'items',
      'item-0-name': 'Bag',
      'item-0-price': '120',
      'item-2-name': 'Wax',
      'item-2-price': '5',
      'item-2-most': '3',
    },
    {
      amount: null,
      items: [
        { name: 'Bag', price: 120, quantityMax: 10, type: 'PHYSICAL_PRODUCT' },
        { name: 'Wax', price: 5, quantityMax: 3 },
      ],
    },
  ],
  [
    {
      ...LINK,
      'ask-name': 'REQUIRED',
      commission: 'customer',
      validUntil: '2099-12-31',
      paymentsMax: '12',
      paidText: 'We call you.',
      method: 'CBE',
    },
    {
      askFor: { name: 'REQUIRED', phone: 'NO', email: 'NO', note: 'NO' },
      commissionPaidByCustomer: true,
      validUntil: '2099-12-31T20:59:59.000Z',
      paymentsMax: 12,
      paidText: 'We call you.',
      methods: ['CBE'],
    },
  ],
])('a form makes a link, and saving it again changes nothing: %j', async (fields, expected) => {
  const { status, location } = await save(fields);
  expect([status, location]).toEqual([
    303,
    expect.stringMatching(/links\/[0-9a-f]{16}\?done=saved$/),
  ]);
  const [link] = await links();
  expect(link).toMatchObject({ title: 'ማር 1 ኪ.ግ', ...expected });
  // What its page shows is what it was made of.
  await save(fields, location.split('?')[0]);
  expect(await links()).toEqual([{ ...link, updatedAt: expect.any(String) }]);
});

test('the page has the address to copy and to share', async () => {
  const { location } = await save(LINK);
  const [link] = await links();
  for (const language of ['en', 'am']) {
    const html = await pageOf(location, language);
    expect(html).toContain(`value="${link?.url}"`);
    expect(html).toContain('https://wa.me/?text=');
    expect(html).toContain(`https://t.me/share/url?url=${encodeURIComponent(link?.url ?? '')}`);
    expect(html).toContain('ማር 1 ኪ.ግ');
  }
  expect(await pageOf(PATH)).toContain(location.split('?')[0] ?? '');
});

test('the page lists the payments that name the link, and sums up those of its own page', async () => {
  const { location } = await save(LINK);
  const [link] = await links();
  const id = String(link?.paymentLinkUniqueId);
  const tenant = tenantOf(ALPHA);
  const [key] = configOf(env).dataEncryptionKeys;
  const digest = async (text: string) => [
    `link:${await keyedDigest(key, digestOwner(tenant), 'link', text)}`,
  ];
  const [own, other] = [await digest(id), await digest('another')];
  const ofPage = (letter: string) => `LINK-${letter.repeat(16)}`;
  const paid = { status: 'succeeded', currency: 'ETB' } as const;
  const rows = [
    [{ ...paid, uniqueId: ofPage('A'), amountMinor: 450_000 }, own],
    [{ ...paid, uniqueId: ofPage('B'), amountMinor: 10_050, refundedMinor: 50 }, own],
    [{ ...paid, uniqueId: ofPage('C'), amountMinor: 700, currency: 'USD' as const }, own],
    [{ uniqueId: ofPage('D'), status: 'expired' as const }, own],
    [{ uniqueId: ofPage('E') }, own],
    [{ ...paid, uniqueId: 'order-of-a-program' }, own],
    [{ ...paid, uniqueId: ofPage('F') }, other],
  ] as const;
  await applyAll(
    rows.map(([row, searchKeys], number) => projectionMessage(tenant, number, row, { searchKeys })),
  );
  const html = (await pageOf(location)).replaceAll('\u00a0', ' ');
  expect(html).toContain('Paid at this page: 2 · ETB 4,600.50 · refunded: ETB 0.50<');
  expect(html).toContain('Paid at this page: 1 · USD 7.00<');
  const shown = rows.filter(([{ uniqueId }]) => html.includes(`>${uniqueId}<`));
  expect(shown).toEqual(rows.slice(0, 6));
  // Reading it in parts counts each payment once.
  const reader = await readerOf(env, tenant);
  expect(await reader.paidAtLink(id, 1)).toEqual(await reader.paidAtLink(id));
});

test('the sign has the bank’s code in production alone, and the files are of the link’s', async () => {
  const { location } = await save(LINK);
  const path = location.split('?')[0] ?? '';
  const account = '28150003CBE01041234';
  const start = `000201010211${account}5204541153032305802ET5909Wax House6006Mekele6304`;
  const bankCode = start + checksumOf(start);
  const fields = { bankCode, confirmedName: 'Wax House' };
  const put = await submitConfirmed(await joined(), '/dashboard/branding/bank-code', fields);
  expect(put.status).toBe(303);
  const svgOf = (text: string) => encodeURIComponent(codeSvg(qrModules(text)));
  const [{ url = '' } = {}] = await links();
  for (const language of ['en', 'am']) {
    const html = await pageOf(`${path}/sign?paper=a4`, language);
    expect(html).toContain('class="sign sign-a4"');
    expect(html).toContain(svgOf(url));
    expect(html).toContain('ለመክፈል ይስካኑ');
    expect(html).toContain('Scan to pay');
    expect(html).toContain('Test: no real money');
    expect(html).not.toContain(svgOf(bankCode));
  }
  const production = '/dashboard/production/links';
  const made = (await save(LINK, production)).location.split('?')[0] ?? '';
  const html = await pageOf(`${made}/sign`);
  expect(html).toContain(svgOf(bankCode));
  expect(html).toContain('Wax House, Mekele');
  expect(html).toContain('straight to your bank account');
  const files = await Promise.all(
    ['svg', 'png'].map(async (type) => visit(await signedIn(), `${path}/code.${type}`)),
  );
  expect(files.map(({ headers }) => headers.get('content-type'))).toEqual([
    'image/svg+xml',
    'image/png',
  ]);
  expect(files[0]?.headers.get('content-disposition')).toMatch(
    /^attachment; filename="link-[0-9a-f]{16}\.svg"$/,
  );
  expect(await files[0]?.text()).toBe(codeSvg(qrModules(url)));
  expect((await files[1]?.arrayBuffer())?.byteLength).toBeGreaterThan(500);
});

test('a link stops and takes payments again, each with its entry', async () => {
  const { location } = await save(LINK);
  const path = location.split('?')[0] ?? '';
  await save({}, `${path}/deactivate`);
  expect((await links())[0]?.isActive).toBe(false);
  await save({}, `${path}/activate`);
  expect((await links())[0]?.isActive).toBe(true);
  expect((await auditLog()).map(({ action }) => action)).toEqual([
    'payment_link.create_requested',
    'payment_link.change_requested',
    'payment_link.change_requested',
  ]);
});

test('what the API alone can set stays when the form is saved', async () => {
  const splitPayment = [
    { bank: 'CBE', creditAccount: '1000', splitType: 'PERCENTAGE', amount: 12.5 },
  ];
  const { content } = await createLink({
    ...{ splitPayment, callbackUrl: 'https://shop.example.com/hook', metadata: { shelf: '7' } },
  });
  const html = await pageOf(PATH);
  const code = /links\/([0-9a-f]{16})/.exec(html)?.[1];
  await save({ ...LINK, title: 'Changed' }, `${PATH}/${code}`);
  const { splitPayment: splits, callbackUrl, metadata } = content;
  expect((await links())[0]).toMatchObject({
    title: 'Changed',
    splitPayment: splits,
    callbackUrl,
    metadata,
  });
});

test.each([
  [{ ...LINK, title: '' }, 'title', 'Fill this in.'],
  [{ ...LINK, amount: '' }, 'amount', 'Fill this in.'],
  [{ ...LINK, amount: 'ten' }, 'amount', 'Type an amount such as'],
  [{ ...LINK, amount: '0.50' }, 'amount', 'This is too small.'],
  [{ ...LINK, kind: 'open', min: '10', max: '5' }, 'max', 'This is too small.'],
  [{ ...LINK, kind: 'open', suggestions: '50, x' }, 'suggestions', 'Type an amount'],
  [{ ...LINK, kind: 'items' }, 'item-0-name', 'Fill this in.'],
  [
    { ...LINK, kind: 'items', 'item-1-name': 'Bag', 'item-1-price': 'x' },
    'item-1-price',
    'Type an amount',
  ],
  [{ ...LINK, validUntil: 'soon' }, 'validUntil', 'Type a day'],
  [{ ...LINK, paymentsMax: '0' }, 'paymentsMax', 'too small'],
  [{ ...LINK, paymentsMax: 'ten' }, 'paymentsMax', 'not possible'],
  [{ ...LINK, returnUrl: 'shop' }, 'returnUrl', 'Type an address'],
])('a wrong form comes back: %j', async (fields, field, text) => {
  const { status, html } = await save(fields as Record<string, string>);
  expect(status).toBe(400);
  const error = new RegExp(`id="${field}-error">([^<]*)`).exec(html)?.[1];
  expect(error).toContain(text);
  expect(html).toContain(`href="#${field}"`);
  for (const value of Object.values(fields).filter((one) => one.length > 3)) {
    expect(html).toContain(value);
  }
  expect(await links()).toEqual([]);
});
