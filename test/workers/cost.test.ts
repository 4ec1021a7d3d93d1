import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import costDocument from '../../docs/cost.md?raw';
import type { Environment } from '../../src/domain/method.ts';
import { PaymentIntentObject } from '../../src/intent/payment-intent.ts';
import { decideAtRails, playRails, TELEBIRR, telebirrReport } from './rails-scenes.ts';
import {
  attemptNow,
  callbackPath,
  choose,
  configureRails,
  openHosted,
  report,
} from './rails-support.ts';
import { deliver, projectedEvent, projectionMessage } from './read-model-fixture.ts';
import {
  ALPHA,
  advance,
  call,
  chooseMethod,
  clientOf,
  consume,
  countProjectionRows,
  createExpress,
  createHosted,
  EXPIRE_IN_MS,
  fireAlarm,
  merchantServer,
  pathOf,
  SECOND_MS,
  simulate,
  stubOf,
  tenantOf,
  useGateway,
} from './support.ts';

/**
 * Goal: what a payment costs at Cloudflare is known, and no change makes it dearer unnoticed.
 * Method: what Cloudflare bills is counted while payments run, at each SQL cursor, change of the
 * alarm, D1 batch, queue message and call of the object. The table of docs/cost.md must have the
 * same counts, and the dollars that follow from them.
 */

configureRails({ RAIL_TELE_BIRR_PRODUCTION: TELEBIRR });
const caught = useGateway();

/** Dollars for a million, at Cloudflare's list price beyond what the paid plan includes. */
const PRICES = {
  workerRequests: 0.3,
  objectCalls: 0.15,
  objectRows: 1,
  d1Rows: 1,
  /** A message takes three: written, read and deleted. */
  queueOperations: 0.4,
} as const;

type Costs = Record<keyof typeof PRICES, number>;

const OPERATIONS_PER_MESSAGE = 3;

/** Counts from its call on. */
async function countCosts(environment: Environment = 'sandbox') {
  const tenant = tenantOf(ALPHA, environment);
  const costs: Costs = {
    workerRequests: 0,
    objectCalls: 0,
    objectRows: 0,
    d1Rows: 0,
    queueOperations: 0,
  };
  for (const name of Object.getOwnPropertyNames(PaymentIntentObject.prototype)) {
    if (name !== 'constructor') {
      const original = Reflect.get(PaymentIntentObject.prototype, name);
      vi.spyOn(PaymentIntentObject.prototype, name as 'read').mockImplementation(function (
        this: PaymentIntentObject,
        ...parameters
      ) {
        costs.objectCalls += 1;
        return original.apply(this, parameters);
      });
    }
  }
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  await runInDurableObject(stubOf('order-1', tenant), (_instance, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    vi.spyOn(storage.sql, 'exec').mockImplementation((...query) => {
      // A cursor counts only its last statement, so several statements run one by one.
      const [sql, ...bindings] = query;
      const statements = bindings.length > 0 ? [sql] : statementsOf(sql);
      const fresh = statements.map((statement) => exec(statement, ...bindings));
      cursors.push(...fresh);
      return fresh.at(-1) ?? exec(...query);
    });
    for (const name of ['setAlarm', 'deleteAlarm', 'put', 'delete'] as const) {
      const original: (...parameters: unknown[]) => unknown = storage[name].bind(storage) as never;
      vi.spyOn(storage, name).mockImplementation(((...parameters: unknown[]) => {
        costs.objectRows += 1;
        return original(...parameters);
      }) as never);
    }
  });
  const projected = countProjectionRows();
  return {
    costs,
    /** What a request of a browser, a merchant or a provider costs. */
    async request<T>(work: () => Promise<T>): Promise<T> {
      costs.workerRequests += 1;
      return await work();
    },
    /** Consumes one queue's messages, one invocation for all. */
    async consume(queue: 'kefel-webhooks' | 'kefel-projections'): Promise<void> {
      const messages =
        queue === 'kefel-webhooks' ? caught.webhooks.splice(0) : caught.projections.splice(0);
      expect(messages).not.toHaveLength(0);
      costs.workerRequests += 1;
      costs.queueOperations += messages.length * OPERATIONS_PER_MESSAGE;
      await consume(queue, messages);
    },
    async end(): Promise<Costs> {
      costs.objectRows += cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
      costs.d1Rows += projected.take();
      expect(await clientOf('order-1', tenant).events()).toMatchObject([
        { deliveryStatus: 'delivered' },
      ]);
      return costs;
    },
  };
}

/** Our statements contain no semicolon. */
function statementsOf(sql: string): string[] {
  return sql.split(';').filter((statement) => statement.trim() !== '');
}

/** Each reading advances the clock, so that no step saves a new alarm because time stood still. */
function tickingClock(): void {
  let nowMs = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => {
    nowMs += 1;
    return nowMs;
  });
}

const visit = async (path: string) => (await call(path, { apiKey: null })).text();

/** The flows of the table. The read model's consumer runs twice: when created, and when over. */
const FLOWS: Readonly<Record<string, () => Promise<Costs>>> = {
  'hosted, paid': async () => {
    merchantServer();
    tickingClock();
    const counter = await countCosts();
    const checkoutUrl = await counter.request(() => createHosted());
    await counter.consume('kefel-projections');
    await counter.request(() => visit(pathOf(checkoutUrl)));
    const token = await counter.request(() => chooseMethod(checkoutUrl));
    await counter.request(() => visit(`/simulator/${token}`));
    await counter.request(() => simulate(token, 'approve'));
    await counter.request(() => visit(pathOf(checkoutUrl)));
    await counter.consume('kefel-webhooks');
    await counter.consume('kefel-projections');
    return counter.end();
  },
  'hosted, paid, production': async () => {
    playRails();
    tickingClock();
    const counter = await countCosts('production');
    const changes = { methods: ['TELE_BIRR'], callbackUrl: 'https://shop.example.com/hook' };
    const page = await counter.request(() => openHosted(changes));
    await counter.consume('kefel-projections');
    await counter.request(() => visit(page));
    await counter.request(() => choose(page, 'TELE_BIRR'));
    decideAtRails('paid');
    const notification = await telebirrReport(await attemptNow(), 'paid');
    const path = await callbackPath('telebirr-h5');
    await counter.request(() => report(path, notification));
    await counter.request(() => visit(page));
    await counter.consume('kefel-webhooks');
    await counter.consume('kefel-projections');
    return counter.end();
  },
  'express, paid within seconds': async () => {
    merchantServer();
    const counter = await countCosts();
    await counter.request(() => createExpress());
    await counter.consume('kefel-projections');
    advance(SECOND_MS);
    await fireAlarm();
    await counter.consume('kefel-webhooks');
    await counter.consume('kefel-projections');
    return counter.end();
  },
  'hosted, never paid': async () => {
    merchantServer();
    const counter = await countCosts();
    await counter.request(() => createHosted());
    await counter.consume('kefel-projections');
    advance(EXPIRE_IN_MS);
    await fireAlarm();
    await counter.consume('kefel-webhooks');
    await counter.consume('kefel-projections');
    return counter.end();
  },
};

test.each(Object.entries(FLOWS))('%s: costs what docs/cost.md says', async (name, run) => {
  const costs = await run();
  const dollars = Object.entries(PRICES).reduce(
    (sum, [part, price]) => sum + costs[part as keyof Costs] * price,
    0,
  );
  const counts = (Object.keys(PRICES) as (keyof Costs)[]).map((part) => String(costs[part]));
  expect(documented(name)).toEqual([...counts, dollars.toFixed(1)]);
});

test('budgets: rows of a payment', async () => {
  expect(Number(documented('hosted, paid')[2])).toBeLessThanOrEqual(12);
  expect(Number(documented('hosted, paid')[3])).toBeLessThanOrEqual(10);
  expect(Number(documented('hosted, paid, production')[2])).toBeLessThanOrEqual(12);
  expect(Number(documented('hosted, paid, production')[3])).toBeLessThanOrEqual(10);
});

test.each([
  ['hosted, paid', 'sandbox', 16],
  ['hosted, paid, production', 'production', 16],
  ['hosted, never paid', 'sandbox', 12],
] as const)('budgets: the object of a payment (%s)', async (name, environment, kilobytesMax) => {
  await FLOWS[name]?.();
  const stub = stubOf('order-1', tenantOf(ALPHA, environment));
  const bytes = await runInDurableObject(
    stub,
    (_instance, { storage }) => storage.sql.databaseSize,
  );
  expect(bytes).toBeLessThanOrEqual(kilobytesMax * 1024);
});

test.each([
  ['production', null, 'production, to callbackUrl'],
  ['production', 'we_a', 'production, to an endpoint'],
  ['sandbox', null, 'sandbox, to callbackUrl'],
  ['sandbox', 'we_a', 'sandbox, to an endpoint'],
] as const)('%s, endpoint %s: an event writes what docs/cost.md says', async (...flow) => {
  const [environment, endpointId, name] = flow;
  const tenant = tenantOf(ALPHA, environment);
  const written = countProjectionRows();
  const project = async (deliveryStatus: 'queued' | 'delivered', revision: number) => {
    const event = projectedEvent(tenant, 1, { endpointId, deliveryStatus, revision });
    await deliver([projectionMessage(tenant, 1, {}, { events: [event] })]);
    return written.take();
  };
  // The payment's row changes in the same message for other reasons.
  await project('queued', 0);
  await env.DB.exec('DELETE FROM webhook_event');
  const atOnce = await project('delivered', 1);
  expect(await project('delivered', 1)).toBe(0);
  await env.DB.exec('DELETE FROM webhook_event');
  const later = (await project('queued', 1)) + (await project('delivered', 2));
  expect(documented(name)).toEqual([String(atOnce), String(later)]);
});

test('an event that is queued and delivered within one batch writes no entry of other states', async () => {
  const tenant = tenantOf(ALPHA, 'production');
  await deliver([projectionMessage(tenant, 1)]);
  const written = countProjectionRows();
  const messages = (['queued', 'delivered'] as const).map((deliveryStatus, revision) =>
    projectionMessage(
      tenant,
      1,
      {},
      { version: 2 + revision, events: [projectedEvent(tenant, 1, { deliveryStatus, revision })] },
    ),
  );
  const events = [projectedEvent(tenant, 1)];
  await deliver([projectionMessage(tenant, 1, {}, { version: 3, events })]);
  await env.DB.exec('DELETE FROM webhook_event');
  written.take();
  await deliver(messages);
  expect(written.take()).toBe(1);
});

test('budgets: a create is one call of the object and no write of D1', async () => {
  const counter = await countCosts();
  const batch = vi.spyOn(env.DB, 'batch');
  await createHosted();
  expect(counter.costs.objectCalls).toBe(1);
  expect(batch).not.toHaveBeenCalled();
});

test('the counter counts the rows of every statement, which one cursor would not', async () => {
  const statements = [
    'CREATE TABLE one (id INTEGER PRIMARY KEY)',
    'CREATE TABLE two (id INTEGER PRIMARY KEY)',
    'INSERT INTO one VALUES (1), (2), (3)',
    'INSERT INTO two VALUES (1)',
  ];
  const rows = await runInDurableObject(stubOf(), (_instance, { storage }) =>
    statements.map((statement) => storage.sql.exec(statement).rowsWritten),
  );
  // A table counts as two rows of SQLite's own catalog.
  expect(rows).toEqual([2, 2, 3, 1]);
  const oneCursor = await runInDurableObject(stubOf('other'), (_instance, { storage }) => {
    return storage.sql.exec(statements.join(';')).rowsWritten;
  });
  expect(oneCursor).toBe(1);
});

/** The cells of a flow's line in the table of docs/cost.md, without its name. */
function documented(flow: string): string[] {
  const line = costDocument.split('\n').find((text) => text.startsWith(`| ${flow} `)) ?? '';
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}
