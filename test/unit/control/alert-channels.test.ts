import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Reply } from '../../../scripts/stand-ins/stand-in.ts';
import { TELEGRAM_TOKEN } from '../../../scripts/stand-ins/telegram.ts';
import { beat, channelsOf } from '../../../src/control/alerts/channels.ts';
import { type AlertBindings, alertLanguagesOf } from '../../../src/control/alerts/config.ts';
import type { Notice } from '../../../src/control/alerts/notice.ts';
import type { Sent } from '../../../src/engine/webhooks/people/sent.ts';
import { AlertReceivers, TELEGRAM_BUSY, WEBHOOK_SECRET } from '../../support/alert-receivers.ts';
import { endTimeoutsOnSilence, holdTimeouts } from '../../support/rails/timeouts.ts';

/**
 * Goal: docs/decisions.md#64: each channel takes its message, says whether another try makes sense,
 * and no error has a secret. Method: the operator's receivers on real sockets, which verify what
 * they get.
 */

const receivers = await AlertReceivers.start();
const errors: string[] = [];

beforeEach(() => {
  receivers.chat.length = 0;
  receivers.events.length = 0;
  receivers.beats.length = 0;
});

afterEach(() => {
  receivers.refusals.telegram = undefined;
  receivers.refusals.webhook = undefined;
  receivers.refusals.heartbeat = undefined;
});

afterAll(() => receivers.stop());

const NOTICE: Notice = {
  id: '0193f2c4-0000-7000-8000-000000000001',
  kind: 'new',
  atMs: Date.UTC(2026, 10, 28, 2, 14),
  subjects: [
    {
      subject: 'unresolved_attempts',
      count: 3,
      sinceAtMs: Date.UTC(2026, 10, 27, 23, 14),
      merchantIds: ['abebe'],
      merchants: 1,
      details: ['M_PESA'],
    },
  ],
};

async function send(
  name: string,
  bindings: AlertBindings = receivers.bindings,
): Promise<Sent | null> {
  const env = { PUBLIC_BASE_URL: 'https://pay.example.com', ...bindings } as Env & AlertBindings;
  const channel = channelsOf(env).find((one) => one.name === name);
  const sent = (await channel?.send(NOTICE)) ?? null;
  if (sent !== null && sent.type !== 'sent') {
    errors.push(sent.error);
  }
  return sent;
}

const failed = (error: string, retryAfterMs: number | null = null) => ({
  type: 'failed',
  error: expect.stringContaining(error),
  retryAfterMs,
});
const refused = (error: string) => ({ type: 'refused', error: expect.stringContaining(error) });
const answer = (status: number, body = '', headers = {}): Reply => ({
  type: 'answer',
  status,
  headers,
  body,
});
const ELSEWHERE = { location: '/beat' };

describe('Telegram', () => {
  test('gets the text in the chat', async () => {
    expect(await send('telegram')).toEqual({ type: 'sent' });
    expect(receivers.chat).toEqual([
      expect.stringMatching(/^Kefel: 3 payments without an outcome\n/),
    ]);
  });

  test.each<[string, Reply, unknown]>([
    ['asks to wait', TELEGRAM_BUSY, failed('Telegram answered 429', 7_000)],
    ['asks to wait without a time', answer(429, '{}'), failed('Telegram answered 429')],
    ['fails', answer(500), failed('Telegram answered 500')],
    ['sends elsewhere', answer(302, '', ELSEWHERE), failed('Telegram answered 302')],
    [
      'is another server',
      answer(200, '<html>Welcome</html>'),
      failed('the answer was not Telegram’s'),
    ],
    ['breaks the connection', { type: 'reset' }, failed('Telegram: connection failed')],
    ['is silent', { type: 'hang' }, failed('Telegram: no answer within 10 s')],
    ['refuses the token', answer(401, '{"ok":false}'), refused('Telegram answered 401')],
    ['was left by the bot', answer(403, '{"ok":false}'), refused('Telegram answered 403')],
  ])('%s', async (_, reply, sent) => {
    endTimeoutsOnSilence();
    receivers.refusals.telegram = reply;
    expect(await send('telegram')).toEqual(sent);
    expect(receivers.beats).toEqual([]);
  });

  test.each([
    ['token', '987654321:AAFakeTokenOfTheStandIn_0123456789 -1001234567890', '401'],
    ['chat', `${TELEGRAM_TOKEN} -1`, '400'],
  ])('refuses another %s', async (_, ALERT_TELEGRAM, status) => {
    const sent = await send('telegram', { ...receivers.bindings, ALERT_TELEGRAM });
    expect(sent).toEqual(refused(`Telegram answered ${status}`));
  });
});

describe('the webhook', () => {
  test('gets the event that docs/operator.md#alert-webhook shows, signed', async () => {
    expect(await send('webhook')).toEqual({ type: 'sent' });
    expect(receivers.events).toEqual([
      {
        id: NOTICE.id,
        type: 'alert.new',
        timestamp: '2026-11-28T02:14:00.000Z',
        data: {
          title: 'Kefel: 3 payments without an outcome',
          text: receivers.events[0]?.data.text,
          subject: 'unresolved_attempts',
          dedupKey: 'kefel/unresolved_attempts',
          concerns: 'money',
          count: 3,
          since: '2026-11-27T23:14:00.000Z',
          merchants: 1,
          merchantIds: ['abebe'],
          details: ['M_PESA'],
          guideUrl: 'https://pay.example.com/docs/night#unresolved_attempts',
        },
      },
    ]);
  });

  test.each<[string, Reply, unknown]>([
    ['404', answer(404), refused('answered 404')],
    ['410', answer(410), refused('answered 410')],
    ['408', answer(408), failed('answered 408')],
    ['429', answer(429, '', { 'retry-after': '30' }), failed('answered 429', 30_000)],
    ['503', answer(503, '', { 'retry-after': '5' }), failed('answered 503', 5_000)],
    ['a redirect', answer(307, '', ELSEWHERE), failed('answered 307')],
    ['nothing', { type: 'reset' }, failed('connection failed')],
    ['nothing in time', { type: 'hang' }, failed('no answer within 10 s')],
  ])('answers %s', async (_, reply, sent) => {
    endTimeoutsOnSilence();
    receivers.refusals.webhook = reply;
    expect(await send('webhook')).toEqual(sent);
    expect(receivers.beats).toEqual([]);
  });
});

describe('e-mail', () => {
  const sendBy = (send: SendEmail['send']) => ({
    ALERT_EMAIL: { send } as SendEmail,
    ALERT_EMAIL_FROM: 'kefel@example.com',
    ALERT_EMAIL_TO: 'on-call@example.com',
  });

  test('has the title as its subject', async () => {
    const mails: unknown[] = [];
    const bindings = sendBy(async (mail: unknown) => {
      mails.push(mail);
      return { messageId: '1' };
    });
    expect(await send('email', bindings)).toEqual({ type: 'sent' });
    expect(mails).toEqual([
      {
        from: 'kefel@example.com',
        to: 'on-call@example.com',
        subject: 'Kefel: 3 payments without an outcome',
        text: expect.stringContaining('customers may have paid'),
      },
    ]);
  });

  test.each([
    ['E_SENDER_NOT_VERIFIED', refused('E_SENDER_NOT_VERIFIED')],
    ['E_RECIPIENT_NOT_ALLOWED', refused('E_RECIPIENT_NOT_ALLOWED')],
    ['E_DAILY_LIMIT_EXCEEDED', failed('E_DAILY_LIMIT_EXCEEDED')],
    ['E_INTERNAL_SERVER_ERROR', failed('E_INTERNAL_SERVER_ERROR')],
    [undefined, failed('no code')],
  ])('fails with %s', async (code, sent) => {
    const error = Object.assign(new Error('to on-call@example.com'), { code });
    expect(
      await send(
        'email',
        sendBy(() => Promise.reject(error)),
      ),
    ).toEqual(sent);
  });

  test('does not hold up the other channels when Cloudflare is silent', async () => {
    const { end } = holdTimeouts();
    const sent = send(
      'email',
      sendBy(() => new Promise(() => undefined)),
    );
    end();
    expect(await sent).toEqual(failed('no answer within 10 s'));
  });
});

describe('the heartbeat', () => {
  test('calls the monitor', async () => {
    expect(await beat(receivers.bindings)).toEqual({ type: 'sent' });
    expect(receivers.beats).toHaveLength(1);
  });

  test.each<[string, Reply, string]>([
    ['fails', answer(500), 'the monitor answered 500'],
    ['has moved', answer(301, '', { location: '/hook' }), 'the monitor answered 301'],
    ['breaks the connection', { type: 'reset' }, 'connection failed'],
    ['is silent', { type: 'hang' }, 'no answer within 10 s'],
  ])('says that the monitor %s', async (_, reply, error) => {
    endTimeoutsOnSilence();
    receivers.refusals.heartbeat = reply;
    expect(await beat(receivers.bindings)).toEqual(failed(error));
  });

  test('is off without an address, and names the variable of a wrong one', async () => {
    expect(await beat({ ALERT_HEARTBEAT_URL: '' })).toBeNull();
    const wrong = { ALERT_HEARTBEAT_URL: 'http://monitor.example.com/secret' };
    expect(await beat(wrong)).toEqual(failed('ALERT_HEARTBEAT_URL must begin with https://'));
  });
});

describe('a malformed setting', () => {
  const { ALERT_TELEGRAM, ALERT_WEBHOOK } = receivers.bindings;
  test.each<[string, AlertBindings, string]>([
    ['telegram', { ALERT_TELEGRAM: TELEGRAM_TOKEN }, 'ALERT_TELEGRAM must'],
    ['telegram', { ALERT_TELEGRAM: `${ALERT_TELEGRAM} x` }, 'ALERT_TELEGRAM must'],
    ['telegram', { ALERT_TELEGRAM: '123:../x -1' }, 'ALERT_TELEGRAM must'],
    [
      'telegram',
      { ALERT_TELEGRAM, ALERT_TELEGRAM_BASE_URL: 'http://relay.example.com' },
      'ALERT_TELEGRAM_BASE_URL must begin with https://',
    ],
    ['webhook', { ALERT_WEBHOOK: 'https://pager.example.com' }, 'ALERT_WEBHOOK must'],
    ['webhook', { ALERT_WEBHOOK: `${ALERT_WEBHOOK}A` }, 'ALERT_WEBHOOK must'],
    [
      'webhook',
      { ALERT_WEBHOOK: 'https://pager.example.com whsec_c2hvcnQ=' },
      'ALERT_WEBHOOK must',
    ],
    ['webhook', { ALERT_WEBHOOK: `http://pager.example.com ${WEBHOOK_SECRET}` }, 'https://'],
    ['webhook', { ALERT_WEBHOOK: `https://u:p@pager.example.com ${WEBHOOK_SECRET}` }, 'https://'],
    [
      'email',
      { ALERT_EMAIL_TO: 'on-call@example.com' },
      'ALERT_EMAIL_FROM and ALERT_EMAIL_TO must',
    ],
    [
      'email',
      { ALERT_EMAIL_FROM: 'kefel@example.com', ALERT_EMAIL_TO: 'on-call@example.com' },
      'needs the binding ALERT_EMAIL',
    ],
  ])('of %s is refused by name: %j', async (name, bindings, error) => {
    expect(await send(name, bindings)).toEqual(refused(error));
  });

  test('of one channel leaves the others alone', async () => {
    const bindings = { ...receivers.bindings, ALERT_TELEGRAM: 'wrong', ALERT_EMAIL_TO: 'wrong' };
    expect(await send('webhook', bindings)).toEqual({ type: 'sent' });
  });

  test.each<[string, readonly string[]]>([
    ['', ['en']],
    ['am', ['am']],
    ['am, en', ['am', 'en']],
    ['en,en', ['en']],
    // A typo must not silence the alerts.
    ['Amharic', ['en', 'am']],
    ['en;am', ['en', 'am']],
  ])('of the language %j means %j', (ALERT_LANGUAGE, languages) => {
    expect(alertLanguagesOf({ ALERT_LANGUAGE })).toEqual(languages);
  });

  test('without settings there is no channel', async () => {
    const empty = { ALERT_TELEGRAM: '', ALERT_WEBHOOK: '', ALERT_EMAIL_TO: '' };
    expect(channelsOf(empty as Env & AlertBindings)).toEqual([]);
  });
});

test('no error has a token, a secret, an address or an e-mail address', () => {
  expect(errors.length).toBeGreaterThan(30);
  expect(errors.filter((error) => /AAFake|c2VjcmV0|whsec_[A-Za-z]|\/\/\w|@/.test(error))).toEqual(
    [],
  );
});
