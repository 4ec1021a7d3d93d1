import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import backOffice from '../../../back-office/index.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import payments from '../../../src/index.ts';
import {
  ALPHA,
  answerOf,
  CREATE_PATHS,
  call,
  cancelPath,
  createHosted,
  expressBody,
  hostedBody,
  ORIGIN,
  postExpress,
  postHosted,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/decisions.md#7, #10, #11, #23 as HTTP: every status, envelope and header that does not
 * depend on the payment. Method: requests through the whole Worker, in tables.
 */

useGateway();

const BANKS = '/api/v1/payment/banks';
const SANDBOX_KEYS = '/api/v1/payment/sandbox/webhook-keys';
const BODY_BYTES_MAX = 64 * 1024;

test.each([
  ['/api/v1/payment'],
  ['/api/v1/payment/'],
  ['/api/v1/payment/sandbox'],
  ['/api/v1/payment/sandbox/express'],
  ['/api/v2/payment/sandbox/intent'],
  ['/api/v1/payment/sandbox/intent/a/b'],
  ['/api/v1/payment/sandbox/checkout'],
  ['/api/'],
])('decisions.md#10: answers 404 with the envelope for the unknown path %s', async (path) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    const { status, text, headers } = await answerOf(call(path, { method }));
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ message: 'There is nothing at this path' });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  }
});

const ROUTES: readonly [string, string][] = [
  [CREATE_PATHS.hosted.sandbox, 'POST'],
  [CREATE_PATHS.hosted.production, 'POST'],
  [CREATE_PATHS.express.sandbox, 'POST'],
  [CREATE_PATHS.express.production, 'POST'],
  [cancelPath('x'), 'POST'],
  [cancelPath('x', 'production'), 'POST'],
  [statusPath('x'), 'GET'],
  [statusPath('x', 'production'), 'GET'],
  ['/api/v1/payment/sandbox/checkout/x', 'GET'],
  ['/api/v1/payment/checkout/x', 'GET'],
  [BANKS, 'GET'],
  [SANDBOX_KEYS, 'GET'],
];

test.each(ROUTES)(
  'decisions.md#10: %s answers 405 with Allow: %s for any other method',
  async (path, allowed) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (method !== allowed) {
        const { status, headers, envelope } = await answerOf(call(path, { method }));
        expect({ method, status }).toEqual({ method, status: 405 });
        expect(headers.get('allow')?.split(', ')).toContain(allowed);
        expect(envelope).toMatchObject({
          status: 405,
          message: `Method ${method} is not allowed here`,
        });
      }
    }
  },
);

test.each(ROUTES)(
  'decisions.md#10: HEAD of %s answers as GET would, without a body (route: %s)',
  async (path, allowed) => {
    await createHosted({ paymentIntentUniqueId: 'x' });
    const head = await call(path, { method: 'HEAD' });
    const get = await answerOf(call(path));
    expect(await head.text()).toBe('');
    expect(head.status).toBe(get.status);
    expect(head.status === 405).toBe(allowed !== 'GET');
    expect(head.headers.has('x-request-id')).toBe(true);
  },
);

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/jsonp', 415],
  ['text/json', 415],
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['APPLICATION/JSON;charset=UTF-8', 200],
  ['application/vnd.merchant+json', 200],
  ['application/json; charset="utf-8"', 200],
  ['application/json; x=1; charset=us-ascii', 200],
  ['application/json; charset=utf-16', 415],
  ['application/json;charset=windows-1252', 415],
  ['application/json; charset=', 415],
  ['application/json, application/json', 415],
])('decisions.md#10: content type "%s" is answered %i', async (contentType, expected) => {
  const { status, envelope } = await answerOf(postHosted({}, { contentType }));
  expect(status).toBe(expected);
  expect(envelope.status).toBe(expected);
});

test.each([
  ['text/plain', 'Content-Type must be application/json'],
  [
    'application/json; charset=utf-8, application/json',
    'Content-Type must be application/json, given once: this request has more than one',
  ],
])('the answer to the content type "%s" says what is wrong', async (contentType, message) => {
  expect((await answerOf(postHosted({}, { contentType }))).envelope.message).toBe(message);
});

test.each([
  ['gzip', 415],
  ['br', 415],
  ['gzip, identity', 415],
  ['Identity', 200],
])('decisions.md#10: content encoding "%s" is answered %i', async (encoding, expected) => {
  const { status, envelope, headers } = await answerOf(
    postHosted({}, { headers: { 'content-encoding': encoding } }),
  );
  expect([status, envelope.status]).toEqual([expected, expected]);
  expect(headers.get('accept-encoding')).toBe(expected === 415 ? 'identity' : null);
});

test('decisions.md#10: treats a body without content type as JSON', async () => {
  // A stream has no content type of its own.
  const { status } = await answerOf(
    call(CREATE_PATHS.hosted.sandbox, {
      method: 'POST',
      body: chunked([JSON.stringify(hostedBody())]),
      contentType: null,
    }),
  );
  expect(status).toBe(200);
});

function chunked(parts: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const waiting = [...parts];
  return new ReadableStream({
    pull(controller) {
      const part = waiting.shift();
      if (part === undefined) {
        controller.close();
      } else {
        controller.enqueue(encoder.encode(part));
      }
    },
  });
}

/** A valid body of exactly this many bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ ...hostedBody(), padding: '' });
  return JSON.stringify({ ...hostedBody(), padding: 'x'.repeat(bytes - empty.length) });
}

test.each([
  ['exactly the limit', bodyOf(BODY_BYTES_MAX), 200],
  ['one byte more', bodyOf(BODY_BYTES_MAX + 1), 413],
  ['a megabyte', bodyOf(1_000_000), 413],
])(
  'decisions.md#7: a body of %s gets the same answer with and without content-length',
  async (_name, text, expected) => {
    const sent = await answerOf(call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: text }));
    expect(sent.status).toBe(expected);
    expect(sent.envelope.status).toBe(expected);

    const renamed = text.replace('order-1', 'order-2');
    const parts = renamed.match(/.{1,8192}/gs) ?? [];
    const streamed = await answerOf(
      call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: chunked(parts) }),
    );
    expect(streamed.status).toBe(expected);
  },
);

test.each([
  ['no text', ''],
  ['half an object', '{"amount": 1'],
  ['JSON with a comment', '{} // hi'],
  ['a form', 'amount=1'],
  ['NaN', '{"amount": NaN}'],
])('decisions.md#10: a body of %s gets a plain 400', async (_name, body) => {
  for (const { sandbox } of Object.values(CREATE_PATHS)) {
    const { status, envelope } = await answerOf(call(sandbox, { method: 'POST', body }));
    expect(status).toBe(400);
    expect(envelope).toMatchObject({ status: 400, message: 'The body is not valid JSON' });
  }
});

test('decisions.md#10: a body that is not UTF-8 gets a plain 400', async () => {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array([0x7b, 0xff, 0x7d]));
      controller.close();
    },
  });
  const { status, envelope } = await answerOf(
    call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: stream }),
  );
  expect(status).toBe(400);
  expect(envelope).toMatchObject({ status: 400, message: 'The body is not valid JSON' });
});

test.each(['null', '[]', '"text"', '42', 'true'])(
  'decisions.md#10: the JSON value %s is of the wrong type as a whole',
  async (body) => {
    for (const { sandbox } of Object.values(CREATE_PATHS)) {
      expect(await answerOf(call(sandbox, { method: 'POST', body }))).toMatchObject({
        status: 400,
        envelope: {
          message: 'body: must be a JSON object',
          validationErrors: { body: 'Must be a JSON object.' },
        },
      });
    }
  },
);

test('decisions.md#10: reports all failing fields at once, by the paths that the merchant wrote', async () => {
  const { status, envelope } = await answerOf(
    postHosted({
      amount: undefined,
      items: [{ name: 'Coffee', quantity: 0, type: 'FOOD', price: 1.005 }],
      currency: 'EUR',
      returnUrl: 'nowhere',
      customerInfo: { phone: '811234567' },
    }),
  );
  expect(status).toBe(400);
  expect(envelope).toMatchObject({ status: 400, code: 'validation_failed' });
  expect(Object.keys(envelope.validationErrors ?? {}).sort()).toEqual([
    'currency',
    'customerInfo.phone',
    'items[0].price',
    'items[0].quantity',
    'items[0].type',
    'returnUrl',
  ]);
});

test('decisions.md#6: an answer names unknown fields, also beside errors and when it is replayed', async () => {
  const bodies = { hosted: hostedBody, express: expressBody };
  const warnings = [
    'callback_url is not a known field and was ignored. Did you mean callbackUrl?',
    'customerInfo.fax is not a known field and was ignored.',
  ];
  for (const kind of ['hosted', 'express'] as const) {
    const post = (changes: object) =>
      answerOf(
        call(CREATE_PATHS[kind].sandbox, {
          method: 'POST',
          headers: { 'idempotency-key': 'k' },
          body: bodies[kind]({
            amount: 100,
            paymentIntentUniqueId: kind,
            callback_url: 'https://shop.example.com/',
            customerInfo: { name: 'Abebe', fax: '1' },
            ...changes,
          }),
        }),
      );
    const refused = await post({ currency: 'XXX' });
    expect(Object.keys(refused.envelope)).toContain('validationErrors');
    expect(refused.envelope).toMatchObject({ status: 400, warnings });
    const created = await post({});
    expect(Object.keys(created.envelope)).toEqual(['status', 'message', 'content', 'warnings']);
    expect(created.envelope).toMatchObject({ status: 200, warnings });
    expect((await post({})).text).toBe(created.text);
  }
});

test.each(['hosted', 'express'] as const)(
  'decisions.md#10: a %s body that names a field twice is refused with its name',
  async (kind) => {
    const body = JSON.stringify((kind === 'hosted' ? hostedBody : expressBody)({ amount: 150.5 }));
    const path = CREATE_PATHS[kind].sandbox;
    const post = (more: string) =>
      answerOf(call(path, { method: 'POST', body: `${body.slice(0, -1)}${more}}` }));
    expect(await post(',"amo\\u0075nt":1,"metadata":{"a":"1","a":"2"}')).toMatchObject({
      status: 400,
      envelope: {
        code: 'validation_failed',
        validationErrors: {
          amount: 'This field is given more than once.',
          'metadata.a': 'This field is given more than once.',
        },
        validationErrorCodes: { amount: 'duplicate', 'metadata.a': 'duplicate' },
      },
    });
    // Nothing was stored: the id is free.
    expect(await post('')).toMatchObject({ status: 200 });
  },
);

test('decisions.md#5: decimals are counted on the text of a number, wherever money is', async () => {
  const item = { name: 'Coffee', quantity: 1, type: 'SERVICE', price: 'PRICE' };
  const split = { amount: 'SHARE', bank: 'CBE', splitType: 'NUMBER', creditAccount: '1' };
  const fields = { items: [item], splitPayment: [split], expireIn: 'SECONDS' };
  const body = JSON.stringify(hostedBody({ ...fields, amount: 'AMOUNT' })).replaceAll(
    /"(?:PRICE|SHARE|SECONDS|AMOUNT)"/g,
    '300.0000000000000000001',
  );
  const { status, envelope } = await answerOf(
    call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body }),
  );
  expect([status, envelope.validationErrorCodes]).toEqual([
    400,
    {
      amount: 'too_many_decimals',
      'items[0].price': 'too_many_decimals',
      'splitPayment[0].amount': 'too_many_decimals',
      expireIn: 'not_whole',
    },
  ]);
  const refund =
    '{"paymentIntentUniqueId":"a","refundUniqueId":"b","amountMinor":1.0000000000000000001}';
  const refused = await answerOf(
    call('/api/v1/payment/sandbox/refunds', { method: 'POST', body: refund }),
  );
  expect(refused.envelope.validationErrorCodes).toEqual({ amountMinor: 'not_whole' });
});

/** Of the payments' and the back office's Worker: a wrong base URL reaches either. */
const WORKERS = [payments, backOffice] as const;

test.each([
  '//api/v1/payment/banks',
  '///api///v1//payment/banks',
  '/api//v1/payment/banks',
  '//api',
  '/api/v1/none',
])('decisions.md#10: answers %s with the JSON envelope in both Workers', async (path) => {
  for (const worker of WORKERS) {
    const request = new Request(`${ORIGIN}${path}`, { headers: { apiKey: ALPHA.apiKeys.sandbox } });
    const response = await worker.fetch(request as never, env, createExecutionContext());
    const isAnswered = path.endsWith('banks') && worker === payments;
    expect(await response.json()).toMatchObject(
      isAnswered ? { status: 200 } : { status: 404, code: 'path_not_found' },
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('answers //rails as /rails, and in the back office with the JSON envelope', async () => {
  const answers = ['/rails/none/token', '//rails///none/token'].flatMap((path) =>
    WORKERS.map(async (worker) => {
      const request = new Request(`${ORIGIN}${path}`, { method: 'POST', body: '{}' });
      const response = await worker.fetch(request as never, env, createExecutionContext());
      return [response.status, response.headers.get('content-type')];
    }),
  );
  const [page, envelope, ...others] = await Promise.all(answers);
  expect(others).toEqual([page, envelope]);
  expect(envelope).toEqual([404, 'application/json; charset=utf-8']);
});

test('decisions.md#22: the sandbox warns of what production would refuse, again when it is replayed', async () => {
  const body = expressBody({ method: 'M_PESA', amount: 150.5, phoneNumber: '0911223344' });
  const headers = { 'idempotency-key': 'k' };
  const post = () =>
    answerOf(call(CREATE_PATHS.express.sandbox, { method: 'POST', headers, body }));
  const created = await post();
  expect(created).toMatchObject({
    status: 200,
    envelope: {
      warnings: [
        'amount would be refused in production: M_PESA can take whole amounts only, without cents.',
        'phoneNumber would be refused in production: Must begin with 7, such as 0711223344: M_PESA charges no other numbers.',
      ],
    },
  });
  expect((await post()).text).toBe(created.text);
});

test('decisions.md#21: the status call returns what an express request sent, the phone masked', async () => {
  const body = expressBody({
    method: 'M_PESA',
    phoneNumber: '0711223344',
    description: 'Coffee',
    debitAccount: '1000555',
    returnUrl: 'https://shop.example.com/done',
  });
  await call(CREATE_PATHS.express.sandbox, { method: 'POST', body });
  const { envelope } = await answerOf(call(statusPath('order-1')));
  expect(envelope.content).toMatchObject({
    phoneNumber: '251*****3344',
    description: 'Coffee',
    debitAccount: '1000555',
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: 'https://shop.example.com/hook',
  });
});

test('decisions.md#10: every answer has its own x-request-id, taken from the ray if there is one, the version, and HSTS', async () => {
  const token = (await createHosted()).split('/').at(-1) ?? '';
  const requests: [string, string][] = [
    ...ROUTES,
    ['/api/nowhere', 'GET'],
    ['/nowhere', 'GET'],
    [`/checkout/${token}`, 'GET'],
    ['/checkout/x', 'GET'],
    ['/simulator/x', 'GET'],
    ['/rails/simulator/x', 'POST'],
    ['/checkout/x', 'DELETE'],
  ];
  const ids = new Set<string | null>();
  for (const [path, method] of requests) {
    for (const apiKey of [ALPHA.apiKeys.sandbox, null]) {
      const response = await call(path, { method, apiKey });
      await response.body?.cancel();
      ids.add(response.headers.get('x-request-id'));
      const hsts = response.headers.get('strict-transport-security');
      expect([path, method, hsts]).toEqual([path, method, 'max-age=31536000']);
      expect(response.headers.get('x-kefel-version')).toBe(env.VERSION.id);
    }
  }
  expect(ids).not.toContain(null);
  expect(ids.size).toBe(requests.length * 2);
  const behindEdge = await call(BANKS, { headers: { 'cf-ray': '8f00baa1deadbeef-NBO' } });
  expect(behindEdge.headers.get('x-request-id')).toBe('8f00baa1deadbeef-NBO');
});

test('decisions.md#11: a hosted success is exactly the envelope with the checkout URL', async () => {
  const { status, text, headers } = await answerOf(postHosted({ amount: 100 }));
  expect(status).toBe(200);
  expect(text).toMatch(
    /^\{"status":200,"message":"Payment intent saved successfully","content":"https:\/\/pay\.kefel\.test\/checkout\/[\w.-]+"\}$/,
  );
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('decisions.md#11, #16: an express success is exactly the envelope with the payment response', async () => {
  const { status, text, envelope } = await answerOf(postExpress());
  expect(status).toBe(200);
  expect(Object.keys(JSON.parse(text))).toEqual(['status', 'message', 'content']);
  expect(envelope).toEqual({
    status: 200,
    message: 'Payment intent saved successfully',
    content: {
      paymentUrl: expect.stringContaining(`${ORIGIN}/`),
      transactionId: expect.stringMatching(/^[A-Z0-9]{20}$/),
      status: 'SUCCESS',
      message: expect.any(String),
      failureReason: null,
    },
  });
});

test.each([
  ['hosted', hostedBody({ methods: [] }), 'methods'],
  ...METHODS.map((method) => ['hosted', hostedBody({ methods: [method] }), 'methods[0]'] as const),
  ...METHODS.map(
    (method) => ['express', expressBody({ method, phoneNumber: '0911234567' }), 'method'] as const,
  ),
] as const)(
  'decisions.md#23: production answers 400 on the method without a rail (%s %#)',
  async (kind, body, field) => {
    const { status, envelope } = await answerOf(
      call(CREATE_PATHS[kind].production, {
        method: 'POST',
        apiKey: ALPHA.apiKeys.production,
        body,
      }),
    );
    expect(status).toBe(400);
    expect(envelope.status).toBe(400);
    expect(Object.keys(envelope.validationErrors ?? {})).toEqual([field]);
    expect(envelope.validationErrors?.[field]).toMatch(/enabled/);
  },
);

test('decisions.md#21: an id that cannot be decoded gets 404', async () => {
  for (const path of [
    '/api/v1/payment/sandbox/intent/%E0%A4%A',
    cancelPath('x').replace('/x', '/%ff'),
  ]) {
    const method = path.includes('cancel') ? 'POST' : 'GET';
    expect((await answerOf(call(path, { method }))).status).toBe(404);
  }
});

test('decisions.md#28: the bank list requires a key and marks the banks that support withdrawal', async () => {
  const { status, envelope } = await answerOf(call(BANKS));
  expect(status).toBe(200);
  const list = envelope.content as Record<string, unknown>[];
  expect(list.length).toBeGreaterThan(20);
  for (const bank of list) {
    expect(Object.keys(bank)).toEqual(['code', 'name', 'supportsWithdrawal']);
  }
});

test('decisions.md#17: serves the public keys of each environment without an API key', async () => {
  const both = [SANDBOX_KEYS, '/api/v1/payment/webhook-keys'];
  const answers = await Promise.all(both.map((path) => answerOf(call(path, { apiKey: null }))));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.text).not.toBe(answers[1]?.text);
  for (const { text } of answers) {
    expect(text).toContain('BEGIN PUBLIC KEY');
    expect(text).not.toContain('PRIVATE');
  }
});
