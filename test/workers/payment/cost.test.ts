import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import costDocument from '../../../docs/cost.md?raw';
import { MerchantBook, MerchantRegister } from '../../../src/connected-objects.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import { attemptReferenceFrom } from '../../../src/engine/domain/identifiers.ts';
import type { ProjectedEvent } from '../../../src/engine/intent/book-message.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { registerOf } from '../../../src/engine/register/client.ts';
import { ReceiptIndex } from '../../../src/index.ts';
import type { Environment, Tenant } from '../../../src/kit/tenant.ts';
import { projectedEvent, projectionMessage } from '../book/fixture.ts';
import {
  cbe,
  cbeReport,
  decideAtRails,
  playRails,
  TELEBIRR,
  telebirrReport,
} from '../rails/scenes.ts';
import {
  attemptNow,
  CARDS,
  callbackPath,
  choose,
  configureRails,
  openHosted,
  payExpress,
  report,
} from '../rails/support.ts';
import { applyToBook, bookStub, fireBookAlarm, rowsWrittenBy } from '../support/book.ts';
import { openedShards } from '../support/receipts.ts';
import { registerStub } from '../support/register.ts';
import {
  ALPHA,
  advance,
  call,
  chooseMethod,
  clientOf,
  consume,
  countDatabaseRows,
  createExpress,
  createHosted,
  DAY_MS,
  EXPIRE_IN_MS,
  fireAlarm,
  merchantServer,
  pathOf,
  payHosted,
  reportsAreSent,
  SECOND_MS,
  simulate,
  stubOf,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: what a payment costs at Cloudflare is known, and a change that raises it fails this test.
 * Method: what Cloudflare bills is counted while payments run, at each SQL cursor, change of the
 * alarm, D1 batch, queue message and call of the object. The table of docs/cost.md must have the
 * same counts, and the dollars that follow from them.
 */

const CARDS_TOKEN = 'the-token-of-production-which-nobody-may-see';
configureRails({
  RAIL_TELE_BIRR_PRODUCTION: TELEBIRR,
  RAIL_CBE_PRODUCTION: { ...cbe('production'), transactionIdCharactersMax: 36 },
  RAIL_ETS_SWITCH_PRODUCTION: { ...CARDS, callbackToken: CARDS_TOKEN },
});
const caught = useGateway();

/** Dollars for a million, at Cloudflare's list price beyond what the paid plan includes. */
const PRICES = {
  workerRequests: 0.3,
  objectCalls: 0.15,
  objectRows: 1,
  bookRows: 1,
  indexRows: 1,
  d1Rows: 1,
  /** A message takes three: written, read and deleted. */
  queueOperations: 0.4,
} as const;

type Costs = Record<keyof typeof PRICES, number> & {
  /** Rows of the full-text index's own tables, which the platform's counter leaves out. */
  fullTextRows: number;
};

const OPERATIONS_PER_MESSAGE = 3;
/** Books look at a payment an hour later, because it ends after its creation. */
const RETENTION_MS = 400 * DAY_MS + 3_660 * SECOND_MS;

/** Counts from its call on. */
async function countCosts(environment: Environment = 'sandbox') {
  const tenant = tenantOf(ALPHA, environment);
  const costs: Costs = {
    workerRequests: 0,
    objectCalls: 0,
    objectRows: 0,
    bookRows: 0,
    indexRows: 0,
    d1Rows: 0,
    queueOperations: 0,
    fullTextRows: 0,
  };
  // The merchant's first payments create the tables of the book and of the register, whose alarm is
  // set for the oldest reference. The first receipt of a month creates a table of the index.
  await applyToBook(projectionMessage(tenant, 9));
  const random = crypto.getRandomValues(new Uint8Array(64));
  const reference = attemptReferenceFrom(Date.now() - DAY_MS, 1, random);
  await registerOf(env, tenant).holdReference(reference, 'order-9');
  const shards = await openedShards(environment);
  for (const { prototype } of [PaymentIntentObject, MerchantBook, MerchantRegister, ReceiptIndex]) {
    countCalls(prototype, () => {
      costs.objectCalls += 1;
    });
  }
  const count = (part: 'objectRows' | 'bookRows' | 'indexRows') => (rows: number) => {
    costs[part] += rows;
  };
  await runInDurableObject(stubOf('order-1', tenant), (_instance, { storage }) =>
    countRows(storage, count('objectRows')),
  );
  await runInDurableObject(registerStub(tenant), (_instance, { storage }) =>
    countRows(storage, count('objectRows')),
  );
  for (const shard of shards) {
    await runInDurableObject(shard, (_instance, { storage }) =>
      countRows(storage, count('indexRows')),
    );
  }
  const fullText = await runInDurableObject(bookStub(tenant), (_instance, { storage }) =>
    countRows(storage, count('bookRows')),
  );
  const projected = countDatabaseRows();
  return {
    costs,
    /** What a request of a browser, a merchant or a provider costs. */
    async request<T>(work: () => Promise<T>): Promise<T> {
      costs.workerRequests += 1;
      const result = await work();
      await reportsAreSent();
      return result;
    },
    /** Delivers the event, one invocation for each message. */
    async deliver(): Promise<void> {
      const messages = caught.webhooks.splice(0);
      expect(messages).toHaveLength(1);
      costs.workerRequests += 1;
      costs.queueOperations += OPERATIONS_PER_MESSAGE;
      await consume('kefel-webhooks', messages);
      await reportsAreSent();
    },
    async end(): Promise<Costs> {
      costs.d1Rows += projected.take();
      costs.fullTextRows = await runInDurableObject(bookStub(tenant), () => fullText());
      expect(await isConfirmed(tenant)).toBe(true);
      expect(await clientOf('order-1', tenant).events()).toMatchObject([
        { deliveryStatus: 'delivered' },
      ]);
      return costs;
    },
  };
}

/** Whether the book has confirmed the payment, and nothing is sent again. */
function isConfirmed(tenant: Tenant): Promise<boolean> {
  return runInDurableObject(stubOf('order-1', tenant), (_instance, { storage }) => {
    const sql = 'SELECT content FROM record WHERE id = 0';
    const { content } = storage.sql.exec<{ content: string }>(sql).one();
    return JSON.parse(content).projectionDueAtMs === null;
  });
}

function countCalls(prototype: object, count: () => void): void {
  // A class may inherit its methods from one that loads their code.
  const own = [prototype, Object.getPrototypeOf(prototype)].flatMap(Object.getOwnPropertyNames);
  for (const name of new Set(own.filter((known) => known !== 'constructor'))) {
    const known = Reflect.get(prototype, name);
    const original = vi.isMockFunction(known) ? known.getMockImplementation() : known;
    vi.spyOn(prototype as MerchantBook, name as 'ask').mockImplementation(function (
      this: object,
      ...parameters
    ) {
      count();
      return original.apply(this, parameters);
    });
  }
}

/** Counts an object's rows. Returns what counts the rows that no statement says it has written. */
function countRows(storage: DurableObjectStorage, count: (rows: number) => void): () => number {
  const exec = storage.sql.exec.bind(storage.sql);
  const changes = () =>
    exec<{ changes: number }>('SELECT total_changes() AS changes').one().changes;
  const before = changes();
  let ofStatements = 0;
  vi.spyOn(storage.sql, 'exec').mockImplementation(((...[sql, ...bindings]: [string]) => {
    // A cursor counts only its last statement, so several statements run one by one.
    const statements = bindings.length > 0 ? [sql] : statementsOf(sql);
    let found: unknown[] = [];
    for (const statement of statements) {
      const known = changes();
      const cursor = exec(statement, ...bindings);
      found = cursor.toArray();
      ofStatements += changes() - known;
      count(cursor.rowsWritten);
    }
    return { toArray: () => found, one: () => found[0], [Symbol.iterator]: () => found.values() };
  }) as never);
  for (const name of ['setAlarm', 'deleteAlarm', 'put', 'delete'] as const) {
    const original: (...parameters: unknown[]) => unknown = storage[name].bind(storage) as never;
    vi.spyOn(storage, name).mockImplementation(((...parameters: unknown[]) => {
      count(1);
      return original(...parameters);
    }) as never);
  }
  return () => changes() - before - ofStatements;
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

/** A payment whose provider reports it at an address that all merchants share. */
async function expressInProduction(
  method: 'CBE' | 'ETS_SWITCH',
  reportPaid: (attempt: Attempt) => Promise<unknown>,
): Promise<Costs> {
  playRails();
  tickingClock();
  const counter = await countCosts('production');
  await counter.request(() => payExpress({ method, callbackUrl: 'https://shop.example.com/hook' }));
  decideAtRails('paid');
  const attempt = await attemptNow();
  await counter.request(() => reportPaid(attempt));
  await counter.deliver();
  return counter.end();
}

/** The flows of the table. */
const FLOWS: Readonly<Record<string, () => Promise<Costs>>> = {
  'hosted, paid': async () => {
    merchantServer();
    tickingClock();
    const counter = await countCosts();
    const checkoutUrl = await counter.request(() => createHosted());
    await counter.request(() => visit(pathOf(checkoutUrl)));
    const token = await counter.request(() => chooseMethod(checkoutUrl));
    await counter.request(() => visit(`/simulator/${token}`));
    await counter.request(() => simulate(token, 'approve'));
    await counter.request(() => visit(pathOf(checkoutUrl)));
    await counter.deliver();
    return counter.end();
  },
  'hosted, paid, production': async () => {
    playRails();
    tickingClock();
    const counter = await countCosts('production');
    const changes = { methods: ['TELE_BIRR'], callbackUrl: 'https://shop.example.com/hook' };
    const page = await counter.request(() => openHosted(changes));
    await counter.request(() => visit(page));
    await counter.request(() => choose(page, 'TELE_BIRR'));
    decideAtRails('paid');
    const notification = await telebirrReport(await attemptNow(), 'paid');
    const path = await callbackPath('telebirr-h5');
    await counter.request(() => report(path, notification));
    await counter.request(() => visit(page));
    await counter.deliver();
    return counter.end();
  },
  'express by CBE, production': () =>
    expressInProduction('CBE', async ({ reference }) =>
      report('/rails/cbe-birr', await cbeReport(reference)),
    ),
  'express by card, production': () =>
    expressInProduction('ETS_SWITCH', ({ reference, railReference }) =>
      report(
        `/rails/ethswitch-cards/account/${CARDS_TOKEN}`,
        `orderNumber=${reference}&mdOrder=${railReference}&operation=deposited&status=1`,
      ),
    ),
  'express, paid within seconds': async () => {
    merchantServer();
    const counter = await countCosts();
    await counter.request(() => createExpress());
    advance(SECOND_MS);
    await fireAlarm();
    await reportsAreSent();
    await counter.deliver();
    return counter.end();
  },
  'hosted, never paid': async () => {
    merchantServer();
    const counter = await countCosts();
    await counter.request(() => createHosted());
    advance(EXPIRE_IN_MS);
    await fireAlarm();
    await reportsAreSent();
    await counter.deliver();
    return counter.end();
  },
};

test.each(Object.entries(FLOWS))('%s: costs what docs/cost.md says', async (name, run) => {
  const costs = await run();
  const dollars = dollarsOf(costs);
  const counts = (Object.keys(PRICES) as (keyof typeof PRICES)[]).map((part) => costs[part]);
  const withFullText = dollars + costs.fullTextRows;
  const cells = [...counts, dollars.toFixed(2), costs.fullTextRows, withFullText.toFixed(2)];
  expect(documented(name)).toEqual(cells.map(String));
});

function dollarsOf(costs: Costs): number {
  return Object.entries(PRICES).reduce(
    (sum, [part, price]) => sum + costs[part as keyof Costs] * price,
    0,
  );
}

const DOLLARS = 7;

test.each([
  ['hosted, paid', 26.8],
  ['hosted, paid, production', 25.5],
  ['express by CBE, production', 23.5],
  ['express by card, production', 23.5],
  ['hosted, never paid', 22],
])('budgets: %s', (name, dollarsMax) => {
  const [, , objectRows, bookRows, indexRows, d1Rows] = documented(name).map(Number);
  expect(objectRows).toBeLessThanOrEqual(12);
  expect(bookRows).toBeLessThanOrEqual(8);
  expect(indexRows).toBeLessThanOrEqual(1);
  expect(d1Rows).toBe(0);
  expect(Number(documented(name)[DOLLARS])).toBeLessThanOrEqual(dollarsMax);
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
  const createdAtMs = Date.now();
  const message = (number: number, changes: Partial<ProjectedEvent>) => {
    const event = projectedEvent(tenant, number, { endpointId, createdAtMs, ...changes });
    return projectionMessage(tenant, number, {}, { events: [event] });
  };
  const written = async (number: number, deliveryStatus: 'waiting' | 'delivered', revision = 1) =>
    (await rowsWrittenBy(message(number, { deliveryStatus, revision }))).rows;
  for (const number of [1, 2]) {
    // The end of the payment announces the event, whose first try follows.
    await applyToBook(message(number, { deliveryStatus: 'queued', revision: 0, tries: 0 }));
  }
  const atOnce = await written(1, 'delivered');
  expect(await written(1, 'delivered')).toBe(0);
  const later = (await written(2, 'waiting')) + (await written(2, 'delivered', 2));
  expect(documented(name)).toEqual([String(atOnce), String(later)]);
});

test('budgets: a create is one call of the object and no write of D1', async () => {
  const counter = await countCosts();
  const batch = vi.spyOn(env.DB, 'batch');
  await createHosted();
  expect(counter.costs.objectCalls).toBe(1);
  expect(batch).not.toHaveBeenCalled();
});

test('a part of the backup costs what docs/cost.md says, for any number of payments', async () => {
  merchantServer();
  const payments = 20;
  for (let number = 1; number <= payments; number += 1) {
    await payHosted({ paymentIntentUniqueId: `order-${number}` });
    advance(1);
  }
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await reportsAreSent();
  const counter = await countCosts();
  advance(DAY_MS);
  const { bookRows: before } = counter.costs;
  await fireBookAlarm();
  // Without the digest's alarm, which the hour's payments share.
  const rows = counter.costs.bookRows - before;
  const { objects } = await env.BACKUPS.list({ prefix: 'payments/' });
  const bytes = Math.ceil((objects[0]?.size ?? 0) / payments / 100) * 100;
  // The alarm is a call, too, and one of its batches.
  const calls = Math.floor(counter.costs.objectCalls / payments);
  expect(documented('a part of the backup')).toEqual([rows, calls, bytes].map(String));
  expect(objects).toHaveLength(1);
});

test('the log of a payment has as many lines as docs/cost.md says', async () => {
  const info = vi.spyOn(console, 'info');
  await FLOWS['hosted, paid, production']?.();
  expect(documented('the log, production')).toEqual([String(info.mock.calls.length)]);
});

test('the end of retention costs what docs/cost.md says', async () => {
  merchantServer();
  await payHosted();
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await reportsAreSent();
  const counter = await countCosts();
  advance(RETENTION_MS);
  await fireAlarm();
  await fireBookAlarm();
  const { objectCalls, objectRows, bookRows } = counter.costs;
  expect(documented('after 400 days')).toEqual([objectCalls, objectRows, bookRows].map(String));
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
