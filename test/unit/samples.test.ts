import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';

/** Goal: the JavaScript sample of docs/verify-webhooks.md does what the page says. */

type Verify = (rawBody: string, headers: object, secret: string) => Promise<unknown>;

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'verify-webhooks.md');
const SECRET = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
const OTHER_SECRET = `whsec_${btoa('another secret of thirty-two byte')}`;
const BODY = '{"webHookEvent":"PAYMENT_SUCCESS", "body":"{\\"customer\\":\\"አበበ\\"}"}';

async function sample(): Promise<Verify> {
  const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const { verifyWebhook } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return verifyWebhook;
}

function headersOf(secret: string, at = new Date()) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY),
  };
}

describe('the JavaScript sample', () => {
  test('accepts an authentic webhook', async () => {
    const verify = await sample();
    expect(await verify(BODY, headersOf(SECRET), SECRET)).toEqual(JSON.parse(BODY));
  });

  test('accepts one of several signatures', async () => {
    const verify = await sample();
    const headers = headersOf(SECRET);
    const both = `${headersOf(OTHER_SECRET)['webhook-signature']} ${headers['webhook-signature']}`;
    expect(await verify(BODY, { ...headers, 'webhook-signature': both }, SECRET)).toBeTruthy();
  });

  test.each([
    ['another secret', BODY, headersOf(OTHER_SECRET), 'wrong signature'],
    ['another body', `${BODY} `, headersOf(SECRET), 'wrong signature'],
    ['an old webhook', BODY, headersOf(SECRET, new Date(Date.now() - 301_000)), 'too old'],
    ['no headers', BODY, {}, 'too old'],
  ])('refuses %s', async (_what, body, headers, message) => {
    const verify = await sample();
    await expect(verify(body, headers, SECRET)).rejects.toThrow(message);
  });
});
