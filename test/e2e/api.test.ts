import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  createHosted,
  createSimulated,
  eventually,
  expressBody,
  hostedBody,
  paymentOf,
  useScene,
  webhook,
} from '../support/e2e-scene.ts';

const scene = await useScene();

interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** Sends without fetch, which would normalize the path and the headers. */
function raw(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<RawAnswer> {
  const { hostname, port } = new URL(scene.gateway.baseUrl);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: JSON.parse(text),
        });
      });
    });
    call.once('error', reject);
    call.end(body);
  });
}

describe.concurrent('the API on the wire', () => {
  test('accepts an id once, for hosted and express together: api.md#errors, #calls, decisions.md#8', async () => {
    const { uniqueId } = await createHosted(scene);
    const duplicate = {
      status: 409,
      message: `Duplicate key: paymentIntentUniqueId "${uniqueId}" already exists`,
    };
    const body = { paymentIntentUniqueId: uniqueId };
    const answers = [
      await scene.sandbox.hosted(hostedBody(body)),
      await scene.sandbox.express(expressBody(body)),
      await scene.sandbox.hosted({ ...body, amount: 'nonsense' }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body]).toMatchObject([409, duplicate]);
    }
    // The other environment has its own ids, so only the methods are refused here.
    expect((await scene.production.hosted(hostedBody(body))).status).toBe(400);
  });

  test('accepts only its own API keys: api.md#authentication, decisions.md#9', async () => {
    const path = '/api/v1/payment/sandbox/intent/x';
    const { sandboxApiKey, productionApiKey } = scene.merchant;
    const answers = [
      await raw('GET', path),
      await raw('GET', path, { apiKey: 'nonsense' }),
      await raw('GET', path, { apiKey: `${sandboxApiKey.slice(0, -1)}_` }),
      await raw('GET', path, { apiKey: productionApiKey }),
      await raw('GET', path, { APIKEY: sandboxApiKey }),
      await raw('GET', '/api/v1/payment/intent/x', { apikey: sandboxApiKey }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 403, 404, 403]);
    for (const { headers, body } of answers) {
      expect(headers['x-request-id']).toMatch(/\S/);
      expect(body).toMatchObject({
        code: expect.stringMatching(/^(?:api_key_|payment_not_found)/),
      });
    }
  });

  test('answers everything in its envelope: decisions.md#10', async () => {
    const path = '/api/v1/payment/sandbox/intent';
    const key = { apiKey: scene.merchant.sandboxApiKey };
    const json = { ...key, 'content-type': 'application/json' };
    const rows: readonly (readonly [number, RawAnswer])[] = [
      [400, await raw('POST', path, json, '{"amount":')],
      [415, await raw('POST', path, { ...key, 'content-type': 'text/plain' }, '{}')],
      [400, await raw('POST', path, key, '{}')],
      [413, await raw('POST', path, json, `"${'x'.repeat(70_000)}"`)],
      [405, await raw('DELETE', path, key)],
      [404, await raw('GET', '/api/v1/nothing', key)],
      [404, await raw('GET', '/api/v1/payment/sandbox/intent/%E0%A4%A', key)],
    ];
    for (const [status, answer] of rows) {
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ status, message: expect.any(String) });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['x-request-id']).toMatch(/\S/);
    }
    expect(rows[4]?.[1].headers.allow).toBe('POST');
  });

  test('lists the banks in both environments: decisions.md#28', async () => {
    const [sandbox, production] = await Promise.all([
      scene.sandbox.call<readonly Bank[]>('GET', 'banks'),
      scene.production.call<readonly Bank[]>('GET', 'banks'),
    ]);
    expect(production.raw).toBe(sandbox.raw);
    const banks = sandbox.body.content;
    expect(banks.length).toBeGreaterThan(10);
    for (const bank of banks) {
      expect(bank).toEqual({
        code: expect.any(String),
        name: expect.any(String),
        supportsWithdrawal: expect.any(Boolean),
      });
    }
    expect(new Set(banks.map(({ code }) => code)).size).toBe(banks.length);
    expect((await raw('GET', '/api/v1/payment/banks')).status).toBe(401);
  });

  test('splits only to banks that support withdrawals: api.md#error-8, decisions.md#14', async () => {
    const { body } = await scene.sandbox.call<readonly Bank[]>('GET', 'banks');
    const split = (bank: string) => ({
      amount: 10,
      bank,
      splitType: 'PERCENTAGE',
      creditAccount: '1',
    });
    const good = body.content.find(({ supportsWithdrawal }) => supportsWithdrawal)?.code ?? '';
    const bad = body.content.find(({ supportsWithdrawal }) => !supportsWithdrawal)?.code ?? '';
    const refused = await scene.sandbox.hosted(
      hostedBody({ splitPayment: [split(good), split(bad)] }),
    );
    expect([refused.status, Object.keys(refused.body.validationErrors ?? {})]).toEqual([
      400,
      ['splitPayment[1].bank'],
    ]);
    const { uniqueId } = await createHosted(scene, { splitPayment: [split(good)] });
    expect(await paymentOf(scene, uniqueId)).toMatchObject({
      checkoutBeneficiaries: [{ bank: good, amount: 10, shareAmount: 1_000 }],
    });
  });

  test('publishes the signing keys: decisions.md#17, #32', async () => {
    for (const [environment, path] of [
      ['sandbox', 'sandbox/webhook-keys'],
      ['production', 'webhook-keys'],
    ] as const) {
      const answer = await raw('GET', `/api/v1/payment/${path}`);
      expect(answer.body).toMatchObject({
        status: 200,
        content: [
          {
            keyId: expect.any(String),
            algorithm: 'SHA256withRSA',
            publicKey: scene.gateway.merchant.webhookPublicKeys[environment],
          },
        ],
      });
    }
    const { sandbox, production } = scene.gateway.merchant.webhookPublicKeys;
    expect(sandbox).not.toBe(production);
  });

  test('finds a payment by its uuid and integer id: decisions.md#21', async () => {
    const { uniqueId } = await createHosted(scene);
    const payment = await paymentOf(scene, uniqueId);
    for (const id of [payment.uuid, payment.paymentIntentId]) {
      const found = await eventually(
        () => scene.sandbox.status(id),
        ({ status }) => status === 200,
      );
      expect(found.body.content).toEqual(payment);
    }
    const other = await scene.sandbox.call('GET', `sandbox/checkout/${uniqueId}`);
    expect(other.body.content).toEqual(payment);
  });

  test.each([
    ['spaces', 'order 12 of 7'],
    ['slashes and dots', '../a/b//c?d=e&f#g%2Fh'],
    ['Amharic', 'ትዕዛዝ ቁጥር ፩'],
    ['an emoji', '☕️🇪🇹'],
    ['all characters that JSON and HTML escape', `"\\'<b>&amp;`],
    ['255 characters', 'ፊ'.repeat(255)],
  ])('accepts an id with %s everywhere: decisions.md#7, #21', async (_name, text) => {
    const { hook } = await createSimulated(scene, [], { paymentIntentUniqueId: text });
    const received = await webhook(scene, hook);
    expect([received.paymentIntentUniqueId, received.payment.uniqueId]).toEqual([text, text]);
    expect(await paymentOf(scene, text)).toMatchObject({ uniqueId: text, status: 'SUCCESS' });
    const duplicate = await scene.sandbox.hosted(hostedBody({ paymentIntentUniqueId: text }));
    expect(duplicate.body.message).toContain(text);
    expect((await scene.sandbox.cancel(text)).status).toBe(409);
  });
});
