import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { steadyNowMs } from '../support/e2e-merchant-server.ts';
import {
  createHosted,
  fence,
  type HostedPayment,
  newPhone,
  onlyWebhook,
  paymentOf,
  press,
  useScene,
} from '../support/e2e-scene.ts';
import { formTo, open, type Page, submit } from '../support/e2e-visitor.ts';

/** Enough time to open pages, even on a busy machine. */
const EXPIRE_IN_SECONDS = 15;

const scene = await useScene();

/** Goes from the first page to the simulator's. */
async function choose(payment: HostedPayment, method = 'TELE_BIRR'): Promise<Page> {
  const page = await open(payment.checkoutUrl);
  const simulator = await submit(formTo(page, '/attempts'), { method, phone: '0911223344' });
  expect(simulator.heading).toBe('Payment simulator');
  return simulator;
}

/** The query of the merchant's page; the merchant's own parameters must come first, unchanged. */
async function returnedWith(payment: HostedPayment, index = 0): Promise<Record<string, string>> {
  const { url } = await payment.shop.request(index);
  const own = '?basket=7%20a&empty=&';
  expect(url).toContain(own);
  return Object.fromEntries(new URLSearchParams(url.slice(url.indexOf(own) + own.length)));
}

/** What browsers and crawlers ask for by a fixed name. */
const FILES = [
  ['icon.svg', 'image/svg+xml'],
  ['favicon.ico', 'image/vnd.microsoft.icon'],
  ['robots.txt', 'text/plain'],
] as const;

test.each(FILES)('serves /%s as a file', async (name, mediaType) => {
  const response = await fetch(`${scene.gateway.baseUrl}/${name}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining(mediaType),
  ]);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).not.toContain('<html');
});

test.each([
  '/assets/checkout.00000000.js',
  '/dashboard-assets/dashboard.00000000.css',
  '/docs-assets/main.00000000.js',
  '/docs/assets/main.00000000.js',
])('lets no cache keep the missing file %s', async (path) => {
  const response = await fetch(scene.gateway.baseUrl + path);
  expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
  await response.body?.cancel();
});

test.each([
  ...['/', '/nothing', '/api', '/openapi.json', '/kefel.js', '/rails/none/x', '/assets/none.js'],
  ...['/docs', '/docs/', '/docs/search.json', '/docs/none', '/llms.txt', '/dashboard', '/operator'],
  ...['/checkout/none', '//api/v1/payment/banks', '//rails/none/x', '///none'],
])('says nosniff at %s', async (path) => {
  const response = await fetch(scene.gateway.baseUrl + path, { redirect: 'manual' });
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  await response.body?.cancel();
});

test.each(['GET', 'POST'])('answers %s //api/v1/… as /api/v1/…', async (method) => {
  const answers = ['/api/v1/payment/banks', '//api//v1/payment/banks'].map(async (path) => {
    const response = await fetch(scene.gateway.baseUrl + path, { method });
    const { code } = Object(await response.json());
    return [response.status, code];
  });
  const [plain, doubled] = await Promise.all(answers);
  expect(doubled).toEqual(plain);
});

describe.concurrent('hosted checkout', () => {
  test('is paid through the pages: decisions.md#11, #16, #17, #20, #22', async () => {
    const payment = await createHosted(scene);
    const first = await open(payment.checkoutUrl);
    expect(first.status).toBe(200);
    expect(first.text).toContain('Demo Shop');
    expect(first.text).toContain('100.00');
    expect(formTo(first, '/attempts').inputs.map(({ value }) => value)).toEqual(
      expect.arrayContaining([
        'TELE_BIRR',
        'TELE_BIRR_USSD',
        'CBE',
        'ETS_SWITCH',
        'M_PESA',
        'E_BIRR',
      ]),
    );
    expect((await paymentOf(scene, payment.uniqueId)).status).toBe('OPEN');

    const simulator = await choose(payment, 'TELE_BIRR');
    expect(simulator.text).toContain('stands in for telebirr in the sandbox');
    expect((await paymentOf(scene, payment.uniqueId)).status).toBe('PROCESSING');

    const paid = await press(simulator, 'approve');
    expect(paid.heading).toBe('Payment successful');
    expect(paid.url).toBe(payment.checkoutUrl);

    const event = await onlyWebhook(scene, payment.hook);
    expect(event).toMatchObject({ webHookEvent: 'PAYMENT_SUCCESS', status: 'SUCCESS' });
    expect(event.payment).toMatchObject({
      test: true,
      totalAmount: 10_000,
      currency: 'ETB',
      previousStatus: 'PROCESSING',
      late: false,
      transaction: { paymentType: 'TELE_BIRR', transactionStatus: 'SUCCESS' },
    });

    await open(paid.links.get('Return to Demo Shop') ?? '');
    expect(await returnedWith(payment)).toEqual({
      paymentIntentUniqueId: payment.uniqueId,
      status: 'SUCCESS',
      transactionId: event.payment.transaction?.transactionId,
    });

    const { event: _event, ...announced } = event.payment;
    expect(await paymentOf(scene, payment.uniqueId)).toEqual({
      ...announced,
      description: null,
      debitAccount: null,
      phoneNumber: null,
      anomalies: [],
      refundedAmount: 0,
      refunds: [],
      netShareAmounts: [],
      expiryHeldUntil: null,
      checkoutUrl: null,
    });
    expect((await open(payment.checkoutUrl)).heading).toBe('Payment successful');
  });

  test('is canceled while open without an event, and accepts no payment then: decisions.md#21, #25', async () => {
    const payment = await createHosted(scene);
    const secondTab = await open(payment.checkoutUrl);
    const simulator = await choose(payment);
    const refused = await scene.sandbox.cancel(payment.uniqueId);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'A payment is in progress; it cannot be canceled now',
    ]);
    await press(simulator, 'decline');

    const canceled = await scene.sandbox.cancel(payment.uniqueId);
    expect(canceled.body).toMatchObject({ status: 200, content: { status: 'CANCELED' } });
    expect((await open(payment.checkoutUrl)).heading).toBe('This payment was canceled');
    const tried = await submit(formTo(secondTab, '/attempts'), { method: 'TELE_BIRR' });
    expect(tried.heading).toBe('This payment was canceled');
    expect(tried.url).toBe(payment.checkoutUrl);
    expect((await press(simulator, 'approve')).heading).toBe('This payment was canceled');
    expect((await scene.sandbox.cancel(payment.uniqueId)).status).toBe(200);
    await fence(scene);
    expect(payment.hook.requests).toEqual([]);
    expect(await paymentOf(scene, payment.uniqueId)).toMatchObject({ status: 'CANCELED' });
  });

  test('expires once, at its expiry time: webhooks.md#events, decisions.md#1', async () => {
    const askedAtMs = steadyNowMs();
    const payment = await createHosted(scene, { expireIn: EXPIRE_IN_SECONDS });
    const page = await open(payment.checkoutUrl);
    const request = await payment.hook.request(0);
    expect(request.receivedAtMs - askedAtMs).toBeGreaterThanOrEqual(EXPIRE_IN_SECONDS * 1_000);
    const event = await onlyWebhook(scene, payment.hook);
    expect(event).toMatchObject({
      webHookEvent: 'PAYMENT_EXPIRED',
      status: 'EXPIRED',
      payment: { previousStatus: 'OPEN', transaction: null },
    });
    expect((await open(payment.checkoutUrl)).heading).toBe('This payment has expired');
    const tried = await submit(formTo(page, '/attempts'), { method: 'TELE_BIRR' });
    expect(tried.heading).toBe('This payment has expired');
    expect(await paymentOf(scene, payment.uniqueId)).toMatchObject({
      status: 'EXPIRED',
      transaction: null,
    });
  });

  test('keeps a phone that the merchant fixed: api.md#customer-info', async () => {
    const payment = await createHosted(scene, {
      methods: ['M_PESA'],
      customerInfo: { phone: '911223344', isPhoneUpdatable: false },
    });
    const page = await open(payment.checkoutUrl);
    const form = formTo(page, '/attempts');
    const phone = form.inputs.find(({ name }) => name === 'phone');
    expect(phone?.isReadOnly).toBe(true);
    expect(phone?.value.replaceAll(/\D/g, '')).toMatch(/911223344$/);
    expect(form.inputs.filter(({ isChecked }) => isChecked)).toMatchObject([{ value: 'M_PESA' }]);
    // An edited form does not override the merchant's phone.
    const simulator = await submit(form, { phone: 'not a phone' });
    expect(simulator.heading).toBe('Payment simulator');
  });

  test('starts one attempt and pays once for repeated forms: decisions.md#30', async () => {
    const payment = await createHosted(scene);
    const page = await open(payment.checkoutUrl);
    const form = formTo(page, '/attempts');
    const clicks = await Promise.all([1, 2, 3].map(() => submit(form, { method: 'TELE_BIRR' })));
    expect(clicks.map(({ status }) => status)).toEqual([200, 200, 200]);
    const simulators = new Set(
      clicks.map(({ url }) => url).filter((url) => url.includes('/simulator/')),
    );
    expect(simulators.size).toBe(1);
    const simulator = await open([...simulators][0] ?? '');
    const approvals = await Promise.all([1, 2, 3].map(() => press(simulator, 'approve')));
    expect(approvals.map(({ heading }) => heading)).toEqual(Array(3).fill('Payment successful'));
    expect((await press(simulator, 'decline')).heading).toBe('Payment successful');
    const event = await onlyWebhook(scene, payment.hook);
    expect(event.payment.status).toBe('SUCCESS');
    expect(simulator.text).toContain(event.payment.transaction?.transactionId ?? 'no transaction');
    // Versions: created, started, resolved. A second attempt would add more.
    expect(event.payment.sequence).toBe(3);
    expect((await paymentOf(scene, payment.uniqueId)).anomalies).toEqual([]);

    const late = await submit(form, { method: 'CBE', phone: `0${newPhone()}` });
    expect(late.trail).toEqual([form.action, `${payment.checkoutUrl}?already=1`]);
    expect(late.heading).toBe(english.alreadyPaidTitle);
    expect((await open(payment.checkoutUrl)).heading).toBe('Payment successful');
  });

  test('starts one attempt per form, even if it fails before the form is sent again: decisions.md#30', async () => {
    const payment = await createHosted(scene);
    const form = formTo(await open(payment.checkoutUrl), '/attempts');
    const choice = { method: 'TELE_BIRR' };
    await press(await submit(form, choice), 'decline');
    const declined = await paymentOf(scene, payment.uniqueId);
    expect(declined).toMatchObject({
      status: 'OPEN',
      sequence: 3,
      transaction: { transactionStatus: 'FAILED' },
    });

    const pages = await Promise.all([
      ...[1, 2, 3].map(() => submit(form, choice)),
      submit(form, { method: 'M_PESA', phone: `0${newPhone()}` }),
      // A used form is not validated.
      submit(form, { method: 'M_PESA', phone: '12' }),
    ]);
    for (const page of pages) {
      expect(page.trail).toEqual([form.action, payment.checkoutUrl]);
      expect(page.text).toContain('The payment was declined');
    }
    // The version has not changed.
    expect(await paymentOf(scene, payment.uniqueId)).toEqual(declined);

    const fresh = formTo(await open(payment.checkoutUrl), '/attempts');
    const clicks = [submit(fresh, choice), submit(fresh, choice), submit(fresh, choice)] as const;
    const [simulator, ...others] = await Promise.all(clicks);
    expect(others.map(({ url }) => url)).toEqual([simulator.url, simulator.url]);
    await press(simulator, 'approve');
    const event = await onlyWebhook(scene, payment.hook);
    expect(event.payment).toMatchObject({ status: 'SUCCESS', sequence: 5 });
    expect(event.payment.transaction?.transactionId).not.toBe(declined.transaction?.transactionId);
  });

  test.each(['attempts', 'abandon', 'give-up'])(
    'redirects a GET of …/%s to the page',
    async (form) => {
      const payment = await createHosted(scene);
      const page = await open(`${payment.checkoutUrl}/${form}`);
      expect(page).toMatchObject({ url: payment.checkoutUrl, status: 200 });
    },
  );

  test('redirects a form without the hidden field to the attempt in flight: decisions.md#30', async () => {
    const payment = await createHosted(scene);
    const form = formTo(await open(payment.checkoutUrl), '/attempts');
    const old = { ...form, inputs: form.inputs.filter(({ name }) => name !== 'attempts') };
    expect((await submit(old, { method: 'TELE_BIRR' })).status).toBe(400);
    const simulator = await choose(payment, 'TELE_BIRR');
    expect((await submit(old, { method: 'TELE_BIRR' })).url).toBe(simulator.url);
  });
});
