import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY, WRANGLER_CONFIG_FILE } from '../../scripts/project/files.ts';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import {
  createHosted,
  type HostedPayment,
  MerchantApi,
  newPhone,
  paymentOf,
  press,
  type Scene,
  startScene,
} from '../support/e2e-scene.ts';
import { formTo, open, type Page, submit } from '../support/e2e-visitor.ts';

/** `simple.limit` of each binding in wrangler.toml. */
const LINK_LIMIT = 60;
const FAILED_KEY_LIMIT = 30;
const PROMPT_LIMIT = 10;
const MINUTE_MS = 60_000;
/** A period may end in between, and a busy machine may need several until it is fast enough. */
const MARGIN = 10;
const AT_ONCE = 20;

/** As wrangler.toml sets the limits, not as this test lowers one. */
const POLICY = '"key";q=1000;w=10, "network";q=30;w=60';

/**
 * A key may make 1,000 requests in 10 s, which a slow machine cannot, so the test lowers it, to more
 * than the other tests need.
 */
const KEY_LIMIT = 60;
/** Beside wrangler.toml, because paths in it are relative to it. Git-ignored. */
const CONFIG_FILE = join(PROJECT_DIRECTORY, 'wrangler.limits-test.toml');

let scene: Scene;

beforeAll(async () => {
  const config = await readFile(WRANGLER_CONFIG_FILE, 'utf8');
  const keyLimit = /(name = "API_RATE_LIMIT"\n.*\nsimple = \{ limit = )1000(, period = 10 \})/;
  expect(config).toMatch(keyLimit);
  await writeFile(
    CONFIG_FILE,
    config.replace(keyLimit, (_, head, tail) => `${head}${KEY_LIMIT}${tail}`),
  );
  scene = await startScene({ name: 'limits', args: ['--config', CONFIG_FILE] });
});

afterAll(async () => {
  await scene?.close();
  await rm(CONFIG_FILE, { force: true });
});

/** Calls in parallel batches until `isOver`; the answer that was over, or null at `callsMax`. */
async function callsUntil<T>(
  callsMax: number,
  call: () => Promise<T>,
  isOver: (answer: T) => boolean,
): Promise<T | null> {
  for (let calls = 0; calls < callsMax; calls += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, call));
    const over = answers.find(isOver);
    if (over !== undefined) {
      return over;
    }
  }
  return null;
}

/** The limiter counts clock minutes, so this repeats an act that spans two of them. */
async function withinOneMinute<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const result = await act();
    if (Math.floor(Date.now() / MINUTE_MS) === minute) {
      return result;
    }
  }
}

/** The customer enters a phone on the payment's page and submits the form. */
async function askForPrompt(
  { checkoutUrl }: HostedPayment,
  phone: string,
  method = 'M_PESA',
): Promise<Page> {
  return submit(formTo(await open(checkoutUrl), '/attempts'), { method, phone });
}

/** Sequential, because the last test exhausts the merchant's key. */
describe('rate limits: decisions.md#27', () => {
  test('limits a link that is opened too often, but no other', async () => {
    const busy = await createHosted(scene);
    const other = await createHosted(scene);
    const over = await callsUntil(
      LINK_LIMIT * MARGIN,
      () => open(busy.checkoutUrl),
      ({ status }) => status === 429,
    );
    expect(over?.heading).toBe('One moment, please');
    expect(over?.headers.get('retry-after')).toBe('10');
    expect((await open(other.checkoutUrl)).status).toBe(200);
  });

  test('limits an IP address that guesses keys, but not the right key', async () => {
    const { uniqueId } = await createHosted(scene);
    const guesser = new MerchantApi(scene.gateway.baseUrl, 'kfl_test_guess', 'sandbox');
    const over = await callsUntil(
      FAILED_KEY_LIMIT * MARGIN,
      () => guesser.status('x'),
      ({ status }) => status === 429,
    );
    expect(over?.body).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(over?.headers.get('ratelimit-policy')).toBe(POLICY);
    expect(over?.headers.get('retry-after')).toBe('60');
    expect(await paymentOf(scene, uniqueId)).toMatchObject({ status: 'OPEN' });
  });

  test('prompts a phone at most ten times a minute, for all merchants together', async () => {
    const { phone, payment, asked, refused } = await withinOneMinute(async () => {
      const phone = newPhone();
      const payments = await Promise.all(
        Array.from({ length: PROMPT_LIMIT }, () => createHosted(scene, { methods: ['M_PESA'] })),
      );
      const asked = await Promise.all(
        payments.map((payment) => askForPrompt(payment, `0${phone}`)),
      );
      // The number's format and the method do not matter.
      const payment = await createHosted(scene);
      const refused = await askForPrompt(payment, `+251 ${phone}`, 'E_BIRR');
      return { phone, payment, asked, refused };
    });
    expect(asked.map(({ heading }) => heading)).toEqual(
      Array(PROMPT_LIMIT).fill('Payment simulator'),
    );
    expect([refused.status, refused.heading]).toEqual([200, english.chooseMethod]);
    expect(refused.html).toContain(english.tooManyTitle);
    // The page keeps what the customer typed, and its address does not tell it.
    expect(refused.html).toContain(`value="+251 ${phone}"`);
    expect(refused.url).not.toContain(phone);
    expect(await paymentOf(scene, payment.uniqueId)).toMatchObject({
      status: 'OPEN',
      transaction: null,
      sequence: 1,
    });

    const form = formTo(await open(payment.checkoutUrl), '/attempts');
    const byPage = await submit(form, { method: 'TELE_BIRR', phone });
    expect(byPage.heading).toBe('Payment simulator');
    await press(byPage, 'decline');
    const another = await askForPrompt(payment, newPhone());
    expect(another.heading).toBe('Payment simulator');
  }, 120_000);

  test('limits a key that makes too many requests', async () => {
    const over = await callsUntil(
      KEY_LIMIT * MARGIN,
      () => scene.sandbox.call<unknown>('GET', 'banks'),
      ({ status }) => status === 429,
    );
    expect(over?.body).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(over?.headers.get('ratelimit-policy')).toBe(POLICY);
    expect(over?.headers.get('retry-after')).toBe('10');
  });
});
