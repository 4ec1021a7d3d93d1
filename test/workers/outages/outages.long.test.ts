import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import reliability from '../../../docs/reliability.md?raw';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { signedIn, visit } from '../dashboard/support.ts';
import { operate } from '../operator/support.ts';
import { MPESA_PHONE, mpesaReport, playRails, SCENE_SECRETS } from '../rails/scenes.ts';
import {
  attemptNow,
  callbackPath,
  choose,
  client,
  configureRails,
  fireAlarmOf,
  intentNow,
  openHosted,
  report,
} from '../rails/support.ts';
import { bookSql } from '../support/book.ts';
import {
  ALPHA,
  type Arrival,
  advance,
  type CaughtMessages,
  call,
  cancelPath,
  chooseMethod,
  consume,
  createHosted,
  fireAlarm,
  intentOf,
  MINUTE_MS,
  merchantServer,
  pathOf,
  payHosted,
  postExpress,
  postForm,
  postHosted,
  postRefund,
  type QueueName,
  refundPath,
  reportsAreSent,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/reliability.md#outages, whose table this test reads: what works while a part is down, what is
 * answered 503, and that everything catches up. Method: each part fails as the platform makes it fail,
 * around one operation of each kind. What hangs, hangs until the gateway's own time limit, which the test
 * lets pass at once.
 */

configureRails(SCENE_SECRETS);
const caught = useGateway();

afterEach(() => {
  end();
  end = () => undefined;
});

// ---------------------------------------------------------------------------------------------
// The outages

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|WITH[\s\S]*\b(?:INSERT|UPDATE|DELETE)\b)/i;

/** D1 that fails statements as `fails` says. `answer` is what a failing one answers. */
function failD1(answer: () => Promise<never>, fails: (sql: string) => boolean): () => void {
  const prepare = env.DB.prepare.bind(env.DB);
  const batch = env.DB.batch.bind(env.DB);
  const texts = new WeakMap<D1PreparedStatement, string>();
  const watched = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    texts.set(statement, sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => watched(bind(...values), sql);
    if (fails(sql)) {
      Object.assign(statement, { all: answer, first: answer, run: answer, raw: answer });
    }
    return statement;
  };
  const spies = [
    vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => watched(prepare(sql), sql)),
    vi
      .spyOn(env.DB, 'batch')
      .mockImplementation((statements) =>
        statements.some((statement) => fails(texts.get(statement) ?? ''))
          ? answer()
          : batch(statements),
      ),
  ];
  return () => {
    for (const spy of spies) {
      spy.mockRestore();
    }
  };
}

/** The platform's text of the error. */
const withText = (text: string) => async (): Promise<never> => {
  throw new Error(`D1_ERROR: ${text}`);
};

/** As long as the gateway waits for D1. The runner's own limits are longer still. */
const WAIT_MS_MAX = 10_000;

/** No server answers, and each of the gateway's time limits passes as soon as it is set. */
function hangD1(): () => void {
  const { setTimeout } = globalThis;
  const timers = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((callback, ms = 0, ...args) =>
      setTimeout(callback, ms <= WAIT_MS_MAX ? 0 : ms, ...args),
    );
  const hang = () => new Promise<never>(() => undefined);
  const recover = failD1(hang, () => true);
  return () => {
    recover();
    timers.mockRestore();
  };
}

/** M-PESA logs in, takes reports and refunds, but no request for a payment gets an answer. */
function hangMpesa(): () => void {
  const answered = vi.mocked(fetch).getMockImplementation();
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    setTimeout(() => limit.abort(new Error('timeout')), 0);
    return limit.signal;
  });
  vi.mocked(fetch).mockImplementation((input, init) =>
    String(input).endsWith('/processrequest')
      ? new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        })
      : (answered?.(input, init) ?? Promise.reject(new Error('no network'))),
  );
  return () => {
    limits.mockRestore();
    if (answered !== undefined) {
      vi.mocked(fetch).mockImplementation(answered);
    }
  };
}

function refuseMessages(): () => void {
  const sends = [env.WEBHOOKS, env.WEBHOOK_RETRIES, env.PROVIDER_REPORTS].map((queue) =>
    vi.mocked(queue.send).mockRejectedValue(new Error('Queue sends are temporarily unavailable')),
  );
  return () => {
    for (const send of sends) {
      send.mockRestore();
    }
  };
}

/** Objects whose every call fails as the platform makes it fail. Waits between tries take no time. */
function failObjects(properties: object, text = 'Network connection lost.'): () => void {
  const fail = async () => {
    throw Object.assign(new Error(text), properties);
  };
  const away = new Proxy({}, { get: () => fail }) as ReturnType<typeof env.PAYMENT_INTENT.get>;
  const spies = [
    vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined),
    vi.spyOn(env.PAYMENT_INTENT, 'get').mockReturnValue(away),
    vi.spyOn(env.MERCHANT_REGISTER, 'get').mockReturnValue(away as never),
  ];
  return () => {
    for (const spy of spies) {
      spy.mockRestore();
    }
  };
}

/** Each outage by its column: begins it, and returns what ends it. */
const OUTAGES: Readonly<Record<string, () => () => void>> = {
  'D1 fails': () => failD1(withText('Network connection lost.'), () => true),
  'D1 hangs': hangD1,
  'D1 is read-only': () => failD1(withText('attempt to write a readonly database'), isWrite),
  'D1 is full': () => failD1(withText('database or disk is full: SQLITE_FULL'), isWrite),
  'Queues refuse': refuseMessages,
  'Objects unreachable': () => failObjects({ retryable: true }),
  'Objects overloaded': () => failObjects({ retryable: true, overloaded: true }),
  'Objects reset': () => failObjects({}, 'Durable Object reset because its code was updated.'),
  'M-PESA half dead': hangMpesa,
};

function isWrite(sql: string): boolean {
  return WRITES.test(sql);
}

let end: () => void = () => undefined;

function begin(outage: string): void {
  end = OUTAGES[outage]?.() ?? end;
}

// ---------------------------------------------------------------------------------------------
// The operations

/** What an operation prepares before the outage; what it does during it, with its answer or its cell. */
type Operation = () => Promise<() => Promise<Response | string>>;

/** The customer's form. Without an answer of M-PESA's: that the attempt stays pending, not failed. */
async function payByMpesa(path: string, uniqueId = 'order-1'): Promise<Response | string> {
  const form = await postForm(`${path}/attempts`, {
    method: 'M_PESA',
    phone: MPESA_PHONE,
    attempts: '0',
  });
  if (form.status !== 303 || form.headers.get('location') !== path) {
    return form;
  }
  const { status, railReference, failureReason } = await attemptNow(client(uniqueId));
  expect([status, failureReason]).toEqual(['processing', null]);
  return railReference === null ? 'pending' : form;
}

const api =
  (send: () => Promise<Response>): Operation =>
  async () => {
    // The key is in use.
    await createHosted({ paymentIntentUniqueId: 'earlier' });
    return send;
  };

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'Create a payment, with a key in use': api(() => postHosted({ paymentIntentUniqueId: 'new' })),
  'Create an express payment': api(() => postExpress({ paymentIntentUniqueId: 'new' })),
  'Create a payment, with another key': async () => {
    forgetDirectory();
    return () => postHosted();
  },
  'Read a payment by its unique id': api(() => call(statusPath('earlier'))),
  'Cancel a payment': api(() => call(cancelPath('earlier'), { method: 'POST' })),
  'List payments, events or refunds': api(() => call('/api/v1/payment/sandbox/intents')),
  'Ask for a refund': async () => {
    await payHosted();
    return () => postRefund();
  },
  'Read a refund': async () => {
    await payHosted();
    await postRefund();
    return () => call(refundPath());
  },
  'Change a webhook endpoint': api(() => {
    const body = { url: 'https://shop.example.com/other' };
    return call('/api/v1/payment/sandbox/webhook-endpoints', { method: 'POST', body });
  }),
  'The customer opens the page': async () => {
    const url = await createHosted();
    return () => call(pathOf(url), { apiKey: null });
  },
  'The customer pays': async () => {
    const url = await createHosted();
    return async () => {
      const path = `${pathOf(url)}/attempts`;
      return postForm(path, { method: 'TELE_BIRR', attempts: '0' });
    };
  },
  'The customer pays by M-PESA': async () => {
    const path = await openHosted();
    return () => payByMpesa(path);
  },
  'The customer pays by card': async () => {
    const path = await openHosted();
    return () => postForm(`${path}/attempts`, { method: 'ETS_SWITCH', attempts: '0' });
  },
  'M-PESA reports a payment': async () => {
    await choose(await openHosted(), 'M_PESA', 0, MPESA_PHONE);
    const body = JSON.stringify(mpesaReport(await attemptNow(), 'paid'));
    const path = await callbackPath('stk-push');
    return () => call(path, { method: 'POST', apiKey: null, body });
  },
  'Open the dashboard': async () => {
    const member = await signedIn();
    return () => visit(member, '/dashboard/sandbox/payments');
  },
  'Open the desk': async () => () => operate('/operator'),
  'The operator’s API': async () => () => operate('/operator/v1/merchants'),
};

// ---------------------------------------------------------------------------------------------
// The table

const [, section = ''] = reliability.split('<a id="outages"></a>');
const [, columns = [], ...rows] = [
  [],
  ...section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
];
const CELLS = rows.flatMap(([operation = '', ...cells]) =>
  cells.map((expected, index) => [columns[index + 1] ?? '', operation, expected] as const),
);

test('the table has each outage and each operation', () => {
  expect(columns.slice(1)).toEqual(Object.keys(OUTAGES));
  expect(rows.map(([operation]) => operation)).toEqual(Object.keys(OPERATIONS));
});

test.each(CELLS)('%s: %s: %s', async (outage, operation, expected) => {
  playRails();
  const act = await OPERATIONS[operation]?.();
  begin(outage);
  expect(await outcomeOf((await act?.()) ?? '')).toBe(expected);
});

/** Any other answer, such as 500 or 503 without `Retry-After`, is shown as it is. */
async function outcomeOf(response: Response | string): Promise<string> {
  if (typeof response === 'string') {
    return response;
  }
  const { status, headers } = response;
  const text = await response.text();
  if (status === 503 && headers.has('retry-after')) {
    // A page, or the plain text that a provider's server reads.
    const isText = headers.get('content-type')?.startsWith('text/') === true;
    return isText || JSON.parse(text).code === 'service_unavailable' ? '503' : text;
  }
  const location = headers.get('location') ?? '';
  if (status === 303 && location.endsWith('?failed=1')) {
    return 'try again';
  }
  return status === 200 || status === 303 ? 'works' : `${status} ${text.slice(0, 200)}`;
}

// ---------------------------------------------------------------------------------------------
// Afterwards

/** Delivers what waits in the queues; what a consumer does not acknowledge stays. */
async function deliver({ webhooks, retries, reports }: CaughtMessages): Promise<void> {
  await deliverAll('kefel-webhooks', webhooks);
  await deliverAll('kefel-webhook-retries', retries);
  await deliverAll('kefel-provider-reports', reports);
}

async function deliverAll<Message>(queue: QueueName, messages: Message[]): Promise<void> {
  const batch = messages.splice(0);
  if (batch.length > 0) {
    const { retryBatch, retryMessages } = await consume(queue, batch as never);
    const again = new Set(retryMessages.map(({ msgId }) => msgId));
    messages.push(...batch.filter((_, index) => retryBatch.retry || again.has(`message-${index}`)));
  }
}

/** The servers of the merchant and of the providers. Returns the webhooks that arrive. */
function allServers(): Arrival[] {
  playRails();
  const provider = vi.mocked(fetch).getMockImplementation();
  const arrivals = merchantServer();
  const merchant = vi.mocked(fetch).getMockImplementation();
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    const answer = String(input).includes('.rail.test') ? provider : merchant;
    return answer?.(input, init) ?? new Response(null, { status: 500 });
  });
  return arrivals;
}

const LOAD = ['load-1', 'load-2', 'load-3', 'load-4', 'load-5', 'load-6'];
const SANDBOX = ['expiring', ...LOAD, 'new', 'paid', 'refunded'];
const ENDED: Readonly<Record<string, string>> = {
  expiring: 'expired',
  paid: 'succeeded',
  refunded: 'succeeded',
};

describe.each(Object.keys(OUTAGES))('after the outage: %s', (outage) => {
  test('everything catches up, once, and nothing is lost', async () => {
    const arrivals = allServers();
    const token = await chooseMethod(await createHosted({ paymentIntentUniqueId: 'paid' }));
    await createHosted({ paymentIntentUniqueId: 'expiring', expireIn: 60 });
    await payHosted({ paymentIntentUniqueId: 'refunded' });
    const prompt = await openHosted({ paymentIntentUniqueId: 'prompted' });
    const refund = () => postRefund({ paymentIntentUniqueId: 'refunded' });
    const create = (id: string) => () => postHosted({ paymentIntentUniqueId: id });
    const pay = () => postForm(`/rails/simulator/${token}`, { outcome: 'approve' });
    const payByPhone = () => payByMpesa(prompt, 'prompted');
    const acts = [create('new'), pay, refund, payByPhone, ...LOAD.map(create)];
    const send = async (act: (typeof acts)[number]) => outcomeOf(await act());

    // The outage begins and ends while requests are on their way.
    const early = acts.slice(-6, -3).map(send);
    begin(outage);
    const during = acts.slice(0, -6).map(send);
    await Promise.all(during);
    await deliver(caught);
    const late = acts.slice(-3).map(send);
    end();
    const outcomes = await Promise.all([...during, ...early, ...late]);
    if (outcomes[2] === '503') {
      expect((await intentOf('refunded')).refunds).toEqual([]);
    }
    // Merchants and customers repeat what was not accepted.
    for (const [index, act] of acts.entries()) {
      if (outcomes[index] !== 'works' && outcomes[index] !== 'pending') {
        expect(['503', 'try again']).toContain(outcomes[index]);
        expect(await send(act)).toBe('works');
      }
    }
    await report(
      await callbackPath('stk-push', client('prompted')),
      mpesaReport(await attemptNow(client('prompted')), 'paid'),
    );
    for (let rounds = 0; rounds < 10; rounds += 1) {
      advance(5 * MINUTE_MS);
      await fireAlarmOf(client('prompted'));
      for (const id of SANDBOX) {
        await fireAlarm(id);
      }
      await deliver(caught);
    }
    await reportsAreSent();
    const expected = SANDBOX.map((id) => ({ id, status: ENDED[id] ?? 'open' }));
    const stored = SANDBOX.map(async (id) => ({ id, status: (await intentOf(id)).status }));
    expect(await Promise.all(stored)).toEqual(expected);
    expect(await intentNow(client('prompted'))).toMatchObject({ status: 'succeeded', late: false });
    expect((await intentOf('refunded')).refunds).toMatchObject([
      { id: 'refund-1', status: 'succeeded' },
    ]);
    const rows = 'SELECT unique_id AS id, status FROM payment ORDER BY unique_id';
    const rowsIn = (environment: Environment) => bookSql(rows, tenantOf(ALPHA, environment));
    expect(await rowsIn('sandbox')).toEqual(expected);
    expect(await rowsIn('production')).toEqual([{ id: 'prompted', status: 'succeeded' }]);
    expect(await bookSql('SELECT refund_id AS id, status FROM refund')).toEqual([
      { id: 'refund-1', status: 'succeeded' },
    ]);
    const told = arrivals.map(
      ({ event }) => `${event.paymentIntentUniqueId} ${event.webHookEvent}`,
    );
    expect(told.sort()).toEqual([
      'expiring PAYMENT_EXPIRED',
      'paid PAYMENT_SUCCESS',
      'prompted PAYMENT_SUCCESS',
      'refunded PAYMENT_SUCCESS',
      'refunded REFUND_SUCCESS',
    ]);
  });
});
