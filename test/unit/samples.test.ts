import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { runPhp, startPhp } from '../../lab/harness/php.ts';
import { startPython } from '../../lab/harness/python.ts';
import { samplesOf } from '../support/clients/samples.ts';

/** Goal: the samples of docs/webhooks.md#verify that have a runtime here do what the page says. */

type Headers = Readonly<Record<string, string>>;

/** Resolves with the event, or rejects with the sample's message. */
type Verify = (rawBody: string, headers: Headers, secret: string) => Promise<unknown>;

const PAGE = 'docs/webhooks.md';
const SECRET = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
const OTHER_SECRET = `whsec_${btoa('another secret of thirty-two byte')}`;
const BODY = '{"webHookEvent":"PAYMENT_SUCCESS", "body":"{\\"customer\\":\\"አበበ\\"}"}';

const LANGUAGES: Readonly<Record<string, () => Promise<Verify>>> = {
  js: async () => {
    const code = javascriptSample('verifyWebhook');
    const { verifyWebhook } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    return verifyWebhook;
  },
  php: async () => {
    const [sample] = samplesOf(PAGE, 'php');
    const php = await startPhp();
    const code = `<?php
      ${sample}
      try {
        [$rawBody, $headers, $secret] = json_decode(getenv('CALL'), true);
        echo json_encode(['value' => verify_webhook($rawBody, $headers, $secret)]);
      } catch (RuntimeException $error) {
        echo json_encode(['error' => $error->getMessage()]);
      }`;
    return async (...call) =>
      resultIn(await runPhp(php, { code, env: { CALL: JSON.stringify(call) } }));
  },
  python: async () => {
    const [sample = ''] = samplesOf(PAGE, 'python');
    const python = await startPython();
    await python.runPythonAsync(sample);
    return async (...call) => {
      python.globals.set('call', JSON.stringify(call));
      return resultIn(
        await python.runPythonAsync(`
import json
try:
    raw_body, headers, secret = json.loads(call)
    result = {"value": verify_webhook(raw_body.encode(), headers, secret)}
except ValueError as error:
    result = {"error": str(error)}
json.dumps(result)`),
      );
    };
  },
};

/** The page's sample in JavaScript that exports this function. */
function javascriptSample(name: string): string {
  return samplesOf(PAGE, 'js').find((code) => code.includes(`function ${name}(`)) ?? '';
}

function resultIn(text: string): unknown {
  const { value, error } = JSON.parse(text);
  if (error !== undefined) {
    throw new Error(error);
  }
  return value;
}

function headersOf(secret: string, at = new Date()) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY),
  };
}

describe.each(Object.entries(LANGUAGES))('the sample in %s', (_language, start) => {
  let verify: Verify;

  beforeAll(async () => {
    verify = await start();
  });

  test('accepts an authentic webhook', async () => {
    expect(await verify(BODY, headersOf(SECRET), SECRET)).toEqual(JSON.parse(BODY));
  });

  test('accepts one of several signatures', async () => {
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
    await expect(verify(body, headers, SECRET)).rejects.toThrow(message);
  });

  // An environment variable that is not set. Any sender can sign with an empty key.
  test.each(['', 'whsec_'])('accepts nothing by the secret "%s"', async (secret) => {
    const headers = headersOf(SECRET);
    const signed = `evt_1.${headers['webhook-timestamp']}.${BODY}`;
    const signature = `v1,${createHmac('sha256', '').update(signed).digest('base64')}`;
    const forged = { ...headers, 'webhook-signature': signature };
    await expect(verify(BODY, forged, secret)).rejects.toThrow();
  });
});

test('the sample for the RSA signature accepts only the text that was signed', async () => {
  const code = javascriptSample('verifyRsa');
  const { verifyRsa } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signature = sign('RSA-SHA256', Buffer.from(BODY), privateKey).toString('base64');
  expect(() => verifyRsa({ body: BODY, signature }, publicKey)).not.toThrow();
  expect(() => verifyRsa({ body: `${BODY} `, signature }, publicKey)).toThrow('wrong signature');
});
