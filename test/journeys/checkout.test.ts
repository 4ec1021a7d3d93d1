import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import {
  approveButton,
  choose,
  createPayment,
  Device,
  heading,
  JAVASCRIPT,
  payButton,
  payWith,
  SHOP_HEADING,
  shoot,
  startPaying,
} from '../support/e2e-customer.ts';
import { newPhone, onlyWebhook, paymentOf } from '../support/e2e-scene.ts';
import { useJourney } from '../support/journey-stage.ts';
import { postsOf } from '../support/page-checks.ts';
import { TRANSLATIONS } from '../support/translations.ts';

/**
 * Goal: customers pay once for any sequence of clicks, with and without JavaScript. Method: Chromium
 * on a phone's screen against `npm run dev`; a merchant that verifies its webhooks.
 */

const { scene, browser } = await useJourney();

interface Submission {
  readonly isSent: boolean;
  readonly isBusy: string | null;
  readonly isDisabled: string | null;
  /** The button's text. */
  readonly text: string;
}

/**
 * What the page shows right after each click on a form's button. The page itself records it:
 * during a navigation, Playwright cannot query it.
 */
async function submissionsOf(page: Page): Promise<Submission[]> {
  const submissions: Submission[] = [];
  await page.exposeFunction('tellSubmission', (submission: Submission) => {
    submissions.push(submission);
  });
  await page.addInitScript(`addEventListener('submit', ({ target, submitter, defaultPrevented }) =>
    tellSubmission({
      isSent: !defaultPrevented,
      isBusy: target.getAttribute('aria-busy'),
      isDisabled: submitter.getAttribute('aria-disabled'),
      text: submitter.textContent,
    }))`);
  return submissions;
}

/** Holds back requests to `url` until the returned function is called, like a slow network. */
async function holdBack(page: Page, url: string): Promise<() => void> {
  const isReleased = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await isReleased.promise;
    await route.continue();
  });
  return isReleased.resolve;
}

describe.each(JAVASCRIPT)('a phone %s', (_name, javaScriptEnabled) => {
  const prefix = javaScriptEnabled ? 'js' : 'nojs';
  const phone = () =>
    Device.start(browser, { javaScriptEnabled, colorScheme: javaScriptEnabled ? 'dark' : 'light' });

  test('decisions.md#20, #22, #30: pays by another method after a decline', async () => {
    const payment = await createPayment(scene, {
      amount: undefined,
      items: [
        { name: 'Yirgacheffe coffee, 1 kg', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 450 },
        {
          name: 'ቡና ማፍያ ጀበና',
          description: 'Clay, black',
          quantity: 1,
          type: 'PHYSICAL_PRODUCT',
          price: 600,
        },
      ],
      commissionPaidByCustomer: true,
      customerInfo: { name: 'Almaz', phone: newPhone(), isPhoneUpdatable: true },
    });
    const device = await phone();
    const page = await device.open(payment.checkoutUrl);
    await heading(page, 'How do you want to pay?');
    await shoot(page, `${prefix}-1-choose`);
    await page.getByText(english.details).click();
    await page.getByText('ቡና ማፍያ ጀበና').waitFor();
    await shoot(page, `${prefix}-2-details`);
    await page.getByText(english.methodName.M_PESA, { exact: true }).click();
    await shoot(page, `${prefix}-3-chosen`);
    await payButton(page).click();
    await heading(page, 'Payment simulator');
    await shoot(page, `${prefix}-4-simulator`);
    await page.getByRole('button', { name: 'Decline' }).click();
    await heading(page, 'How do you want to pay?');
    await page.getByText('You have not paid yet').waitFor();
    await shoot(page, `${prefix}-5-declined`);
    await page.getByText(english.methodHint.TELE_BIRR).click();
    await payButton(page).click();
    await heading(page, 'Payment simulator');
    await page.getByRole('link', { name: 'Back to checkout' }).click();
    await heading(page, 'Continue with telebirr');
    await shoot(page, `${prefix}-6-in-flight`);
    await page.getByRole('link', { name: 'Continue to telebirr' }).click();
    await approveButton(page).click();
    await heading(page, 'Payment successful');
    await shoot(page, `${prefix}-7-paid`);
    await page.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(page, SHOP_HEADING);
    expect(new URL(page.url()).searchParams.get('status')).toBe('SUCCESS');

    const event = await onlyWebhook(scene, payment.hook);
    expect(event).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
      payment: {
        totalAmount: 150_000,
        chargedAmount: 153_750,
        transaction: { paymentType: 'TELE_BIRR' },
      },
    });
    await device.putAway();
  });

  test('pays once after a double click', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    // Without the script, the second click cancels the answer to the first.
    device.tolerated.push(/^failed: .*\/(attempts|rails\/simulator\/[^/]+)$/);
    const page = await device.open(payment.checkoutUrl);
    await choose(page, 'TELE_BIRR');
    await payButton(page).dblclick();
    await heading(page, 'Payment simulator');
    await approveButton(page).dblclick();
    await heading(page, 'Payment successful');
    const event = await onlyWebhook(scene, payment.hook);
    // Versions: created, started, resolved. A second attempt would add more.
    expect(event.payment).toMatchObject({ status: 'SUCCESS', sequence: 3 });
    expect((await paymentOf(scene, payment.uniqueId)).anomalies).toEqual([]);
    await device.putAway();
  });

  test('decisions.md#30: pays once from two tabs at the same time', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    const first = await device.open(payment.checkoutUrl);
    const second = await device.open(payment.checkoutUrl);
    await choose(first, 'TELE_BIRR');
    await choose(second, 'ETS_SWITCH');
    await Promise.all([payButton(first).click(), payButton(second).click()]);
    await Promise.all([heading(first, 'Payment simulator'), heading(second, 'Payment simulator')]);
    expect(second.url()).toBe(first.url());
    await approveButton(first).click();
    await heading(first, 'Payment successful');
    await approveButton(second).click();
    await heading(second, 'Payment successful');

    const { payment: received } = await onlyWebhook(scene, payment.hook);
    expect(received).toMatchObject({ status: 'SUCCESS', sequence: 3 });
    const { event: _event, ...announced } = received;
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
    await device.putAway();
  });

  test('is not asked to pay again after going back', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    const page = await device.open(payment.checkoutUrl);
    await payWith(page, 'TELE_BIRR');
    await page.getByRole('link', { name: 'Return to Demo Shop', exact: true }).click();
    await heading(page, SHOP_HEADING);
    for (const title of [
      'Payment successful',
      english.simulatorSettledTitle,
      'Payment successful',
    ]) {
      await page.goBack();
      await heading(page, title);
      expect(await page.locator('form').count()).toBe(0);
    }
    expect(page.url()).toBe(payment.checkoutUrl);
    await onlyWebhook(scene, payment.hook);
    await device.putAway();
  });

  test('that sends an old form after paying sees that the payment is paid: decisions.md#30', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    // Otherwise the script would notice that the form is old.
    await device.stopClock();
    const stale = await device.open(payment.checkoutUrl);
    await payWith(await device.open(payment.checkoutUrl), 'TELE_BIRR');
    const paid = await paymentOf(scene, payment.uniqueId);
    await choose(stale, 'ETS_SWITCH');
    await payButton(stale).click();
    await heading(stale, english.alreadyPaidTitle);
    await shoot(stale, `${prefix}-8-already-paid`);
    await stale.goBack();
    await heading(stale, 'Payment successful');
    expect(await paymentOf(scene, payment.uniqueId)).toEqual(paid);
    await onlyWebhook(scene, payment.hook);
    await device.putAway();
  });

  test('must confirm before leaving, and then returns to the merchant: decisions.md#25', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    const page = await device.open(payment.checkoutUrl);
    await choose(page, 'CBE');
    const wayBack = page.locator('.back');
    const host = new URL(payment.shop.url).host;
    expect(await wayBack.textContent()).toBe(`Return to Demo Shop ${host}`);
    const leave = page.getByRole('button', { name: 'Cancel and return to Demo Shop' });
    expect(await leave.isVisible()).toBe(false);
    await wayBack.click();
    await page.getByText('Leave without paying?').waitFor();
    await shoot(page, `${prefix}-9-leaving`);
    await page.getByRole('link', { name: english.keepPaying }).click();
    await expect.poll(() => leave.isVisible()).toBe(false);
    // The link loads the page again only where no script closes the question.
    expect(await page.locator('[value=CBE]').isChecked()).toBe(javaScriptEnabled);
    await wayBack.click();
    await leave.click();
    await heading(page, SHOP_HEADING);
    expect(new URL(page.url()).searchParams.get('status')).toBe('FAILED');
    expect(await onlyWebhook(scene, payment.hook)).toMatchObject({
      webHookEvent: 'PAYMENT_FAILED',
      payment: { reason: 'abandoned', transaction: null },
    });
    await page.goto(payment.checkoutUrl);
    await heading(page, 'Payment not completed');
    await shoot(page, `${prefix}-10-failed`);
    // Leaving ends nothing now, so the page does not ask.
    expect(await wayBack.getAttribute('href')).toContain(payment.shop.url);
    await wayBack.click();
    await heading(page, SHOP_HEADING);
    await device.putAway();
  });

  test('abandons the payment in the simulator with one click: decisions.md#25, #30', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    const page = await device.open(payment.checkoutUrl);
    await startPaying(page, 'ETS_SWITCH');
    await page.getByRole('button', { name: 'Fail and return to merchant' }).click();
    await heading(page, SHOP_HEADING);
    expect(new URL(page.url()).searchParams.get('status')).toBe('FAILED');
    expect(await onlyWebhook(scene, payment.hook)).toMatchObject({
      webHookEvent: 'PAYMENT_FAILED',
      payment: { reason: 'abandoned' },
    });
    await device.putAway();
  });

  test('keeps its input after a mistyped number, and accepts several number formats: decisions.md#3', async () => {
    const payment = await createPayment(scene);
    const device = await phone();
    const page = await device.open(payment.checkoutUrl);
    await choose(page, 'M_PESA', '0911 22');
    await payButton(page).click();
    const field = page.getByLabel('Phone number');
    await page.locator('#phone-problem').getByText('Ethiopian mobile number').waitFor();
    const isSent = !javaScriptEnabled;
    expect(await page.getByText(english.problemTitle).count()).toBe(isSent ? 1 : 0);
    expect(await page.title()).toMatch(isSent ? /^Please check your details/ : /^Pay ETB/);
    expect(await field.inputValue()).toBe('0911 22');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('input:checked').inputValue()).toBe('M_PESA');
    expect(await page.evaluate('document.activeElement.id')).toBe('phone');
    const [fieldBox, barBox] = await Promise.all([
      field.boundingBox(),
      page.locator('.pay-bar').boundingBox(),
    ]);
    // The bar sticks to the edge of the screen and must not cover the focused element.
    expect((fieldBox?.y ?? 0) + (fieldBox?.height ?? 0)).toBeLessThanOrEqual(barBox?.y ?? 0);
    expect(fieldBox?.y).toBeGreaterThanOrEqual(0);
    await shoot(page, `${prefix}-11-refused`);

    const digits = newPhone();
    // As on business cards, with a word processor's dashes.
    const written = `+251 (0) ${digits.slice(0, 3)}\u2011${digits.slice(3, 6)} ${digits.slice(6)}`;
    await field.fill(written);
    await payButton(page).click();
    await heading(page, 'Payment simulator');
    await page.goto(payment.checkoutUrl);
    await heading(page, 'Confirm on your phone');
    const shown = `0${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`;
    await page.getByText(english.pushLead(english.methodName.M_PESA, shown)).waitFor();
    await device.putAway();
  });

  test('can go back, reload and change the language after a refused form', async () => {
    const { om: oromo } = TRANSLATIONS;
    const payment = await createPayment(scene);
    const device = await phone();
    const page = await device.open(payment.checkoutUrl);
    // What the script does not check, and a browser without it.
    await page.locator('form.choose').evaluate((form: HTMLFormElement) => form.submit());
    await page.getByRole('alert').getByText(english.problem.method_missing).waitFor();
    await choose(page, 'M_PESA', '0911 22');
    await page.locator('form.choose').evaluate((form: HTMLFormElement) => form.submit());
    const problem = page.getByRole('alert').getByText(startOf(english.problem.phone_invalid));
    await problem.waitFor();
    const posts = postsOf(page);
    await page.reload();
    await problem.waitFor();
    expect(await page.locator('#phone').inputValue()).toBe('0911 22');
    await page.getByRole('link', { name: 'Afaan Oromoo' }).click();
    await heading(page, oromo.chooseMethod);
    expect(await page.locator('#phone').inputValue()).toBe('0911 22');
    for (const text of [startOf(oromo.problem.phone_invalid), oromo.problem.method_missing]) {
      await page.goBack();
      await page.getByRole('alert').getByText(text).waitFor();
    }
    await page.goBack();
    expect(page.url()).toBe(payment.checkoutUrl);
    await heading(page, oromo.chooseMethod);
    expect(posts).toEqual([]);
    await device.putAway();
  });
});

test('reacts to the first click at once, and ignores the following ones', async () => {
  const payment = await createPayment(scene);
  const device = await Device.start(browser);
  const page = await device.tab();
  const submissions = await submissionsOf(page);
  const posts = postsOf(page);
  await page.goto(payment.checkoutUrl);
  await choose(page, 'TELE_BIRR');
  const attempts = `${payment.checkoutUrl}/attempts`;
  const release = await holdBack(page, attempts);
  await payButton(page).dblclick();
  await page.keyboard.press('Enter');
  const pay = { isBusy: 'true', isDisabled: 'true', text: 'One moment…' };
  await expect
    .poll(() => submissions)
    .toEqual([
      { ...pay, isSent: true },
      { ...pay, isSent: false },
      { ...pay, isSent: false },
    ]);
  release();
  await heading(page, 'Payment simulator');
  // The page's script, which marks the click, has run then.
  await page.waitForLoadState('load');
  submissions.length = 0;
  const releaseApproval = await holdBack(page, '**/rails/simulator/*');
  await approveButton(page).dblclick();
  const approve = { isBusy: 'true', isDisabled: 'true', text: 'Approve the payment' };
  await expect
    .poll(() => submissions)
    .toEqual([
      { ...approve, isSent: true },
      { ...approve, isSent: false },
    ]);
  releaseApproval();
  await heading(page, 'Payment successful');
  expect(posts).toEqual([attempts, expect.stringContaining('/rails/simulator/')]);
  await onlyWebhook(scene, payment.hook);
  await device.putAway();
});

test('a page that Back restores from memory polls at once', async () => {
  const payment = await createPayment(scene);
  const device = await Device.start(browser);
  await device.stopClock();
  const remembered = await device.open(payment.checkoutUrl);
  await choose(remembered, 'ETS_SWITCH');
  await payWith(await device.open(payment.checkoutUrl), 'TELE_BIRR');
  // Playwright disables the back/forward cache; this is the event that the cache would send.
  await remembered.evaluate(
    "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })), undefined",
  );
  await heading(remembered, 'Payment successful');
  await device.putAway();
});

/** The part of a problem before its example. */
function startOf(problem: string): string {
  return problem.split('{')[0] ?? '';
}
