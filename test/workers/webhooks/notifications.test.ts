import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { listEndpoints } from '../../../src/engine/webhooks/endpoint-store.ts';
import { forgetWebhookSettings } from '../../../src/engine/webhooks/settings.ts';
import { auditLog, signedIn, submit, visit } from '../dashboard/support.ts';
import {
  askForChat,
  CHAT,
  codeAt,
  connectChat,
  postForm,
  start,
  update,
  usePeople,
} from '../support/people.ts';
import { pay, sale } from '../support/till.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  BETA,
  clientOf,
  MINUTE_MS,
  payHosted,
  tenantOf,
  useDeliveries,
} from '../support.ts';

/**
 * Goal: a payment reaches a person in Telegram or by e-mail, as surely as a webhook reaches a server; no
 * code connects twice, and a chat that left is seen (docs/decisions.md#71). Method: Telegram and the mail
 * server are played; members use the dashboard.
 */

const { caught, deliverAll, deliver, nextTry } = useDeliveries();
const people = usePeople();

const EMAIL = { way: 'email', address: 'hana@example.com', language: 'am' };
const NO_CALLBACK = { callbackUrl: null };

const endpoints = () => listEndpoints(env.DB, tenantOf(ALPHA));
const endpointPage = async () =>
  `/dashboard/sandbox/webhooks/endpoints/${(await endpoints())[0]?.endpointId}`;
const deliveries = (uniqueId = 'order-1') => clientOf(uniqueId).events();

describe('a payment is announced', () => {
  test('in the chat, beside its callbackUrl, once', async () => {
    await connectChat();
    await payHosted({ customerInfo: { phone: '911234567' } });
    await deliverAll();
    expect(people.arrivals.map(({ url }) => url)).toEqual(['https://shop.example.com/hook']);
    const [text = ''] = people.messages();
    expect(people.messages()).toHaveLength(1);
    expect(text.split('\n')).toEqual([
      'Sandbox: no money moved.',
      expect.stringMatching(/^Paid: ETB.[\d,]+\.\d\d$/),
      expect.stringMatching(/^By \S+/),
      'From …4567',
      'Payment: order-1',
      expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d EAT$/),
      expect.stringMatching(/^Receipt: https:\/\/\S+\/receipt\//),
    ]);
    expect(text).not.toContain('911234567');
    expect(await deliveries()).toMatchObject([
      { endpointId: null, deliveryStatus: 'delivered' },
      {
        origin: 'telegram:',
        deliveryStatus: 'delivered',
        tries: [{ httpStatus: 200, error: null }],
      },
    ]);
  });

  test('in the chat and at a server, when it has no callbackUrl', async () => {
    await addEndpoint(ALPHA, 'we_a', { url: 'https://a.example.com/hook' });
    await connectChat();
    await payHosted(NO_CALLBACK);
    await deliverAll();
    expect(people.arrivals.map(({ url }) => url)).toEqual(['https://a.example.com/hook']);
    expect(people.messages()).toHaveLength(1);
  });

  test('by e-mail, in the chosen language', async () => {
    const page = (
      await postForm('/dashboard/sandbox/notifications', { ...EMAIL, eventType: 'PAYMENT_SUCCESS' })
    ).location;
    const code = /\d{8}/.exec(people.mails[0]?.text ?? '')?.[0] ?? '';
    expect((await postForm(page, { code })).location).toContain('?done=connected');
    await payHosted();
    await deliverAll();
    expect(people.mails[1]).toMatchObject({
      from: 'kefel@example.com',
      to: 'hana@example.com',
      subject: expect.stringMatching(/^ተከፍሏል፦ /),
      text: expect.stringContaining('ክፍያ፦ order-1'),
    });
    expect((await deliveries())[1]).toMatchObject({
      origin: 'mailto:',
      deliveryStatus: 'delivered',
      tries: [{ httpStatus: 202 }],
    });
  });

  test.each([
    ['of another link', { scope: 'link:stall-7' }, { paymentLinkUniqueId: 'stall-8' }, 0],
    ['of its link', { scope: 'link:stall-7' }, { paymentLinkUniqueId: 'stall-7' }, 1],
    ['without a link', { scope: 'link:stall-7' }, {}, 0],
    ['of another kind', { eventType: 'REFUND_SUCCESS' }, {}, 0],
  ])('or not: %s', async (_name, asked, paid, messages) => {
    await connectChat(asked);
    await payHosted(paid);
    await deliverAll();
    expect(people.messages()).toHaveLength(messages);
    expect(people.arrivals).toHaveLength(1);
  });

  test('by a till: those sold there, by its name, and none of another', async () => {
    const [till, other] = [await signedIn('till'), await signedIn('till')];
    await connectChat({ scope: `till:${till.memberId}` });
    for (const seller of [till, other]) {
      await pay(seller, await sale(seller, '250', { note: 'Table 4, +251 91 123 4567' }));
    }
    await payHosted({ ...NO_CALLBACK, metadata: { till: 'till 1', tillId: till.memberId } });
    await deliverAll();
    const name = `till ${till.memberId.replace('mem_', '')}`;
    expect(people.messages()).toEqual([
      expect.stringContaining(`\nFor: Table 4, …\nTill: ${name}\n`),
    ]);
    const html = await (await visit(await signedIn(), '/dashboard/sandbox/notifications')).text();
    expect(html).toContain(`Only payments at the till of ${name}`);
  });

  test('of no till of another merchant, whose name is not shown', async () => {
    const till = await signedIn('till', BETA);
    await connectChat({ scope: `till:${till.memberId}` });
    await pay(till, await sale(till));
    await payHosted();
    await deliverAll();
    expect(people.messages()).toEqual([]);
    const html = await (await visit(await signedIn(), '/dashboard/sandbox/notifications')).text();
    expect(html).toContain(`Only payments at the till of ${till.memberId}`);
  });

  test('only from the connection on: a resend tells nobody new', async () => {
    await payHosted();
    await deliverAll();
    await connectChat();
    const [event] = await deliveries();
    await clientOf().resendEvent(event?.sequence ?? 0);
    await deliverAll();
    expect(people.arrivals).toHaveLength(2);
    expect(people.messages()).toEqual([]);
  });

  test('also when the consumer died between its claim and its report', async () => {
    await connectChat();
    await payHosted();
    const messages = [...caught.webhooks];
    const report = vi.spyOn(env.PAYMENT_INTENT, 'get');
    report.mockImplementation(() => {
      throw new Error('killed');
    });
    await deliver();
    report.mockRestore();
    expect(people.messages()).toEqual([]);
    caught.webhooks.push(...messages);
    await deliverAll();
    expect(people.messages()).toHaveLength(1);
  });
});

describe('a code', () => {
  test('connects one chat once: others get a plain answer', async () => {
    const code = await codeAt(await askForChat());
    const group = { id: -100_123, title: 'Sales team' };
    expect(await start(`${code}`, group)).toMatchObject({
      status: 200,
      text: expect.stringMatching(/^Connected\. Payments to .+ are announced here\.$/),
    });
    const again = await start(code);
    expect(again.text).toMatch(/^This code was used, or has expired\./);
    expect(await endpoints()).toMatchObject([
      { url: 'telegram:', description: 'Sales team', language: 'en', isEnabled: true },
    ]);
    expect((await auditLog()).map(({ action }) => action)).toEqual(['webhook.endpoint_created']);
  });

  test('connects one of two chats that send it at the same time', async () => {
    const code = await codeAt(await askForChat());
    await Promise.all([start(code), start(code, { id: 2, first_name: 'Sara' })]);
    expect(await endpoints()).toHaveLength(1);
  });

  test('ends after 15 minutes', async () => {
    const page = await askForChat();
    const code = await codeAt(page);
    advance(15 * MINUTE_MS);
    expect((await start(code)).text).toMatch(/^This code was used, or has expired\./);
    expect((await visit(await signedIn(), page)).status).toBe(404);
    expect(await endpoints()).toEqual([]);
  });

  test.each(['', 'A'.repeat(22), "' OR 1=1 --", 'x'.repeat(64)])(
    'that was never made: %j',
    async (code) => {
      await askForChat();
      expect((await start(code)).status).toBe(200);
      expect(await endpoints()).toEqual([]);
    },
  );

  test('is not shown to another merchant', async () => {
    const page = await askForChat();
    expect((await visit(await signedIn('owner', BETA), page)).status).toBe(404);
  });

  test('of e-mail allows five tries', async () => {
    const page = (
      await postForm('/dashboard/sandbox/notifications', { ...EMAIL, eventType: 'PAYMENT_SUCCESS' })
    ).location;
    const code = /\d{8}/.exec(people.mails[0]?.text ?? '')?.[0] ?? '';
    const wrong = code === '00000000' ? '00000001' : '00000000';
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await postForm(page, { code: wrong })).html).toContain('This is not the code.');
    }
    expect((await postForm(page, { code })).html).toContain('This code has ended.');
    expect(await endpoints()).toEqual([]);
  });

  test('is asked for five times at most', async () => {
    for (let asked = 0; asked < 5; asked += 1) {
      await askForChat();
    }
    await expect(askForChat()).rejects.toThrow('Too many connections wait');
    advance(15 * MINUTE_MS);
    await askForChat();
  });

  test('makes no endpoint beyond the limit', async () => {
    for (let made = 0; made < 10; made += 1) {
      await addEndpoint(ALPHA, `we_${made}`, { url: 'https://a.example.com/' });
    }
    expect((await connectChat()).text).toMatch(/^Not connected: there are too many endpoints/);
    expect(await endpoints()).toHaveLength(10);
  });
});

describe('the address of updates', () => {
  test.each([
    ['a wrong secret', 'wrong'],
    ['none', ''],
  ])('refuses %s before it reads anything', async (_name, secret) => {
    const code = await codeAt(await askForChat());
    const body = { message: { chat: { id: CHAT }, text: `/start ${code}` } };
    expect((await update(body, secret)).status).toBe(401);
    expect(await endpoints()).toEqual([]);
  });

  test.each([
    null,
    [],
    {},
    { message: null },
    { message: { chat: { id: 'x' }, text: '/start' } },
    { message: { chat: { id: 1e300 }, text: '/start' } },
    { message: { chat: { id: 1 }, text: 'x'.repeat(4_000) } },
    { my_chat_member: { chat: { id: 1 }, new_chat_member: { status: 'kicked' } } },
    { message: { chat: { id: 1 }, migrate_to_chat_id: 2 } },
    { padding: 'x'.repeat(70_000) },
  ])('accepts what means nothing: %j', async (body) => {
    expect((await update(body)).status).toBe(200);
  });

  test('asks Telegram to repeat what it could not store', async () => {
    const code = await codeAt(await askForChat());
    const failing = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: network');
    });
    const { status } = await update({ message: { chat: { id: CHAT }, text: `/start ${code}` } });
    failing.mockRestore();
    expect(status).toBe(503);
    expect((await start(code)).text).toMatch(/^Connected/);
  });
});

describe('a chat', () => {
  test('that blocks the bot is paused at the first refusal, and resumes when it returns', async () => {
    await connectChat();
    people.refusals.set(String(CHAT), { status: 403 });
    await payHosted();
    await deliverAll();
    expect((await deliveries())[1]).toMatchObject({
      deliveryStatus: 'waiting',
      tries: [{ httpStatus: 403, error: expect.stringContaining('blocked, or removed') }],
    });
    expect(await endpoints()).toMatchObject([{ pausedAtMs: expect.any(Number) }]);
    const page = await (await visit(await signedIn(), await endpointPage())).text();
    expect(page).toContain('blocked, or removed from the chat');
    // The next payment does not ask the chat again.
    const { length } = people.calls;
    forgetWebhookSettings();
    await payHosted({ paymentIntentUniqueId: 'order-2' });
    await deliverAll();
    expect((await deliveries('order-2'))[1]).toMatchObject({ deliveryStatus: 'paused', tries: [] });
    expect(people.calls).toHaveLength(length);
    people.refusals.clear();
    const member = { chat: { id: CHAT }, new_chat_member: { status: 'member' } };
    await update({ my_chat_member: member });
    expect(await endpoints()).toMatchObject([{ pausedAtMs: null }]);
    await nextTry('order-1', (await deliveries())[1]?.dueAtMs);
    expect(people.messages()).toHaveLength(1);
  });

  test('that removes the bot is paused before the next payment', async () => {
    await connectChat({}, { id: -5, title: 'Sales team' });
    const member = { chat: { id: -5 }, new_chat_member: { status: 'kicked' } };
    expect((await update({ my_chat_member: member })).status).toBe(200);
    expect(await endpoints()).toMatchObject([
      { pausedAtMs: expect.any(Number), lastError: expect.stringContaining('removed') },
    ]);
  });

  test('that became another one gets the message there, and all later ones', async () => {
    await connectChat({}, { id: -5, title: 'Sales team' });
    people.refusals.set('-5', { status: 400, parameters: { migrate_to_chat_id: -1_005 } });
    await payHosted();
    await deliverAll();
    await payHosted({ paymentIntentUniqueId: 'order-2' });
    await deliverAll();
    expect(people.messages('-1005')).toHaveLength(2);
    expect(people.calls.filter(({ sent }) => String(sent.chat_id) === '-5')).toHaveLength(1);
  });

  test('that is told to wait waits that long', async () => {
    await connectChat();
    people.refusals.set(String(CHAT), { status: 429, parameters: { retry_after: 3_600 } });
    await payHosted();
    const atMs = Date.now();
    await deliverAll();
    const [, delivery] = await deliveries();
    expect(delivery).toMatchObject({ deliveryStatus: 'waiting' });
    expect((delivery?.dueAtMs ?? 0) - atMs).toBeGreaterThanOrEqual(3_600_000);
    expect(await endpoints()).toMatchObject([{ pausedAtMs: null }]);
  });

  test('gets a test message', async () => {
    await connectChat();
    const path = `${await endpointPage()}/test`;
    const response = await submit(await signedIn(), path, {});
    expect(response.status).toBe(200);
    expect(people.messages()).toEqual([expect.stringMatching(/^A test message for /)]);
  });
});

test('a gateway without a bot and a mailbox says so, and offers no form', async () => {
  for (const name of ['MESSAGE_TELEGRAM', 'MESSAGE_EMAIL_FROM']) {
    Reflect.deleteProperty(env, name);
  }
  const html = await (await visit(await signedIn(), '/dashboard/sandbox/notifications')).text();
  expect(html).toContain('has set up neither Telegram nor e-mail');
  expect(html).not.toContain('name="way"');
  expect((await update({})).status).toBe(401);
});

test.each([
  [{ way: 'telegram', language: 'en' }, 'Choose at least one occasion.'],
  [{ ...EMAIL, address: 'hana', eventType: 'PAYMENT_SUCCESS' }, 'Type an e-mail address.'],
  [{ language: 'en', eventType: 'PAYMENT_SUCCESS' }, 'Choose Telegram or e-mail.'],
])('the form says what is missing: %j', async (fields, problem) => {
  const { status, html } = await postForm('/dashboard/sandbox/notifications', fields);
  expect([status, html]).toEqual([400, expect.stringContaining(problem)]);
});

test('no mail leaves when the mailbox is refused, and the member hears of it', async () => {
  people.mailFails = 'E_RECIPIENT_NOT_ALLOWED';
  const { html } = await postForm('/dashboard/sandbox/notifications', {
    ...EMAIL,
    eventType: 'PAYMENT_SUCCESS',
  });
  expect(html).toContain('The message service does not answer.');
});
