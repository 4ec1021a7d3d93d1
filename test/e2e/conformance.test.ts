import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { ApiDocument } from '../../lab/harness/api-document.ts';
import { damagedBodies, type Overrides, validBodies } from '../../lab/harness/arbitrary-bodies.ts';
import { expressBody, hostedBody, type JsonObject } from '../support/e2e-scene.ts';

/**
 * Goal: the gateway does what `/openapi.json` says. Method: send generated valid and damaged
 * requests for every call. Every answer must have a documented status and form, and the gateway may
 * accept only what the document allows. The short run draws the same requests every time;
 * `KEFEL_CONFORMANCE_RUNS=2000` makes the long run, with new ones. A failure prints its seed.
 */

const LONG_RUN = process.env.KEFEL_CONFORMANCE_RUNS;
const RUNS = Number(LONG_RUN ?? 30);
const LONG_RUN_MS = 1_800_000;
const RUNS_AT_ONCE = 8;

const { baseUrl, merchants } = inject('sandbox');
const { sandboxApiKey, productionApiKey } = merchants.conformance;
const document = new ApiDocument();

/**
 * Values that a schema cannot demand: they let a payment last longer than the test, and keep
 * webhooks on the machine.
 */
const OVERRIDES: Overrides = {
  paymentIntentUniqueId: fc.uuid(),
  expireIn: fc.integer({ min: 3_600, max: 31_622_400 }),
  callbackUrl: fc.constant(null),
  returnUrl: fc.webUrl(),
  'items[].image': fc.option(fc.webUrl()),
  'splitPayment[].bank': fc.constantFrom('CBE', 'no-bank'),
  phoneNumber: fc.constantFrom('0911223344', '+251711223344', null),
};

const CREATIONS = document.calls.filter((call) => /\/intent$|\/pay$/.test(call) && isPost(call));
const OTHERS = document.calls.filter((call) => !CREATIONS.includes(call));

const TIMES = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** What the schema of a query cannot say. */
const QUERY_OVERRIDES: Overrides = {
  createdFrom: TIMES,
  createdTo: TIMES,
  endedFrom: TIMES,
  endedTo: TIMES,
  paidFrom: TIMES,
  paidTo: TIMES,
  customerPhone: fc.constantFrom('0911223344', '+251711223344', '12'),
  cursor: fc.constantFrom('', 'by4', 'by4xMDAwLngK'),
};

const LISTS = document.calls.filter(
  (call) => Object.keys(document.querySchema(call).properties ?? {}).length > 0,
);

describe.each(LISTS)('%s', (call) => {
  const schema = document.querySchema(call);

  test('answers valid queries as documented', { timeout: LONG_RUN_MS }, async () => {
    const statuses = new Set<number>();
    await all(validBodies(schema, QUERY_OVERRIDES), async (query) => {
      statuses.add(await expectDocumented(call, call + searchOf(query), undefined));
    });
    expect([...statuses].sort()).toEqual([200, 400]);
  });

  test('answers damaged queries as documented', { timeout: LONG_RUN_MS }, async () => {
    await all(damagedBodies(schema, QUERY_OVERRIDES), async (query) => {
      await expectDocumented(call, call + searchOf(query), undefined);
    });
  });

  test('refuses a parameter that the document does not name', async () => {
    expect(await expectDocumented(call, `${call}?unknown=1`, undefined)).toBe(400);
  });
});

/** Calls with a body: what its schema cannot say, and which statuses valid bodies get. */
interface BodyCalls {
  readonly calls: readonly string[];
  readonly overrides: (call: string) => Promise<Overrides>;
  readonly statuses?: readonly number[];
}

const WITH_BODIES: readonly BodyCalls[] = [
  // Rules across fields refuse many, but not all; production has no methods here.
  { calls: CREATIONS, overrides: async () => OVERRIDES },
  {
    calls: document.calls.filter(isRefund),
    overrides: async (call) => ({
      paymentIntentUniqueId: fc.constantFrom(
        'none',
        ...(call.includes('/sandbox') ? [await paidId()] : []),
      ),
      refundUniqueId: fc.uuid(),
      amountMinor: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
      transactionId: fc.constantFrom(null, null, 'NONE'),
    }),
  },
  {
    calls: document.calls.filter((call) => call.endsWith('/events/resend')),
    overrides: async () => ({ since: TIMES, cursor: fc.constant(null) }),
    statuses: [200, 429],
  },
  {
    // Only production's, which has no payments and so sends no events.
    calls: document.calls.filter((call) => /^POST .*payment\/webhook-endpoints$/.test(call)),
    overrides: async () => ({ url: fc.constant('https://shop.example.com/hook') }),
    statuses: [200, 400, 409],
  },
];

describe.each(WITH_BODIES.flatMap((it) => it.calls.map((call) => ({ ...it, call }))))(
  '$call',
  ({ call, overrides, statuses: expected }) => {
    const schema = document.requestSchema(call);

    test('answers valid bodies as documented', { timeout: LONG_RUN_MS }, async () => {
      const statuses = new Set<number>();
      await all(validBodies(schema, await overrides(call)), async (body) => {
        expect(document.requestFaults(call, body)).toEqual([]);
        statuses.add(await expectDocumented(call, call, body));
      });
      if (expected === undefined) {
        expect(statuses.has(200)).toBe(call.includes('/sandbox'));
      } else {
        expect(expected).toEqual(expect.arrayContaining([...statuses]));
      }
    });

    test('accepts no body that the document forbids', { timeout: LONG_RUN_MS }, async () => {
      await all(damagedBodies(schema, await overrides(call)), async (body) => {
        const status = await expectDocumented(call, call, body);
        const faults = document.requestFaults(call, withoutEmpty(body));
        if (faults.length > 0) {
          expect({ status, faults }).toEqual({ status: expect.toBeOneOf([400, 429]), faults });
        }
      });
    });
  },
);

/** A query as clients write it: an object as `metadata[KEY]=VALUE`. */
function searchOf(query: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (typeof value === 'object' && value !== null) {
      for (const [key, text] of Object.entries(value)) {
        search.append(`${name}[${key}]`, textOf(text));
      }
    } else {
      search.append(name, textOf(value));
    }
  }
  return `?${search}`;
}

/** Any JSON value as a text. `String` fails at `{"toString": false}`. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

describe.each(OTHERS.filter((call) => !document.isStream(call)))('%s', (call) => {
  test('answers any id as documented', { timeout: LONG_RUN_MS }, async () => {
    const known = await createdId(call);
    // No URL can address the other two: clients resolve them first.
    const texts = fc.string({ minLength: 1 }).filter((id) => id !== '.' && id !== '..');
    const ids = fc.oneof(texts, fc.uuid(), fc.constant(known));
    await all(ids, async (id) => {
      await expectDocumented(call, call.replace('{id}', encodeURIComponent(id)), undefined);
    });
  });
});

describe.each(OTHERS.map((call, index) => [call, index] as const))('%s', (call, index) => {
  test('refuses calls without a key, or with the other one, as documented', async () => {
    // An address of its own, as Cloudflare sets it: each has few tries with wrong keys.
    const from = { 'cf-connecting-ip': `198.51.100.${index}` };
    for (const key of [{}, { apiKey: 'kfl_test_x' }, { apiKey: keyOf(call, true) }]) {
      await expectDocumented(call, call.replace('{id}', 'order-1'), undefined, { ...from, ...key });
    }
  });
});

async function all<Value>(
  values: fc.Arbitrary<Value>,
  check: (value: Value) => Promise<void>,
): Promise<void> {
  const numRuns = Math.ceil(RUNS / RUNS_AT_ONCE);
  const test = expect.getState().currentTestName ?? '';
  // Several properties side by side, because a request mostly waits.
  await Promise.all(
    Array.from({ length: RUNS_AT_ONCE }, (_, share) => {
      const seed = LONG_RUN === undefined ? { seed: seedOf(`${test} ${share}`) } : {};
      return fc.assert(fc.asyncProperty(values, check), { numRuns, ...seed });
    }),
  );
}

/** A seed for each test and share: the same one twice would create the same payments. */
function seedOf(name: string): number {
  return createHash('sha256').update(name).digest().readInt32BE();
}

/** Sends the request, holds its answer against the document and returns its status. */
async function expectDocumented(
  call: string,
  request: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = { apiKey: keyOf(call) },
): Promise<number> {
  const [method = '', path = ''] = request.split(' ');
  const send = () =>
    fetch(baseUrl + path, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const isCreation = CREATIONS.includes(call) || (isRefund(call) && body !== undefined);
  const isList = LISTS.includes(call) && LONG_RUN !== undefined;
  // The other calls have limits of their own, minutes long. Their 429 is documented too.
  const answer = await (isCreation || isList ? withinLimit(send) : send());
  const content: unknown = await answer.json();
  expect(document.answerFaults(call, answer.status, content)).toEqual([]);
  expect(answer.headers.get('x-request-id')).toMatch(/./);
  return answer.status;
}

/** The long run exceeds the key's rate limit, and waits as the answer asks. */
async function withinLimit(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 429) {
      return answer;
    }
    await answer.body?.cancel();
    await wait(Number(answer.headers.get('retry-after')) * 1_000);
  }
}

function keyOf(call: string, isOther = false): string {
  return call.includes('/sandbox') === isOther ? productionApiKey : sandboxApiKey;
}

function isRefund(call: string): boolean {
  return isPost(call) && call.endsWith('/refunds');
}

function isPost(call: string): boolean {
  return call.startsWith('POST ');
}

/** Creates a payment in the sandbox, and returns its id. */
async function created(path: string, body: JsonObject): Promise<string> {
  const headers = { apiKey: sandboxApiKey, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await withinLimit(() => fetch(`${baseUrl}/api/v1/payment/${path}`, request));
  expect(answer.status).toBe(200);
  return String(body.paymentIntentUniqueId);
}

/** The id of a payment of 1,000,000 that is paid, so that every refund of the test fits into it. */
async function paidId(): Promise<string> {
  const body = expressBody({ amount: 1_000_000, method: 'CBE', expireIn: 3_600 });
  const id = await created('express/sandbox/pay', body);
  const url = `${baseUrl}/api/v1/payment/sandbox/intent/${id}`;
  const read = () => withinLimit(() => fetch(url, { headers: { apiKey: sandboxApiKey } }));
  await expect
    .poll(async () => (await read()).json(), POLLING)
    .toMatchObject({ content: { status: 'SUCCESS' } });
  return id;
}

/** A simulated payment is paid within a second; a busy machine takes longer. */
const POLLING = { timeout: 30_000, interval: 250 };

/** The id of a payment that exists, for calls that take one. */
async function createdId(call: string): Promise<string> {
  return call.includes('{id}') && call.includes('/sandbox')
    ? created('sandbox/intent', hostedBody({ expireIn: 3_600 }))
    : 'order-1';
}

/** The body as the gateway reads it: in an optional field, an empty string counts as absent. */
function withoutEmpty(body: unknown): unknown {
  if (Array.isArray(body)) {
    return body.map(withoutEmpty);
  }
  if (typeof body !== 'object' || body === null) {
    return body;
  }
  const kept = Object.entries(body).filter(([, value]) => value !== '');
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutEmpty(value)]));
}
