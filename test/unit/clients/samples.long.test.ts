import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { runPhp, startPhp } from '../../../lab/harness/php.ts';
import { startPython } from '../../../lab/harness/python.ts';
import { samplesOf } from '../../support/clients/samples.ts';

/** Goal: the samples of docs/webhooks.md#verify that have a runtime here do what the page says. */

type Headers = Readonly<Record<string, string>>;

/** Resolves with the event, or rejects with the sample's message. */
type Verify = (
  rawBody: string,
  headers: Headers,
  secret: string,
  merchantId: string,
  environment: string,
) => Promise<unknown>;

const PAGE = 'docs/webhooks.md';
const SECRET = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
const OTHER_SECRET = `whsec_${btoa('another secret of thirty-two byte')}`;
/** What the server expects. */
const TENANT = ['mer_1', 'sandbox'] as const;
const BODY = bodyOf({ merchantId: 'mer_1', environment: 'sandbox' });

const LANGUAGES: Readonly<Record<string, () => Promise<Verify>>> = {
  js: async () => {
    const { verifyWebhook } = await importedSample('verifyWebhook');
    return verifyWebhook;
  },
  php: async () => {
    const [sample] = samplesOf(PAGE, 'php');
    const php = await startPhp();
    const code = `<?php
      ${sample}
      try {
        echo json_encode(['value' => verify_webhook(...json_decode(getenv('CALL'), true))]);
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
    raw_body, *others = json.loads(call)
    result = {"value": verify_webhook(raw_body.encode(), *others)}
except ValueError as error:
    result = {"error": str(error)}
json.dumps(result)`),
      );
    };
  },
};

/** The page's sample in JavaScript that exports this function. */
function importedSample(name: string) {
  const code = samplesOf(PAGE, 'js').find((sample) => sample.includes(`function ${name}(`)) ?? '';
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

function resultIn(text: string): unknown {
  const { value, error } = JSON.parse(text);
  if (error !== undefined) {
    throw new Error(error);
  }
  return value;
}

/** A webhook whose signed text names this merchant and environment; the spaces must survive. */
function bodyOf(tenant: { readonly merchantId?: string; readonly environment?: string }): string {
  const { environment = 'sandbox' } = tenant;
  const body = JSON.stringify({ customer: 'አበበ', ...tenant });
  return JSON.stringify({ webHookEvent: 'PAYMENT_SUCCESS', environment, body }, null, 1);
}

function headersOf(secret: string, at = new Date(), rawBody = BODY) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, rawBody),
  };
}

const OTHERS = [
  ['another merchant', { merchantId: 'mer_2', environment: 'sandbox' }],
  ['another environment', { merchantId: 'mer_1', environment: 'production' }],
] as const;

describe.each(Object.entries(LANGUAGES))('the sample in %s', (_language, start) => {
  let verify: Verify;

  beforeAll(async () => {
    verify = await start();
  });

  test('accepts an authentic webhook', async () => {
    expect(await verify(BODY, headersOf(SECRET), SECRET, ...TENANT)).toEqual(JSON.parse(BODY));
  });

  test('accepts one of several signatures', async () => {
    const headers = headersOf(SECRET);
    const both = `${headersOf(OTHER_SECRET)['webhook-signature']} ${headers['webhook-signature']}`;
    const sent = { ...headers, 'webhook-signature': both };
    expect(await verify(BODY, sent, SECRET, ...TENANT)).toBeTruthy();
  });

  test('accepts an event from before bodies named their merchant', async () => {
    const old = bodyOf({});
    const headers = headersOf(SECRET, new Date(), old);
    expect(await verify(old, headers, SECRET, ...TENANT)).toEqual(JSON.parse(old));
  });

  test.each(OTHERS)('refuses an event of %s', async (_whose, tenant) => {
    const rawBody = bodyOf(tenant);
    const headers = headersOf(SECRET, new Date(), rawBody);
    await expect(verify(rawBody, headers, SECRET, ...TENANT)).rejects.toThrow('not ours');
  });

  test.each([
    ['another secret', BODY, headersOf(OTHER_SECRET), 'wrong signature'],
    ['another body', `${BODY} `, headersOf(SECRET), 'wrong signature'],
    ['an old webhook', BODY, headersOf(SECRET, new Date(Date.now() - 301_000)), 'too old'],
    ['no headers', BODY, {}, 'too old'],
  ])('refuses %s', async (_what, body, headers, message) => {
    await expect(verify(body, headers, SECRET, ...TENANT)).rejects.toThrow(message);
  });

  // An environment variable that is not set. Any sender can sign with an empty key.
  test.each(['', 'whsec_'])('accepts nothing by the secret "%s"', async (secret) => {
    const headers = headersOf(SECRET);
    const signed = `evt_1.${headers['webhook-timestamp']}.${BODY}`;
    const signature = `v1,${createHmac('sha256', '').update(signed).digest('base64')}`;
    const forged = { ...headers, 'webhook-signature': signature };
    await expect(verify(BODY, forged, secret, ...TENANT)).rejects.toThrow();
  });
});

test('the sample in js takes the headers of Fetch', async () => {
  const { verifyWebhook } = await importedSample('verifyWebhook');
  const headers = new Headers(headersOf(SECRET));
  expect(await verifyWebhook(BODY, headers, SECRET, ...TENANT)).toEqual(JSON.parse(BODY));
  await expect(verifyWebhook(`${BODY} `, headers, SECRET, ...TENANT)).rejects.toThrow('wrong');
  await expect(verifyWebhook(BODY, new Headers(), SECRET, ...TENANT)).rejects.toThrow('too old');
});

test('the sample for the RSA signature accepts only a signed text of the own merchant', async () => {
  const { verifyRsa } = await importedSample('verifyRsa');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = (tenant: Parameters<typeof bodyOf>[0]) => {
    const { body }: { body: string } = JSON.parse(bodyOf(tenant));
    const signature = sign('RSA-SHA256', Buffer.from(body), privateKey).toString('base64');
    return { body, signature };
  };
  const ours = signed({ merchantId: 'mer_1', environment: 'sandbox' });
  expect(verifyRsa(ours, publicKey, ...TENANT)).toEqual(JSON.parse(ours.body));
  const changed = { ...ours, body: `${ours.body} ` };
  expect(() => verifyRsa(changed, publicKey, ...TENANT)).toThrow('wrong signature');
  for (const tenant of [{}, ...OTHERS.map(([_whose, other]) => other)]) {
    expect(() => verifyRsa(signed(tenant), publicKey, ...TENANT)).toThrow('not ours');
  }
  // The shop forgot its settings, and the event is older than the two names.
  expect(() => verifyRsa(signed({}), publicKey, undefined, undefined)).toThrow('not ours');
});

test('the routes in Python share a file that accepts a genuine webhook and no other', async () => {
  const [shared, ...routes] = samplesOf('docs/webhook-frameworks.md', 'python');
  const python = await startPython();
  const env = { KEFEL_WEBHOOK_SECRET: SECRET, KEFEL_MERCHANT_ID: TENANT[0] };
  python.globals.set(
    'call',
    python.toPy({ shared, routes, env, body: BODY, headers: headersOf(SECRET) }),
  );
  const answers = await python.runPythonAsync(`
import logging, os, sys
os.environ.update(call["env"])
sys.path.append("/kefel/clients/python")
logging.disable()
for route in call["routes"]:
    compile(route, "route.py", "exec")
exec(call["shared"])
body = call["body"].encode()
[receive_webhook(raw, call["headers"]) for raw in (body, body + b" ")]
`);
  expect(answers.toJs()).toEqual([204, 400]);
});
