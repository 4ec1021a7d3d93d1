import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeEach, expect, type Mock, test, vi } from 'vitest';
import { alertsOf } from '../../../src/control/alerts/ask.ts';
import { auditLog } from '../dashboard/support.ts';
import { call, useGateway } from '../support.ts';
import { hiddenFields, operate, operateApi, SECRET, sendTo } from './support.ts';

/**
 * Goal: operators see what is open and how each channel does, and can test each one, also while D1
 * fails. Method: the API and the desk; the channels' far ends are answered here.
 */

const KEY = `whsec_${btoa('a secret of thirty-two characters')}`;
const SETTINGS = {
  ALERT_TELEGRAM: `123456:${'A'.repeat(35)} -1001`,
  ALERT_WEBHOOK: `https://pager.example.com/kefel ${KEY}`,
  ALERT_EMAIL_FROM: 'kefel@example.com',
  ALERT_EMAIL_TO: 'not an address',
};
Object.assign(env, SETTINGS);
afterAll(() => {
  for (const name of Object.keys(SETTINGS)) {
    Reflect.deleteProperty(env, name);
  }
});
useGateway();

const DESK = {
  authorization: `Bearer ${SECRET}`,
  'x-operator': 'Abebe',
  'sec-fetch-site': 'same-origin',
};

let received: { readonly text: string; readonly headers: Record<string, string> }[];
let status: number;

beforeEach(() => {
  received = [];
  status = 200;
  const fetcher: Mock<typeof fetch> = vi.spyOn(globalThis, 'fetch');
  fetcher.mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const headers = Object.fromEntries(request.headers);
    received.push({ text: await request.text(), headers });
    return Response.json({ ok: status === 200 }, { status });
  });
});

afterEach(() => vi.restoreAllMocks());

async function page(query = ''): Promise<string> {
  const path = `/operator/alerts${query}`;
  return (await operate(path, undefined, { authorization: null, headers: DESK })).text();
}

async function pressButton(channel: string): Promise<string> {
  const { csrf = '' } = hiddenFields(await page());
  const response = await call(`/operator/alerts/${channel}/test`, {
    method: 'POST',
    apiKey: null,
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ csrf }).toString(),
    headers: DESK,
  });
  expect(response.status).toBe(303);
  return page(new URL(response.headers.get('location') ?? '', 'https://x').search);
}

const contentOf = ({ text }: { readonly text: string }) => JSON.parse(text).content;

const notAnswering = () => {
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1_ERROR: Network connection lost.');
  });
};

const tellOfLetters = (count: number) =>
  alertsOf(env).stand('dead_letters', [
    { subject: 'dead_letters', count, sinceAtMs: Date.now(), detail: 'kefel-webhooks' },
  ]);

test('the API shows what is open and each channel, and tests one with an audit entry', async () => {
  await tellOfLetters(2);
  await expect.poll(() => received).toHaveLength(2);
  expect(contentOf(await operateApi('/alerts'))).toMatchObject({
    open: [{ subject: 'dead_letters', count: 2 }],
    channels: [
      { name: 'telegram', isSetUp: true, problem: null },
      { name: 'webhook', isSetUp: true, problem: null },
      { name: 'email', isSetUp: true, problem: expect.stringContaining('ALERT_EMAIL_FROM') },
    ],
    heartbeat: { isSetUp: false, problem: null },
  });
  expect(contentOf(await operateApi('/alerts/webhook/test', {}))).toEqual({
    channel: 'webhook',
    isSent: true,
    error: null,
  });
  const { text = '', headers = {} } = received[2] ?? {};
  expect(new Webhook(KEY).verify(text, headers)).toMatchObject({ type: 'alert.test' });
  expect(await auditLog()).toMatchObject([{ action: 'alert.test_requested', target: 'webhook' }]);
});

test('a channel that does not exist is not found, and one that is not set up sends nothing', async () => {
  expect((await operateApi('/alerts/pigeon/test', {})).status).toBe(404);
  expect(contentOf(await operateApi('/alerts/email/test', {}))).toMatchObject({ isSent: false });
  expect(received).toEqual([]);
});

test('more than a few tests a minute are refused without a message', async () => {
  const bindings: Env = {
    ...env,
    RATE_LIMITS: 'on',
    RAIL_PROBE_RATE_LIMIT: { limit: async () => ({ success: false }) },
  };
  const response = await sendTo(bindings, '/operator/v1/alerts/webhook/test', {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
  expect([received, await auditLog()]).toEqual([[], []]);
});

test('the desk says why a channel fails, and that it works again, in both languages', async () => {
  status = 401;
  const failing = await pressButton('telegram');
  for (const part of [
    'The test message was not sent.',
    'Telegram answered 401: the token of the bot is wrong',
    'href="/docs/operator/#alert-telegram"',
  ]) {
    expect(failing).toContain(part);
  }
  status = 200;
  const sent = await pressButton('telegram');
  expect(sent).toContain('The test message was sent.');
  expect(sent).not.toContain('Telegram answered');
  expect(await page('?lang=am')).toContain('ሙከራ ይላኩ');
  for (const secret of [KEY, SETTINGS.ALERT_TELEGRAM.slice(7, 30)]) {
    expect(failing + sent).not.toContain(secret);
  }
});

test('while D1 fails, the page shows what is open, and a test is sent', async () => {
  await tellOfLetters(1);
  const { csrf = '' } = hiddenFields(await page());
  await expect.poll(() => received).toHaveLength(2);
  notAnswering();
  expect(await page()).toContain('1 message given up by a queue');
  expect(csrf).not.toBe('');
  expect(await pressButton('webhook')).toContain('The test message was sent.');
  expect(received).toHaveLength(3);
});
