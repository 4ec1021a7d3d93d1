import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { DESKTOP } from '../support/browser.ts';
import {
  approveButton,
  choose,
  createPayment,
  Device,
  heading,
  payButton,
  payWith,
  SHOP_HEADING,
  shoot,
  startPaying,
} from '../support/e2e-customer.ts';
import { newPhone, onlyWebhook, paymentOf } from '../support/e2e-scene.ts';
import { useJourney } from '../support/journey-stage.ts';
import { postsOf } from '../support/page-checks.ts';

/**
 * Goal: an open page updates itself when the payment changes. Method: no test reloads a page; the
 * change happens elsewhere, or by time.
 */

/** Enough for many polls on a slow machine. */
const POLLED_MS_MAX = 60_000;
/** Enough to open three pages on an idle machine. */
const EXPIRE_IN_SECONDS = 20;
/** The time that the receipt shows. */
const RETURN_AFTER_SECONDS = 10;

const { scene, browser } = await useJourney();

/** Shows a payment in all tabs, with at least half of its time left: a slow machine needs more. */
async function openInTime(tabs: readonly Page[]) {
  for (let expireIn = EXPIRE_IN_SECONDS; ; expireIn *= 2) {
    const beganAtMs = Date.now();
    const payment = await createPayment(scene, { expireIn });
    await Promise.all(tabs.map((tab) => tab.goto(payment.checkoutUrl)));
    if (Date.now() - beganAtMs < (expireIn * 1_000) / 2) {
      return { payment, expireIn };
    }
  }
}

function passSeconds(page: Page, count: number): Promise<void> {
  return page.clock.runFor(count * 1_000);
}

// Concurrent, because the tests mostly wait, each for its own payment.
describe.concurrent('an open page', () => {
  test('follows a push on the phone, also on the desktop that showed the code', async () => {
    const payment = await createPayment(scene);
    const digits = newPhone();
    const desktop = await Device.start(browser, { ...DESKTOP, isMobile: false, hasTouch: false });
    const phone = await Device.start(browser);
    const desktopPage = await desktop.open(payment.checkoutUrl);
    await desktopPage.getByRole('heading', { name: 'Continue on your phone' }).waitFor();
    const phonePage = await phone.open(payment.checkoutUrl);
    await startPaying(phonePage, 'M_PESA', `0${digits}`);

    await heading(desktopPage, 'Confirm on your phone', POLLED_MS_MAX);
    await shoot(desktopPage, 'live-1-push-desktop');
    const secondTab = await phone.open(payment.checkoutUrl);
    await heading(secondTab, 'Confirm on your phone');
    await shoot(secondTab, 'live-2-push-phone');
    for (const page of [desktopPage, secondTab]) {
      const testPhone = page.getByRole('link', { name: 'Open the test phone' });
      expect(await testPhone.getAttribute('href')).toBe(phonePage.url());
      await page.getByText('Waiting for confirmation…').waitFor();
      // One prompt is waiting; another method would send a second one.
      expect(await page.locator('form').count()).toBe(0);
    }

    await approveButton(phonePage).click();
    await Promise.all(
      [phonePage, desktopPage, secondTab].map((page) =>
        heading(page, 'Payment successful', POLLED_MS_MAX),
      ),
    );
    await shoot(desktopPage, 'live-3-paid-desktop');
    const { payment: received } = await onlyWebhook(scene, payment.hook);
    expect(received).toMatchObject({ sequence: 3, transaction: { paymentType: 'M_PESA' } });
    await Promise.all([phone.putAway(), desktop.putAway()]);
  });

  test('leads from a wrong number to the right one once the push was declined: decisions.md#31', async () => {
    const payment = await createPayment(scene);
    const [wrong, right] = [newPhone('7'), newPhone('7')];
    const shown = `0${wrong.slice(0, 3)} ${wrong.slice(3, 6)} ${wrong.slice(6)}`;
    const customer = await Device.start(browser);
    const stranger = await Device.start(browser);
    const page = await customer.open(payment.checkoutUrl);
    await startPaying(page, 'M_PESA', `0${wrong}`);
    const strangersPhone = await stranger.open(page.url());
    await page.getByRole('link', { name: 'Back to checkout' }).click();
    await heading(page, 'Confirm on your phone');
    await page.getByText(english.pushNothingTitle).click();
    await page.getByText(english.wrongNumber(shown)).waitFor();
    await page.getByText(english.anotherTry(english.methodName.M_PESA)).waitFor();
    expect(await page.locator('form').count()).toBe(0);
    await shoot(page, 'live-7-wrong-number');

    await strangersPhone.getByRole('button', { name: 'Decline' }).click();
    await heading(page, 'How do you want to pay?', POLLED_MS_MAX);
    await page.getByText('You have not paid yet').waitFor();
    await page.getByText(english.lastNumber(shown)).waitFor();
    await page.locator('#phone:focus').waitFor();
    const [field, bar] = await Promise.all([
      page.locator('#phone').boundingBox(),
      page.locator('.pay-bar').boundingBox(),
    ]);
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    await shoot(page, 'live-8-right-number');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(`0${right}`);
    await payButton(page).click();
    await approveButton(page).click();
    await heading(page, 'Payment successful');
    const { payment: received } = await onlyWebhook(scene, payment.hook);
    // Versions: created, started, declined, started, paid.
    expect(received).toMatchObject({ sequence: 5, transaction: { paymentType: 'M_PESA' } });
    await Promise.all([customer.putAway(), stranger.putAway()]);
  });

  test('shows that the payment has expired, and accepts no payment then: decisions.md#1, webhooks.md#events', async () => {
    const device = await Device.start(browser);
    const plain = await Device.start(browser, { javaScriptEnabled: false });
    const late = await Device.start(browser);
    await late.stopClock();
    const tabs = await Promise.all([device, late, plain].map((each) => each.tab()));
    const { payment, expireIn } = await openInTime(tabs);
    const [live, stopped, unscripted] = tabs as [Page, Page, Page];
    await live.getByText(/^Time left to pay: \d:\d\d$/).waitFor();
    await unscripted.getByText(/^Please pay before .* EAT\.$/).waitFor();
    await choose(live, 'M_PESA', '0911');
    await choose(stopped, 'ETS_SWITCH');
    await Promise.all(
      [live, unscripted].map((page) =>
        heading(page, 'This payment has expired', expireIn * 1_000 + POLLED_MS_MAX),
      ),
    );
    await shoot(live, 'live-4-expired');
    const event = await onlyWebhook(scene, payment.hook);
    expect(event.webHookEvent).toBe('PAYMENT_EXPIRED');

    await payButton(stopped).click();
    await heading(stopped, 'This payment has expired');
    expect(await paymentOf(scene, payment.uniqueId)).toMatchObject({
      status: 'EXPIRED',
      transaction: null,
    });
    expect(payment.hook.requests).toHaveLength(1);
    await Promise.all([device.putAway(), plain.putAway(), late.putAway()]);
  });

  test('shows that the merchant has canceled: decisions.md#25', async () => {
    const payment = await createPayment(scene);
    const device = await Device.start(browser);
    const page = await device.open(payment.checkoutUrl);
    await heading(page, 'How do you want to pay?');
    expect((await scene.sandbox.cancel(payment.uniqueId)).status).toBe(200);
    await heading(page, 'This payment was canceled', POLLED_MS_MAX);
    await shoot(page, 'live-5-canceled');
    await device.putAway();
  });

  test('shows that the network is down, sends nothing then, and catches up afterwards', async () => {
    const payment = await createPayment(scene);
    const device = await Device.start(browser);
    // A poll may be under way when the network goes down.
    device.tolerated.push(/ERR_INTERNET_DISCONNECTED/);
    const page = await device.open(payment.checkoutUrl);
    const posts = postsOf(page);
    await choose(page, 'ETS_SWITCH');
    const note = page.locator('[data-connection]');
    expect(await note.isVisible()).toBe(false);
    await device.context.setOffline(true);
    await page.getByText(english.noConnection).waitFor();
    await payButton(page).click();
    await page.getByText('You are offline, so nothing was sent.').waitFor();
    await shoot(page, 'live-6-offline');
    expect(posts).toEqual([]);
    expect(await page.locator('form[aria-busy]').count()).toBe(0);

    const other = await Device.start(browser);
    await payWith(await other.open(payment.checkoutUrl), 'TELE_BIRR');
    await device.context.setOffline(false);
    await heading(page, 'Payment successful', POLLED_MS_MAX);
    expect(await note.isVisible()).toBe(false);
    expect(posts).toEqual([]);
    await onlyWebhook(scene, payment.hook);
    await Promise.all([device.putAway(), other.putAway()]);
  });

  test('returns to the merchant automatically: decisions.md#20', async () => {
    const payment = await createPayment(scene);
    const device = await Device.start(browser);
    await device.stopClock();
    const page = await device.open(payment.checkoutUrl);
    await payWith(page, 'TELE_BIRR');
    await page.getByText(`in ${RETURN_AFTER_SECONDS} s.`).waitFor();
    await passSeconds(page, RETURN_AFTER_SECONDS - 2);
    await page.getByText('in 2 s.').waitFor();
    expect(payment.shop.requests).toEqual([]);
    await passSeconds(page, 2);
    await heading(page, SHOP_HEADING);
    expect(new URL(page.url()).searchParams.get('status')).toBe('SUCCESS');
    // A customer who comes back wants to read, so the page does not return again.
    await page.goBack();
    await heading(page, 'Payment successful');
    await passSeconds(page, 2 * RETURN_AFTER_SECONDS);
    await heading(page, 'Payment successful');
    expect(payment.shop.requests).toHaveLength(1);
    await device.putAway();
  });

  test('returns to the merchant automatically without JavaScript: decisions.md#20', async () => {
    const payment = await createPayment(scene);
    const device = await Device.start(browser, { javaScriptEnabled: false });
    const page = await device.open(payment.checkoutUrl);
    await payWith(page, 'TELE_BIRR');
    // Playwright's search by text ignores `noscript`.
    await page.locator('[data-return] noscript').waitFor({ state: 'attached' });
    await heading(page, SHOP_HEADING);
    await device.putAway();
  });
});
