import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { wireAmount } from '../../lab/harness/wire-amount.ts';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { launchBrowser } from '../support/browser.ts';
import { createPayment, Device, heading, payWith, SHOP_HEADING } from '../support/e2e-customer.ts';
import { HANG, OK } from '../support/e2e-merchant-server.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectTold, PAID } from '../support/e2e-rails-endings.ts';
import { APP_CELLS, CELLS, type Cell } from '../support/e2e-rails-table.ts';
import { eventually, expressBody, newId, onlyWebhook, webhook } from '../support/e2e-scene.ts';
import { open } from '../support/e2e-visitor.ts';

/**
 * What only a running gateway proves, for every change: one payment by every method, one kill and
 * one visit in a browser. The folders `e2e`, `journeys` and `browser` have the rest.
 */

const rails = new RailsScene('smoke', { hasAppForms: true });

beforeAll(() => rails.start());

afterAll(() => rails.close());

describe.concurrent('the customer pays', () => {
  const pays = async (cell: Cell) => {
    const payment = await rails.pay(cell);
    const order = await payment.order();
    expect(order.amountText).toBe(wireAmount(payment.standIn, payment.chargedMinor));
    expect(order.phone).toBe(payment.isRedirect ? null : `251${payment.phone}`);
    if (payment.answer !== null) {
      expect(payment.answer).toMatchObject({
        status: 'SUCCESS',
        paymentUrl:
          payment.isRedirect && cell.telebirrForm === undefined
            ? expect.stringContaining(payment.standIn.baseUrl)
            : null,
      });
    }

    await payment.act('pays');
    await expectTold(payment, [PAID]);
    if (cell.kind === 'hosted') {
      expect((await open(payment.checkoutUrl)).heading).toBe(english.paidTitle);
    }
  };

  it.each(CELLS)('$method, $kind: PAYMENT_SUCCESS', pays);
  it.each(APP_CELLS)('$method, $telebirrForm: PAYMENT_SUCCESS', pays);
});

test('promises.md#6: SIGKILL loses no acknowledged payment, and its event comes again', async () => {
  const { scene } = rails;
  const hook = scene.server.endpoint(HANG, OK);
  const body = expressBody({ callbackUrl: hook.url });
  const headers = { 'idempotency-key': newId() };
  const first = await scene.sandbox.express(body, headers);
  expect(first.status).toBe(200);
  const cutOff = await hook.request(0);
  await scene.gateway.kill();
  await scene.gateway.restart();

  const repeated = await eventually(
    () => scene.sandbox.express(body, headers),
    ({ status }) => status === 200,
  );
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(repeated.raw).toBe(first.raw);
  expect(await webhook(scene, hook, 1)).toMatchObject({ webHookEvent: 'PAYMENT_SUCCESS' });
  const again = await hook.request(1);
  expect(again.headers['webhook-id']).toBe(cutOff.headers['webhook-id']);
  expect(again.rawBody.equals(cutOff.rawBody)).toBe(true);
});

test('a customer pays in a browser, and returns to the shop', async () => {
  const { scene } = rails;
  const browser = await launchBrowser();
  try {
    const payment = await createPayment(scene);
    const device = await Device.start(browser);
    const page = await device.open(payment.checkoutUrl);
    await payWith(page, 'TELE_BIRR');
    await page.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(page, SHOP_HEADING);
    expect(new URL(page.url()).searchParams.get('status')).toBe('SUCCESS');
    expect(await onlyWebhook(scene, payment.hook)).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
    });
    await device.putAway();
  } finally {
    await browser.close();
  }
});
