import { expect, test } from 'vitest';
import { dashboard } from '../../back-office/i18n/en/dashboard.ts';
import { desk } from '../../back-office/i18n/en/desk.ts';
import { CLAIM_TEXTS } from '../../src/engine/i18n/claim.ts';
import { checkout } from '../../src/engine/i18n/en.ts';
import {
  createPayment,
  Device,
  heading,
  payWith,
  SHOP_HEADING,
  shoot,
  startPaying,
} from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, join, pressButton } from '../support/e2e-dashboard.ts';
import { linkIn, operate, signInOperator } from '../support/e2e-operator.ts';
import { newId, newPhone } from '../support/e2e-scene.ts';
import { useJourney } from '../support/journey-stage.ts';
import { axeViolations } from '../support/page-checks.ts';

/**
 * Goal: a customer whose payment has no outcome says by which number they paid, and the operator finds
 * it (docs/decisions.md#65); a merchant finds an order that was paid by two payments. Method: real
 * browsers of the customer, the operator and a member, and a running gateway.
 */

const { scene, browser } = await useJourney();
const RECEIPT = 'DI26D9N4AW';

test('an operator records a payment by the number that its customer typed', async () => {
  const payment = await createPayment(scene);
  const phone = await Device.start(browser);
  const page = await phone.open(payment.checkoutUrl);
  await startPaying(page, 'TELE_BIRR');
  await page.goto(payment.checkoutUrl);
  await page.getByRole('button', { name: checkout.anotherMethod, exact: true }).click();
  await heading(page, checkout.chooseMethod);
  await page.locator('.back').click();
  await page.getByRole('button', { name: checkout.giveUp('Demo Shop') }).click();
  await heading(page, SHOP_HEADING);
  await page.goto(payment.checkoutUrl);
  await page.getByRole('link', { name: checkout.claimTitle }).click();
  await heading(page, checkout.claimTitle);
  await page.getByLabel(CLAIM_TEXTS.en.label).fill('my money');
  await pressButton(page, CLAIM_TEXTS.en.send);
  await page.getByText(CLAIM_TEXTS.en.wrong).waitFor();
  await page.getByLabel(CLAIM_TEXTS.en.label).fill(RECEIPT);
  await pressButton(page, CLAIM_TEXTS.en.send);
  await page.getByText(checkout.claimSent).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'claim-sent');

  const office = await Device.start(browser, { baseURL: scene.gateway.baseUrl });
  const operator = await office.tab();
  await signInOperator(operator);
  const { id } = scene.merchant;
  await operator.goto(`/operator/payments/sandbox/${id}/${payment.uniqueId}`);
  await operator.getByText(desk.pages.claim.title).first().waitFor();
  await shoot(operator, 'claim-desk');
  await operator.getByRole('link', { name: desk.pages.claim.record }).click();
  expect(await operator.locator('input[name=receipt]').inputValue()).toBe(RECEIPT);
  await phone.putAway();
  await office.putAway();
});

test('a member sees that one order was paid by two payments, and the way to the refund', async () => {
  const order = `${newId()}-1042`;
  const customerInfo = { name: 'Almaz Kebede', phone: newPhone(), isPhoneUpdatable: false };
  const phone = await Device.start(browser);
  for (const count of [1, 2]) {
    const paymentIntentUniqueId = `${order}_${count}`;
    const { checkoutUrl } = await createPayment(scene, { paymentIntentUniqueId, customerInfo });
    await payWith(await phone.open(checkoutUrl), 'TELE_BIRR');
  }
  const till = await Device.start(browser);
  till.tolerated.push(CUT_OFF_ANSWER);
  const page = await till.tab();
  await equip(page);
  const { id, name } = scene.merchant;
  const who = ['--name', 'Almaz Kebede', '--role', 'owner'];
  await join(
    page,
    linkIn(await operate(scene.gateway.baseUrl, 'member', 'invite', id, ...who)),
    name,
  );
  const list = `${scene.gateway.baseUrl}/dashboard/sandbox/payments`;
  await expect
    .poll(async () => {
      await page.goto(list);
      return page.getByText(dashboard.payments.sameOrder).count();
    })
    .toBe(2);
  await shoot(page, 'same-order-list');
  await page.goto(`${list}/${order}_1`);
  await page.getByText(dashboard.payment.sameOrderTitle).waitFor();
  await shoot(page, 'same-order');
  await page.locator(`section a[href*="${order}_1/refund"]`).first().click();
  await page.waitForURL(/\/refund/);
  await phone.putAway();
  await till.putAway();
});
