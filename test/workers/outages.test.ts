import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import reliability from '../../docs/reliability.md?raw';
import { forgetDirectory } from '../../src/merchants/directory.ts';
import { signedIn, visit } from './dashboard-support.ts';
import { operate, SECRET } from './operator-support.ts';
import {
  attemptNow,
  callbackPath,
  configureRails,
  EBIRR,
  ebirrReport,
  noRail,
  payExpress,
} from './rails-support.ts';
import {
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
  statusPath,
  useGateway,
} from './support.ts';

/**
 * Goal: docs/reliability.md#outages, whose table this test reads: what works while a part is down, what is
 * answered 503, and that everything catches up. Method: each part fails as the platform makes it fail,
 * around one operation of each kind.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
const caught = useGateway();

afterEach(() => {
  end();
  end = () => undefined;
});

// ---------------------------------------------------------------------------------------------
// The outages

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|WITH[\s\S]*\b(?:INSERT|UPDATE|DELETE)\b)/i;

/** D1 that fails statements as `fails` says, with the platform's text of the error. */
function failD1(text: string, fails: (sql: string) => boolean): () => void {
  const prepare = env.DB.prepare.bind(env.DB);
  const batch = env.DB.batch.bind(env.DB);
  const texts = new WeakMap<D1PreparedStatement, string>();
  const reject = async () => {
    throw new Error(`D1_ERROR: ${text}`);
  };
  const watched = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    texts.set(statement, sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => watched(bind(...values), sql);
    if (fails(sql)) {
      Object.assign(statement, { all: reject, first: reject, run: reject, raw: reject });
    }
    return statement;
  };
  const spies = [
    vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => watched(prepare(sql), sql)),
    vi
      .spyOn(env.DB, 'batch')
      .mockImplementation((statements) =>
        statements.some((statement) => fails(texts.get(statement) ?? ''))
          ? reject()
          : batch(statements),
      ),
  ];
  return () => {
    for (const spy of spies) {
      spy.mockRestore();
    }
  };
}

function refuseMessages(): () => void {
  const queues = [env.WEBHOOKS, env.WEBHOOK_RETRIES, env.PROJECTIONS, env.RAIL_STARTS];
  const accepted = queues.map((queue) => vi.mocked(queue.send).getMockImplementation());
  for (const queue of queues) {
    vi.mocked(queue.send).mockRejectedValue(new Error('Queue sends are temporarily unavailable'));
  }
  return () => {
    for (const [index, queue] of queues.entries()) {
      const accept = accepted[index];
      if (accept !== undefined) {
        vi.mocked(queue.send).mockImplementation(accept);
      }
    }
  };
}

/** Objects whose every call fails as the platform makes it fail. Waits between tries take no time. */
function failObjects(properties: object): () => void {
  const fail = async () => {
    throw Object.assign(new Error('Network connection lost.'), properties);
  };
  const away = new Proxy({}, { get: () => fail }) as ReturnType<typeof env.PAYMENT_INTENT.get>;
  const spies = [
    vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined),
    vi.spyOn(env.PAYMENT_INTENT, 'get').mockReturnValue(away),
  ];
  return () => {
    for (const spy of spies) {
      spy.mockRestore();
    }
  };
}

/** Each outage by its column: begins it, and returns what ends it. */
const OUTAGES: Readonly<Record<string, () => () => void>> = {
  'D1 fails': () => failD1('Network connection lost.', () => true),
  'D1 is read-only': () => failD1('attempt to write a readonly database', isWrite),
  'D1 is full': () => failD1('database or disk is full: SQLITE_FULL', isWrite),
  'Queues refuse': refuseMessages,
  'Objects unreachable': () => failObjects({ retryable: true }),
  'Objects overloaded': () => failObjects({ retryable: true, overloaded: true }),
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

/** What an operation prepares before the outage; what it does during it. */
type Operation = () => Promise<() => Promise<Response>>;

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
  'A provider reports a payment': async () => {
    await payExpress({ method: 'E_BIRR' });
    const [path, body] = [await callbackPath('ebirr'), ebirrReport(await attemptNow())];
    return () => call(path, { method: 'POST', apiKey: null, body: JSON.stringify(body) });
  },
  'Open the dashboard': async () => {
    const member = await signedIn();
    return () => visit(member, '/dashboard/sandbox/payments');
  },
  'Open the desk': async () => () =>
    operate('/operator', undefined, { authorization: `Basic ${btoa(`Hana:${SECRET}`)}` }),
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
  noRail();
  const act = await OPERATIONS[operation]?.();
  begin(outage);
  expect(await outcomeOf(await act?.())).toBe(expected);
});

/** Any other answer, such as 500 or 503 without `Retry-After`, is shown as it is. */
async function outcomeOf(response: Response | undefined): Promise<string> {
  const { status = 0, headers = new Headers() } = response ?? {};
  const text = (await response?.text()) ?? '';
  if (status === 503 && headers.has('retry-after')) {
    const isPage = headers.get('content-type')?.startsWith('text/html') === true;
    return isPage || JSON.parse(text).code === 'service_unavailable' ? '503' : text;
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
async function deliver({ webhooks, retries, projections, starts }: CaughtMessages): Promise<void> {
  await deliverAll('kefel-webhooks', webhooks);
  await deliverAll('kefel-webhook-retries', retries);
  await deliverAll('kefel-projections', projections);
  await deliverAll('kefel-rail-starts', starts);
}

async function deliverAll<Message>(queue: QueueName, messages: Message[]): Promise<void> {
  const batch = messages.splice(0);
  if (batch.length > 0) {
    const { retryBatch, retryMessages } = await consume(queue, batch as never);
    const again = new Set(retryMessages.map(({ msgId }) => msgId));
    messages.push(...batch.filter((_, index) => retryBatch.retry || again.has(`message-${index}`)));
  }
}

const IDS = ['paid', 'expiring', 'refunded', 'new'];

describe.each(Object.keys(OUTAGES))('after the outage: %s', (outage) => {
  test('everything catches up, once, and nothing is lost', async () => {
    const arrivals = merchantServer();
    const token = await chooseMethod(await createHosted({ paymentIntentUniqueId: 'paid' }));
    await createHosted({ paymentIntentUniqueId: 'expiring', expireIn: 60 });
    await payHosted({ paymentIntentUniqueId: 'refunded' });
    const refund = () => postRefund({ paymentIntentUniqueId: 'refunded' });
    const create = () => postHosted({ paymentIntentUniqueId: 'new' });
    begin(outage);
    const pays = () =>
      postForm(`/rails/simulator/${token}`, { outcome: 'approve' }).then(outcomeOf);
    const during = [await outcomeOf(await create()), await pays(), await outcomeOf(await refund())];
    await deliver(caught);
    end();
    if (during[2] === '503') {
      expect((await intentOf('refunded')).refunds).toEqual([]);
    }
    // Merchants and customers repeat what was not accepted.
    const [created, paid, refunded] = during;
    expect(created === 'works' || (await outcomeOf(await create())) === 'works').toBe(true);
    expect(paid === 'works' || (await pays()) === 'works').toBe(true);
    expect(refunded === 'works' || (await outcomeOf(await refund())) === 'works').toBe(true);
    for (let rounds = 0; rounds < 10; rounds += 1) {
      advance(5 * MINUTE_MS);
      for (const id of IDS) {
        await fireAlarm(id);
      }
      await deliver(caught);
    }
    const intents = await Promise.all(IDS.map((id) => intentOf(id)));
    expect(intents.map(({ status }) => status)).toEqual([
      'succeeded',
      'expired',
      'succeeded',
      'open',
    ]);
    const [, , { refunds } = { refunds: [] }] = intents;
    expect(refunds).toMatchObject([{ id: 'refund-1', status: 'succeeded' }]);
    const rows = 'SELECT unique_id AS id, status FROM payment ORDER BY unique_id';
    expect((await env.DB.prepare(rows).all()).results).toEqual([
      { id: 'expiring', status: 'expired' },
      { id: 'new', status: 'open' },
      { id: 'paid', status: 'succeeded' },
      { id: 'refunded', status: 'succeeded' },
    ]);
    const claims = 'SELECT refund_unique_id AS id, status FROM refunds';
    expect((await env.DB.prepare(claims).all()).results).toEqual([
      { id: 'refund-1', status: 'succeeded' },
    ]);
    const told = arrivals.map(
      ({ event }) => `${event.paymentIntentUniqueId} ${event.webHookEvent}`,
    );
    expect(told.sort()).toEqual([
      'expiring PAYMENT_EXPIRED',
      'paid PAYMENT_SUCCESS',
      'refunded PAYMENT_SUCCESS',
      'refunded REFUND_SUCCESS',
    ]);
  });
});
