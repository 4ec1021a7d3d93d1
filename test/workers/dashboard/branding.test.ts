import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { dashboard as english } from '../../../back-office/i18n/en/dashboard.ts';
import { checksumOf } from '../../../src/control/merchants/bank-code.ts';
import { LOGO_BYTES_MAX, LOGOS_MAX } from '../../../src/control/merchants/branding.ts';
import type { LogoMediaType } from '../../../src/engine/merchants/logo.ts';
import { base64FromBytes } from '../../../src/kit/crypto/encoding.ts';
import { PIXELS } from '../../support/logos.ts';
import {
  ALPHA,
  advance,
  BETA,
  createHosted,
  intentOf,
  runSql,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { joined, submitConfirmed } from './people-support.ts';
import { auditLog, signedIn, submit, upload, visit } from './support.ts';

/**
 * Goal: owners set the color and logo of the customers' pages, see a preview, and learn why an
 * upload was rejected. Method: the page and its forms; new payments carry the result.
 */

useGateway();

const PATH = '/dashboard/branding';
const PNG = PIXELS['image/png'];
/** Isolates cache a merchant's settings no longer than this. */
const SETTINGS_AGE_MS_MAX = 10 * SECOND_MS;

async function brandings(): Promise<unknown[]> {
  return (await env.DB.prepare('SELECT * FROM merchant_branding').all()).results;
}

async function logos(): Promise<unknown[]> {
  return (await env.DB.prepare('SELECT merchant_id, media_type FROM merchant_logos').all()).results;
}

/** The branding that a new payment gets. */
async function brandingOfNew(uniqueId: string) {
  advance(SETTINGS_AGE_MS_MAX);
  await createHosted({ paymentIntentUniqueId: uniqueId });
  return (await intentOf(uniqueId)).terms.branding;
}

test.each([
  ['#0B6B4B', '#0b6b4b', '#fff'],
  ['  #ffd400 ', '#ffd400', '#000'],
])('saves the color %j and chooses a readable text color', async (typed, color, text) => {
  const owner = await signedIn();
  const saved = await submit(owner, `${PATH}/color`, { color: typed });
  expect(saved.headers.get('location')).toBe(`${PATH}?done=color`);
  const html = await (await visit(owner, `${PATH}?done=color`)).text();
  expect(html).toContain(english.branding.done.color);
  expect(html).toMatch(new RegExp(`<rect [^>]*fill="${color}"`));
  expect(html).toMatch(new RegExp(`<text [^>]*fill="${text}"`));
  expect(html).not.toContain(' style=');
  expect(await brandingOfNew('a')).toEqual({ color, logoDigest: null });
});

test.each(['', 'red', '#0b6', '#0b6b4g', '0b6b4b', '"><script>', `#${'0'.repeat(9_000)}`])(
  'rejects the color %j with a message, and keeps it in the form',
  async (color) => {
    const owner = await signedIn();
    const refused = await submit(owner, `${PATH}/color`, { color });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain('<a href="#color">Enter the color as #');
    expect(html).toMatch(/name="color"[^<]*aria-invalid="true"/);
    expect(html).not.toContain('<script>');
    expect(await brandings()).toEqual([]);
    expect(await auditLog()).toEqual([]);
  },
);

test('previews a color without saving it, for browsers without the script', async () => {
  const owner = await signedIn();
  const asked = { color: '#FFD400', preview: 'yes' };
  const shown = await submit(owner, `${PATH}/color`, asked);
  expect(shown.status).toBe(200);
  const html = await shown.text();
  expect(html).toMatch(/<rect [^>]*fill="#ffd400"/);
  expect(html).toContain('value="#FFD400"');
  expect(await brandings()).toEqual([]);
  expect((await submit(owner, `${PATH}/color`, { ...asked, color: 'red' })).status).toBe(400);
});

test.each(Object.entries(PIXELS))(
  'accepts a %s as the logo under any file name',
  async (type, bytes) => {
    const owner = await signedIn();
    const saved = await upload(owner, `${PATH}/logo`, 'logo', bytes);
    expect(saved.headers.get('location')).toBe(`${PATH}?done=logo`);
    const html = await (await visit(owner, PATH)).text();
    expect(html).toContain(`src="data:${type};base64,${base64FromBytes(bytes)}"`);
    expect(await logos()).toEqual([{ merchant_id: ALPHA.id, media_type: type as LogoMediaType }]);
    expect((await brandingOfNew('a'))?.logoDigest).toMatch(/^[0-9a-f]{64}$/);
  },
);

const utf8 = new TextEncoder();

test.each<[string, Uint8Array<ArrayBuffer>, string]>([
  ['an empty file', new Uint8Array(), english.branding.problem.missing],
  ['an SVG', utf8.encode('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'SVG is not accepted'],
  ['a truncated picture', PNG.slice(0, -1), 'incomplete'],
  ['a picture with extra bytes', new Uint8Array([...PNG, 0]), 'incomplete'],
  ['a large picture', padded(LOGO_BYTES_MAX + 1), 'larger than 16 KiB'],
])('rejects %s as a logo with a message', async (_name, bytes, message) => {
  const owner = await signedIn();
  const refused = await upload(owner, `${PATH}/logo`, 'logo', bytes);
  expect(refused.status).toBe(400);
  const html = await refused.text();
  expect(html).toContain('<a href="#logo">');
  expect(html).toContain(message);
  expect(await logos()).toEqual([]);
  expect(await brandings()).toEqual([]);
});

function padded(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  bytes.set(PNG);
  return bytes;
}

test('answers an oversized form with a message at its field, without reading all of it', async () => {
  const owner = await signedIn();
  const refused = await upload(owner, `${PATH}/logo`, 'logo', padded(1_000_000));
  expect(refused.status).toBe(413);
  const html = await refused.text();
  expect(html).toMatch(/id="logo-error">[^<]*larger than 16 KiB/);
  expect(html).toContain('<a href="#logo">');
  expect(await logos()).toEqual([]);
  // Other forms have no field for a file.
  const other = await upload(owner, `${PATH}/color`, 'logo', padded(1_000_000));
  expect([other.status, (await other.text()).includes('too large')]).toEqual([413, true]);
});

test('color and logo are removed separately, and each change is recorded once', async () => {
  const owner = await signedIn();
  await submit(owner, `${PATH}/color`, { color: '#0b6b4b' });
  await submit(owner, `${PATH}/color`, { color: '#0B6B4B' });
  await upload(owner, `${PATH}/logo`, 'logo', PNG);
  await upload(owner, `${PATH}/logo`, 'logo', PNG);
  await submit(owner, `${PATH}/color/remove`);
  expect(await brandingOfNew('a')).toMatchObject({ color: null, logoDigest: expect.any(String) });
  await submit(owner, `${PATH}/logo/remove`);
  await submit(owner, `${PATH}/logo/remove`);
  expect(await brandingOfNew('b')).toBeNull();
  const html = await (await visit(owner, PATH)).text();
  expect(html).not.toContain('data:image');
  const entries = await auditLog();
  expect(entries.map(({ action, actor_id }) => [action, actor_id])).toEqual(
    entries.map(() => ['branding.changed', owner.memberId]),
  );
  expect(entries.map(({ detail }) => Object.keys(JSON.parse(detail)).join())).toEqual([
    'color',
    'logoDigest',
    'color',
    'logoDigest',
  ]);
});

test('limits the number of logos that are stored for a merchant', async () => {
  const owner = await signedIn();
  await upload(owner, `${PATH}/logo`, 'logo', PNG);
  await runSql(
    Array.from({ length: LOGOS_MAX - 1 }, (_, index) => ({
      sql: `INSERT INTO merchant_logos VALUES (?1, ?2, 'image/png', 'AAAA', 0)`,
      params: [ALPHA.id, String(index).padStart(64, '0')],
    })),
  );
  const refused = await upload(owner, `${PATH}/logo`, 'logo', PIXELS['image/webp']);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain(english.branding.problem.too_many(LOGOS_MAX));
  // A stored logo can be chosen again.
  expect((await upload(owner, `${PATH}/logo`, 'logo', PNG)).status).toBe(303);
});

const BUSINESS = {
  legalName: ' Addis Books PLC ',
  tin: '0012345678',
  vatNumber: '1186847/A',
  address: 'Bole Road 12, አዲስ አበባ',
  contact: '+251 911 234 567',
};

async function businessOfNew(uniqueId: string) {
  await brandingOfNew(uniqueId);
  return (await intentOf(uniqueId)).terms.business;
}

test('saves what receipts of new payments say, audits each change once, and keeps numbers out of the audit log', async () => {
  const owner = await signedIn();
  expect(await businessOfNew('before')).toBeNull();
  for (const fields of [BUSINESS, BUSINESS, { ...BUSINESS, vatNumber: '' }]) {
    const saved = await submit(owner, `${PATH}/business`, fields);
    expect(saved.headers.get('location')).toBe(`${PATH}?done=business`);
  }
  const stored = { ...BUSINESS, legalName: 'Addis Books PLC', vatNumber: null };
  expect(await businessOfNew('a')).toEqual(stored);
  const html = await (await visit(owner, `${PATH}?done=business`)).text();
  expect(html).toContain(english.branding.done.business);
  expect(html).toContain('value="Addis Books PLC"');
  expect((await auditLog()).map(({ action, detail }) => [action, JSON.parse(detail)])).toEqual([
    ['business.changed', { ...BUSINESS, legalName: 'Addis Books PLC', contact: '…' }],
    ['business.changed', { vatNumber: null }],
  ]);
  await submit(owner, `${PATH}/business`, {});
  expect(await businessOfNew('b')).toBeNull();
  // An earlier payment names who sold.
  expect((await intentOf('a')).terms.business).toEqual(stored);
});

test.each([
  ['legalName', 'x'.repeat(201)],
  ['legalName', 'Addis\u202eskooB'],
  ['tin', '123456789'],
  ['tin', '00123 45678'],
  ['vatNumber', 'ቫት 12'],
  ['vatNumber', '1'.repeat(21)],
  ['address', 'x'.repeat(301)],
  ['contact', 'javascript:alert(1)'],
  ['contact', 'https://shop.example.com'],
  ['contact', 'a@example.com?subject=x'],
  ['contact', `${'a'.repeat(90)}@example.com`],
] as const)(
  'rejects the %s %j at its field, keeps what was typed, stores nothing',
  async (field, text) => {
    const owner = await signedIn();
    const refused = await submit(owner, `${PATH}/business`, { ...BUSINESS, [field]: text });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain(`<a href="#${field}">`);
    expect(html).toContain(`value="${field === 'address' ? BUSINESS.tin : BUSINESS.address}"`);
    expect(await businessOfNew('a')).toBeNull();
    expect(await auditLog()).toEqual([]);
  },
);

/** In Amharic too, for the name of Addis Books. */
const BANK_CODE = codeOf('5911Addis Books6011Addis Ababa64240002AM0114አዲስ መጻሕፍት መደብር');
const FOREIGN_CODE = codeOf('5912Abebe Kebede6011Addis Ababa');

function codeOf(names: string): string {
  const account = '28610032581b314e257f41bfbbdc6384daa31d160107ETSETAA02101234567890';
  const text = `000201010211${account}5204541153032305802ET${names}6304`;
  return text + checksumOf(text);
}

async function storedBankCode() {
  return env.DB.prepare('SELECT bank_code FROM merchant_branding').first<string>('bank_code');
}

test.each([
  [BANK_CODE, 'Addis Books', false],
  [FOREIGN_CODE, 'Abebe Kebede', true],
])('stores a bank’s code only after its name is confirmed: %s', async (code, name, isForeign) => {
  const owner = await joined();
  const send = (fields: Record<string, string>) => owner.submit(`${PATH}/bank-code`, fields);
  const changes = async () =>
    (await auditLog())
      .filter(({ action }) => action === 'bank_code.changed')
      .map(({ detail }) => JSON.parse(detail).name);
  const texts = english.branding.bankCode;
  for (const fields of [{}, { confirmedName: 'Addis Book' }]) {
    const asked = await send({ bankCode: ` ${code}\n`, ...fields });
    expect(asked.status).toBe(200);
    const html = await asked.text();
    expect(html).toContain(texts.question);
    expect(html).toContain(`name="confirmedName" value="${name}"`);
    expect(html.includes(texts.otherName)).toBe(isForeign);
  }
  expect([await storedBankCode(), await changes()]).toEqual([null, []]);
  for (const _again of [0, 1]) {
    const fields = { bankCode: code, confirmedName: name };
    const stored = await submitConfirmed(owner, `${PATH}/bank-code`, fields);
    expect(stored.headers.get('location')).toBe(`${PATH}?done=bank_code`);
  }
  expect(await storedBankCode()).toBe(code);
  expect(await (await owner.get(PATH)).text()).toContain(texts.onSigns);
  await send({ bankCode: '' });
  expect(await storedBankCode()).toBeNull();
  expect(await changes()).toEqual([name, null]);
});

test.each([
  [BANK_CODE.slice(0, -1), english.branding.bankCode.problem.unreadable],
  [BANK_CODE.replace('1234567890', '1234567891'), english.branding.bankCode.problem.checksum],
  [codeOf('6011Addis Ababa'), english.branding.bankCode.problem.field('59')],
  ['0'.repeat(600), english.branding.bankCode.problem.too_long],
])(
  'refuses a bank’s code that bank apps cannot read, also confirmed: %s',
  async (code, problem) => {
    const owner = await signedIn();
    const fields = { bankCode: code, confirmedName: 'Addis Books' };
    const refused = await submit(owner, `${PATH}/bank-code`, fields);
    expect(refused.status).toBe(400);
    const html = (await refused.text()).replaceAll('&#39;', "'");
    expect(html).toContain(problem);
    expect(html).toContain(`>${code}</textarea>`);
    expect([await storedBankCode(), await auditLog()]).toEqual([null, []]);
  },
);

test('an upload requires the session’s own token', async () => {
  const owner = await signedIn();
  const other = await signedIn();
  for (const csrf of ['', other.csrf]) {
    expect((await upload({ ...owner, csrf }, `${PATH}/logo`, 'logo', PNG)).status).toBe(403);
  }
  expect((await upload(null, `${PATH}/logo`, 'logo', PNG)).status).toBe(401);
  expect(await logos()).toEqual([]);
});

test("a merchant's branding does not appear on another merchant's pages", async () => {
  await upload(await signedIn('owner', BETA), `${PATH}/logo`, 'logo', PNG);
  await submit(await signedIn('owner', BETA), `${PATH}/color`, { color: '#123456' });
  await submit(await signedIn('owner', BETA), `${PATH}/business`, BUSINESS);
  const html = await (await visit(await signedIn(), PATH)).text();
  expect(html).not.toContain('#123456');
  expect(html).not.toContain('data:image');
  expect(html).not.toContain(BUSINESS.tin);
  expect(await businessOfNew('a')).toBeNull();
  expect((await intentOf('a')).terms.branding).toBeNull();
});
