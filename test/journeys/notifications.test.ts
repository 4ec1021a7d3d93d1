import { afterAll, expect, test } from 'vitest';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { jsonReply, type ReceivedCall, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { LINK_TEXTS } from '../../src/engine/i18n/payment-link.ts';
import { UPDATES_PATH, UPDATES_SECRET_HEADER } from '../../src/engine/webhooks/people/telegram.ts';
import { TELEGRAM_TOKEN } from '../support/alert-receivers.ts';
import { launchBrowser } from '../support/browser.ts';
import { Device, heading, payWith, shoot } from '../support/e2e-customer.ts';
import { CUT_OFF_ANSWER, equip, goTo, join, pressButton } from '../support/e2e-dashboard.ts';
import { linkIn, operate } from '../support/e2e-operator.ts';
import { startScene } from '../support/e2e-scene.ts';
import { axeViolations } from '../support/page-checks.ts';

/**
 * Goal: docs/notifications.md, from the dashboard to the message: an owner connects a chat, a customer
 * pays at a link, and the chat hears of it. Method: the built Workers and two browsers, with Telegram
 * played here.
 */

const text = english.notifications;
const CHAT = { id: 4711, first_name: 'Almaz' };
/** A page that waits for the chat reloads, and may leave before its answer. */
const CUT_OFF_WAIT = /^failed: .*\/notifications\/connections\/\w+$/;
const HEARD_WITHIN = { timeout: 30_000, interval: 100 };

const heard: string[] = [];
/** What the bot asked Telegram to send with each update. */
let secret = '';

const telegram = await StandInServer.start(async ({ url, body }: ReceivedCall) => {
  const sent = JSON.parse(body);
  if (url.endsWith('/setWebhook')) {
    secret = sent.secret_token;
  } else if (url.endsWith('/sendMessage') && sent.chat_id === String(CHAT.id)) {
    heard.push(sent.text);
  }
  return jsonReply(200, { ok: true, result: { id: 1, username: 'kefel_test_bot' } });
});
const [scene, browser] = await Promise.all([
  startScene({
    name: 'notifications',
    variables: [
      `MESSAGE_TELEGRAM:${TELEGRAM_TOKEN}`,
      `ALERT_TELEGRAM_BASE_URL:${telegram.baseUrl}`,
    ],
  }),
  launchBrowser(),
]);

afterAll(async () => {
  await browser.close();
  await scene.close();
  await telegram.stop();
});

async function start(code: string): Promise<string> {
  const response = await fetch(scene.gateway.baseUrl + UPDATES_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [UPDATES_SECRET_HEADER]: secret },
    body: JSON.stringify({ update_id: 1, message: { chat: CHAT, text: `/start ${code}` } }),
  });
  return ((await response.json()) as { text: string }).text;
}

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
  const code = new URL(href ?? '').searchParams.get('start') ?? '';
  expect(await start(code)).toBe(`Connected. Payments to ${name} are announced here.`);
  // The page goes on by itself.
  await page.getByText(text.connected).waitFor();
  await shoot(page, 'notifications-connected');
  expect(await start(code)).toContain('This code was used');

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
  await expect.poll(() => heard, HEARD_WITHIN).toHaveLength(1);
  const lines = heard[0]?.split('\n');
  for (const line of [
    'Sandbox: no money moved.',
    'Paid: ETB\u00a0450.00',
    'By telebirr',
    'From …3344',
  ]) {
    expect(lines).toContain(line);
  }
  const receipt = /^Receipt: (\S+)$/m.exec(heard[0] ?? '')?.[1] ?? '';
  await customer.goto(receipt);
  await customer.getByText('450.00').first().waitFor();
  await phone.putAway();

  await goTo(page, english.frame.nav.notifications);
  expect(await page.locator('main tbody tr').count()).toBe(1);
  await shoot(page, 'notifications-list');
  await owner.putAway();
});
