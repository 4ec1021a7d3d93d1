import { afterAll, expect, test } from 'vitest';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { TelegramStandIn } from '../../scripts/stand-ins/telegram.ts';
import { LINK_TEXTS } from '../../src/engine/i18n/payment-link.ts';
import { launchBrowser } from '../support/browser.ts';
import { Device, heading, payWith, shoot } from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, goTo, join, pressButton } from '../support/e2e-dashboard.ts';
import { linkIn, operate } from '../support/e2e-operator.ts';
import { startScene } from '../support/e2e-scene.ts';
import { axeViolations } from '../support/page-checks.ts';

/**
 * Goal: docs/notifications.md, from the dashboard to the message: an owner connects a chat, a customer
 * pays at a link, and the chat hears of it. Method: the built Workers and three browsers, one of them with
 * the chat of `npm run dev`.
 */

const text = english.notifications;
/** A page that waits for the chat reloads, and may leave before its answer. */
const CUT_OFF_WAIT = /^failed: .*\/notifications\/connections\/\w+$/;
const HEARD_WITHIN = { timeout: 30_000, interval: 100 };

const telegram = await TelegramStandIn.start();
const [scene, browser] = await Promise.all([
  startScene({ name: 'notifications', variables: telegram.variables }),
  launchBrowser(),
]);

afterAll(async () => {
  await browser.close();
  await scene.close();
  await telegram.stop();
});

test('an owner connects a chat, and it hears of a payment by a link', async () => {
  const { id, name } = scene.merchant;
  const owner = await Device.start(browser);
  owner.tolerated.push(CUT_OFF_ANSWER, CUT_OFF_WAIT);
  const page = await owner.tab();
  await equip(page);
  const who = ['--name', 'Almaz Kebede', '--role', 'owner'];
  await join(
    page,
    linkIn(await operate(scene.gateway.baseUrl, 'member', 'invite', id, ...who)),
    name,
  );
  await goTo(page, english.frame.nav.notifications);
  await shoot(page, 'notifications');
  await pressButton(page, text.connect);
  await heading(page, text.connecting);
  expect(await axeViolations(page)).toEqual([]);
  await shoot(page, 'notifications-connecting');
  const href = await page.getByRole('link', { name: text.openPerson }).getAttribute('href');
  const messenger = await Device.start(browser);
  const chat = await messenger.open(telegram.url);
  const start = async (answer: string) => {
    await chat.getByRole('textbox').fill(href ?? '');
    await pressButton(chat, 'Start');
    await chat.getByText(answer).waitFor();
  };
  await start(`Connected. Payments to ${name} are announced here.`);
  // The page goes on by itself.
  await page.getByText(text.connected).waitFor();
  await shoot(page, 'notifications-connected');
  await start('This code was used');

  const { body } = await scene.sandbox.call<{ url: string }>('POST', 'sandbox/links', {
    body: {
      title: 'White honey, 1 kg',
      amount: 450,
      currency: 'ETB',
      askFor: { phone: 'REQUIRED' },
    },
  });
  const phone = await Device.start(browser);
  const customer = await phone.open(body.content.url);
  await customer.locator('#phone').fill('0911223344');
  await pressButton(customer, LINK_TEXTS.en.goOn);
  await payWith(customer, 'TELE_BIRR');
  const paid = chat.locator('.message', { hasText: 'Paid:' });
  await expect.poll(() => paid.count(), HEARD_WITHIN).toBe(1);
  await shoot(chat, 'notifications-chat');
  const heard = (await paid.textContent()) ?? '';
  const lines = heard.split('\n');
  for (const line of [
    'Sandbox: no money moved.',
    'Paid: ETB\u00a0450.00',
    'By telebirr',
    'From …3344',
  ]) {
    expect(lines).toContain(line);
  }
  const receipt = /^Receipt: (\S+)$/m.exec(heard)?.[1] ?? '';
  await customer.goto(receipt);
  await customer.getByText('450.00').first().waitFor();
  await phone.putAway();
  await messenger.putAway();

  await goTo(page, english.frame.nav.notifications);
  expect(await page.locator('main tbody tr').count()).toBe(1);
  await shoot(page, 'notifications-list');
  await owner.putAway();
});
