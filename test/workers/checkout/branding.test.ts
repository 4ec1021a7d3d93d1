import { evictAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { logoFrom } from '../../../src/control/merchants/branding.ts';
import { addLogo, setBranding } from '../../../src/control/merchants/change-branding.ts';
import type { Branding } from '../../../src/engine/domain/merchant.ts';
import type { Logo, LogoMediaType } from '../../../src/engine/merchants/logo.ts';
import { PIXELS } from '../../support/logos.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  CALLBACK_URL,
  call,
  chooseMethod,
  consumeAll,
  createExpress,
  createHosted,
  intentOf,
  merchantServer,
  pathOf,
  postHosted,
  runSql,
  SECOND_MS,
  simulate,
  statusPath,
  type TestMerchant,
  useGateway,
} from '../support.ts';

/**
 * Goal: a payment keeps the branding that it was created with, and its page shows that logo as long
 * as the page exists. A visitor without the link, or with another payment's link, gets no logo.
 */

const caught = useGateway();

const COLOR = '#0b6b4b';
const OTHER_COLOR = '#7a3b12';
/** Isolates cache a merchant's settings no longer than this. */
const SETTINGS_AGE_MS_MAX = 10 * SECOND_MS;

async function logoOf(mediaType: LogoMediaType): Promise<Logo> {
  const logo = await logoFrom(PIXELS[mediaType]);
  if (typeof logo === 'string') {
    throw new Error(logo);
  }
  return logo;
}

/** Brands a merchant, and waits until every isolate's cached settings are too old to use. */
async function brand(
  merchant: TestMerchant,
  changes: { readonly color?: string | null; readonly logo?: Logo | null },
): Promise<void> {
  const { logo, ...rest } = changes;
  await runSql([
    ...(logo ? [addLogo(merchant.id, logo, Date.now())] : []),
    setBranding(merchant.id, {
      ...rest,
      ...(logo === undefined ? {} : { logoDigest: logo?.digest ?? null }),
    }),
  ]);
  advance(SETTINGS_AGE_MS_MAX);
}

function logoPath(checkoutUrl: string, digest: string): string {
  return `${pathOf(checkoutUrl)}/logo/${digest}`;
}

function show(checkoutUrl: string, digest: string): Promise<Response> {
  return call(logoPath(checkoutUrl, digest), { apiKey: null });
}

async function statusOf(response: Response | Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

/** The branding that a new hosted payment gets. */
async function brandingOfNew(uniqueId: string): Promise<Branding | null> {
  await createHosted({ paymentIntentUniqueId: uniqueId });
  return (await intentOf(uniqueId)).terms.branding;
}

test('a merchant without branding creates payments without branding', async () => {
  expect(await brandingOfNew('order-1')).toBeNull();
});

test.each<[string, (uniqueId: string) => Promise<unknown>]>([
  ['hosted', (paymentIntentUniqueId) => createHosted({ paymentIntentUniqueId })],
  ['express', (paymentIntentUniqueId) => createExpress({ paymentIntentUniqueId })],
])('a payment keeps the branding of its creation: %s', async (_name, create) => {
  const [png, webp] = [await logoOf('image/png'), await logoOf('image/webp')];
  await brand(ALPHA, { color: COLOR, logo: png });
  await create('before');
  const before = { color: COLOR, logoDigest: png.digest };
  expect((await intentOf('before')).terms.branding).toEqual(before);

  await brand(ALPHA, { color: OTHER_COLOR, logo: webp });
  await create('after');
  expect((await intentOf('after')).terms.branding).toEqual({
    color: OTHER_COLOR,
    logoDigest: webp.digest,
  });
  await evictAllDurableObjects();
  expect((await intentOf('before')).terms.branding).toEqual(before);
});

test('color and logo are set, changed and removed separately', async () => {
  const logo = await logoOf('image/jpeg');
  await brand(ALPHA, { color: COLOR });
  expect(await brandingOfNew('a')).toEqual({ color: COLOR, logoDigest: null });
  await brand(ALPHA, { logo });
  expect(await brandingOfNew('b')).toEqual({ color: COLOR, logoDigest: logo.digest });
  await brand(ALPHA, { color: null });
  expect(await brandingOfNew('c')).toEqual({ color: null, logoDigest: logo.digest });
  // An earlier logo can be added again.
  await brand(ALPHA, { logo });
  await brand(ALPHA, { logo: null });
  expect(await brandingOfNew('d')).toBeNull();
});

test("a merchant's branding applies to both of its environments and to no other merchant", async () => {
  await brand(ALPHA, { color: COLOR });
  const apiKey = BETA.apiKeys.sandbox;
  const { status } = await answerOf(postHosted({ paymentIntentUniqueId: 'of-beta' }, { apiKey }));
  expect(status).toBe(200);
  const { results } = await env.DB.prepare(
    'SELECT merchant_id, color, logo_digest FROM merchant_branding',
  ).all();
  expect(results).toEqual([{ merchant_id: ALPHA.id, color: COLOR, logo_digest: null }]);
});

test.each(Object.keys(PIXELS) as LogoMediaType[])(
  'the page of a payment shows its logo: %s',
  async (mediaType) => {
    const logo = await logoOf(mediaType);
    await brand(ALPHA, { logo });
    const checkoutUrl = await createHosted();
    for (const method of ['GET', 'HEAD']) {
      const path = logoPath(checkoutUrl, logo.digest);
      const response = await call(path, { method, apiKey: null });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': mediaType,
        'cache-control': 'private, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(bytes).toEqual(method === 'GET' ? logo.bytes : new Uint8Array());
    }
  },
);

test('an open payment keeps its logo when the merchant changes or removes it', async () => {
  const [png, webp] = [await logoOf('image/png'), await logoOf('image/webp')];
  await brand(ALPHA, { logo: png });
  const checkoutUrl = await createHosted();
  for (const logo of [webp, null]) {
    await brand(ALPHA, { logo });
    const response = await show(checkoutUrl, png.digest);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(png.bytes);
    expect(await statusOf(show(checkoutUrl, webp.digest))).toBe(404);
  }
});

test('an ended payment still shows its logo', async () => {
  const logo = await logoOf('image/png');
  await brand(ALPHA, { logo });
  const checkoutUrl = await createHosted();
  await simulate(await chooseMethod(checkoutUrl), 'approve');
  expect(await statusOf(show(checkoutUrl, logo.digest))).toBe(200);
});

test("a link opens no logo except its own payment's", async () => {
  const [png, webp] = [await logoOf('image/png'), await logoOf('image/webp')];
  const apiKey = BETA.apiKeys.sandbox;
  await brand(ALPHA, { logo: png });
  await brand(BETA, { logo: webp });
  const ofAlpha = await createHosted();
  const ofBeta = String((await answerOf(postHosted({}, { apiKey }))).envelope.content);
  expect(await statusOf(show(ofAlpha, png.digest))).toBe(200);
  expect(await statusOf(show(ofBeta, webp.digest))).toBe(200);

  const wrong = [webp.digest, png.digest.toUpperCase(), `${png.digest}0`, 'null', '%00'];
  for (const digest of wrong) {
    const response = await show(ofAlpha, digest);
    expect({ digest, status: response.status }).toEqual({ digest, status: 404 });
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).not.toContain(ALPHA.name);
  }
  expect(await statusOf(show(ofBeta, png.digest))).toBe(404);
});

test('promises.md#8: reads from D1 only the logo of a payment whose link is genuine', async () => {
  const logo = await logoOf('image/png');
  const unbranded = await createHosted({ paymentIntentUniqueId: 'unbranded' });
  await brand(ALPHA, { logo });
  const checkoutUrl = await createHosted();
  const attemptToken = await chooseMethod(checkoutUrl);
  const token = pathOf(checkoutUrl).split('/').at(-1) ?? '';
  const queries = vi.spyOn(env.DB, 'prepare');

  const forged = [`${token}AAAA`, token.slice(0, -4), attemptToken, 't1.AAAA', 'x', '%'];
  for (const wrong of forged) {
    expect(await statusOf(show(`/checkout/${wrong}`, logo.digest))).toBe(404);
  }
  expect(await statusOf(show(checkoutUrl, '0'.repeat(64)))).toBe(404);
  expect(await statusOf(show(unbranded, logo.digest))).toBe(404);
  expect(queries).not.toHaveBeenCalled();

  expect(await statusOf(show(checkoutUrl, logo.digest))).toBe(200);
  expect(queries).toHaveBeenCalledTimes(1);
});

test('rejects every method except GET and HEAD for a logo', async () => {
  const logo = await logoOf('image/png');
  await brand(ALPHA, { logo });
  const response = await call(logoPath(await createHosted(), logo.digest), {
    method: 'POST',
    apiKey: null,
  });
  expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
    status: 405,
    allow: 'GET, HEAD',
  });
});

test('no answer and no webhook mentions branding', async () => {
  const logo = await logoOf('image/png');
  const arrivals = merchantServer();
  await brand(ALPHA, { color: COLOR, logo });
  const created = await answerOf(postHosted({ callbackUrl: CALLBACK_URL }));
  await simulate(await chooseMethod(String(created.envelope.content)), 'approve');
  await consumeAll(caught);
  expect(arrivals).toHaveLength(1);
  const status = await answerOf(call(statusPath('order-1')));
  for (const text of [created.text, status.text, ...arrivals.map((arrival) => arrival.text)]) {
    expect(text).not.toMatch(/brand/i);
    expect(text).not.toContain(COLOR);
    expect(text).not.toContain(logo.digest);
  }
});

test('the database rejects branding of an unknown merchant, an unknown logo and an invalid color', async () => {
  const logo = await logoOf('image/png');
  const { digest: unknownDigest } = await logoOf('image/webp');
  const unknown = 'mer_unknown';
  const rejected = [
    [addLogo(unknown, logo, 0)],
    [setBranding(unknown, { color: COLOR })],
    [setBranding(ALPHA.id, { logoDigest: unknownDigest })],
    ...['', '#0B6B4B', '#0b6', '0b6b4bb', '#0b6b4bf', '#0b6b4g'].map((color) => [
      setBranding(ALPHA.id, { color }),
    ]),
    [addLogo(ALPHA.id, { ...logo, digest: logo.digest.toUpperCase() }, 0)],
    [addLogo(ALPHA.id, { ...logo, bytes: new Uint8Array(17_000) }, 0)],
  ];
  for (const statements of rejected) {
    await expect(runSql(statements)).rejects.toThrow(/constraint failed/);
  }
  expect((await env.DB.prepare('SELECT * FROM merchant_branding').all()).results).toEqual([]);
  expect((await env.DB.prepare('SELECT * FROM merchant_logos').all()).results).toEqual([]);
});
