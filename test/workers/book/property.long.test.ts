import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type {
  AttemptCount,
  ProjectedEvent,
  ProjectedRefund,
  ProjectionMessage,
} from '../../../src/engine/intent/book-message.ts';
import { type Cursor, parseCursor } from '../../../src/kit/platform/paging.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import {
  type DayRange,
  STATEMENT_PARTS,
  type StatementLine,
} from '../../../src/lists/book/rows.ts';
import { quotedTerm } from '../../../src/lists/book/search-terms.ts';
import { plantedError } from '../../support/output/planted.ts';
import { bookSql, bookStub, rowsWrittenBy } from '../support/book.ts';
import { ALPHA, MINUTE_MS, tenantOf, useGateway } from '../support.ts';
import { projectedEvent, projectedRefund, projectionMessage } from './fixture.ts';

/**
 * Goal: with any loss, copy or order of the objects' messages, a book is exact once each payment
 * was sent again: rows, refunds, events, search and totals. Method: random histories of payments,
 * many of them in the same millisecond. Their messages are lost, doubled and shuffled, and the book
 * crashes inside transactions. The expected rows come from the histories, by code that shares
 * nothing with the book.
 */

useGateway();
const tenant = tenantOf(ALPHA);

const SEEDS = [1, 2, 3];
const PAYMENTS = 80;
const LOST = 0.3;
const DOUBLED = 0.3;
const CRASHED = 0.1;

const HOUR_MS = 60 * MINUTE_MS;
const METHODS = ['TELE_BIRR', 'CBE', 'M_PESA'] as const;
const ENDINGS = ['succeeded', 'succeeded', 'failed', 'expired', 'canceled'] as const;

/** Mulberry32: the same numbers for a seed. */
function randomOf(seed: number) {
  let state = seed;
  const chance = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (limit: number) => Math.floor(chance() * limit);
  return {
    chance,
    upTo,
    one: <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item,
    shuffled: <Item>(items: readonly Item[]): Item[] =>
      items
        .map((item) => ({ item, place: chance() }))
        .sort((one, other) => one.place - other.place)
        .map(({ item }) => item),
  };
}

type Random = ReturnType<typeof randomOf>;

/** What is true of a payment. Each change of it is one message. */
interface Truth {
  readonly number: number;
  readonly amountMinor: number;
  readonly isCommissionOnTop: boolean;
  /** As the operator's REFUND_COMMISSION says. */
  readonly isCommissionReturned: boolean;
  /** The shares of beneficiaries; empty without splits. */
  readonly shares: Readonly<Record<string, number>>;
  readonly createdAtMs: number;
  version: number;
  nowMs: number;
  status: ProjectionMessage['row']['status'];
  failureReason: 'declined' | null;
  late: boolean;
  method: (typeof METHODS)[number] | null;
  endedAtMs: number | null;
  paidAtMs: number | null;
  readonly keys: string[];
  readonly attempts: AttemptCount[];
  readonly events: ProjectedEvent[];
  readonly refunds: ProjectedRefund[];
}

const COMMISSION_MINOR = 3;

function messageOf(truth: Truth): ProjectionMessage {
  const { number, method, events, refunds, version } = truth;
  const returned = refunds.filter(({ status }) => status === 'succeeded');
  return structuredClone(
    projectionMessage(
      tenant,
      number,
      {
        createdAtMs: truth.createdAtMs,
        updatedAtMs: truth.nowMs,
        endedAtMs: truth.endedAtMs,
        status: truth.status,
        failureReason: truth.failureReason,
        late: truth.late,
        method,
        amountMinor: truth.amountMinor,
        commissionMinor: method === null ? 0 : COMMISSION_MINOR,
        commissionPaidByCustomer: truth.isCommissionOnTop,
        transactionId: method === null ? null : `T${number}`,
        refundedMinor: returned.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
        openRefunds: refunds.filter(({ status }) => status === 'processing').length,
        attempts: truth.attempts,
      },
      {
        intentVersion: version,
        paidAtMs: truth.paidAtMs,
        searchKeys: truth.keys,
        sealedDetails: `k.${'x'.repeat(truth.keys.length)}`,
        events,
        refunds,
        ...(truth.paidAtMs !== null && {
          shares: Object.entries(truth.shares).map(([beneficiary, shareMinor]) => ({
            ...{ beneficiary, shareMinor },
          })),
        }),
      },
    ),
  );
}

/** One payment's life, as the messages that its object sends. */
function lifeOf(random: Random, number: number, createdAtMs: number) {
  const truth: Truth = {
    number,
    createdAtMs,
    amountMinor: 100 + random.upTo(1_000),
    isCommissionOnTop: random.chance() < 0.5,
    isCommissionReturned: random.chance() < 0.5,
    shares: random.one<Truth['shares']>([{}, { bank: 97 }, { bank: 31, friend: 41 + number }]),
    version: 0,
    nowMs: createdAtMs,
    status: 'open',
    failureReason: null,
    late: false,
    method: null,
    endedAtMs: null,
    paidAtMs: null,
    keys: [`id:LINK-${number % 5}`, `name:word${random.upTo(4)}`],
    attempts: [],
    events: [],
    refunds: [],
  };
  const messages: ProjectionMessage[] = [];
  const change = (work: () => void, isVisible = true) => {
    truth.version += isVisible ? 1 : 0;
    truth.nowMs += isVisible ? random.upTo(20 * HOUR_MS) : 0;
    work();
    messages.push(messageOf(truth));
  };
  const pay = () => {
    truth.status = 'succeeded';
    truth.failureReason = null;
    truth.method ??= random.one(METHODS);
    truth.paidAtMs = truth.nowMs;
    truth.endedAtMs ??= truth.nowMs;
    announce();
  };
  const announce = () => {
    const sequence = truth.version;
    const eventId = `evt_${String(number).padStart(16, '0')}${String(sequence).padStart(16, '0')}`;
    truth.events.push(
      projectedEvent(tenant, number, {
        ...{ eventId, sequence, createdAtMs: truth.nowMs },
        ...{ deliveryStatus: 'queued', revision: 0 },
      }),
    );
  };
  const deliverAll = () => {
    for (const [index, event] of truth.events.entries()) {
      if (event.deliveryStatus !== 'delivered' && random.chance() < 0.8) {
        change(() => {
          const deliveryStatus = random.one(['delivered', 'waiting'] as const);
          const tries = event.tries + 1;
          truth.events[index] = { ...event, deliveryStatus, tries, revision: event.revision + 1 };
        }, false);
      }
    }
  };
  change(() => undefined);
  if (random.chance() < 0.6) {
    change(() => {
      truth.status = 'processing';
      truth.method = random.one(METHODS);
    });
  }
  if (random.chance() < 0.3) {
    change(() => {
      truth.attempts.push({ method: random.one(METHODS), ended: 1 + random.upTo(2), succeeded: 0 });
    });
  }
  if (random.chance() < 0.1) {
    return { truth, messages };
  }
  const ending = random.one(ENDINGS);
  change(() => {
    if (ending === 'succeeded') {
      pay();
      return;
    }
    truth.status = ending;
    truth.failureReason = ending === 'failed' ? 'declined' : null;
    truth.endedAtMs = truth.nowMs;
    announce();
  });
  deliverAll();
  if (random.chance() < 0.4) {
    // A provider names its reference within the version.
    change(() => truth.keys.push(`id:RAIL-${number}`), false);
  }
  if (ending !== 'succeeded' && random.chance() < 0.3) {
    change(() => {
      truth.late = true;
      pay();
    });
    deliverAll();
  }
  const commissionReturnedMinor = truth.isCommissionReturned ? 1 : 0;
  for (let index = 0; truth.status === 'succeeded' && index < random.upTo(3); index += 1) {
    change(() =>
      truth.refunds.push(
        projectedRefund({
          ...{ id: `refund-${number}-${index}`, reference: `R${number}-${index}` },
          ...{ status: 'processing', amountMinor: 10 + index, commissionReturnedMinor },
          returnedMinor: 10 + index + (truth.isCommissionOnTop ? commissionReturnedMinor : 0),
          ...{ method: truth.method ?? 'CBE', transactionId: `T${number}` },
          ...{ createdAtMs: truth.nowMs, updatedAtMs: truth.nowMs },
        }),
      ),
    );
    change(() => {
      const status = random.one(['succeeded', 'failed'] as const);
      const refund = truth.refunds.pop() as ProjectedRefund;
      truth.refunds.push({ ...refund, status, updatedAtMs: truth.nowMs });
    });
  }
  return { truth, messages };
}

/** The day in Addis Ababa. */
const dayOf = (atMs: number) => Math.floor((atMs + 3 * HOUR_MS) / (24 * HOUR_MS));

/** By day, how much the net share grows or falls, as docs/refunds.md#shares has it. */
function netSharesOf(truth: Truth, shareMinor: number): readonly (readonly [number, number])[] {
  const { amountMinor, paidAtMs, isCommissionOnTop, refunds } = truth;
  if (paidAtMs === null) {
    return [];
  }
  const keptMinor = amountMinor - (isCommissionOnTop ? 0 : COMMISSION_MINOR);
  const days: [number, number][] = [[dayOf(paidAtMs), shareMinor]];
  let [leftMinor, netMinor] = [keptMinor, shareMinor];
  for (const { status, ...refund } of refunds) {
    if (status === 'succeeded') {
      leftMinor += refund.commissionReturnedMinor - refund.returnedMinor;
      const after = Math.floor((shareMinor * leftMinor) / keptMinor);
      days.push([dayOf(refund.updatedAtMs), after - netMinor]);
      netMinor = after;
    }
  }
  return days;
}

/** What the book must store, from what is true. */
function expectedOf(truths: readonly Truth[]) {
  const totals = new Map<string, number[]>();
  const add = (key: readonly unknown[], amounts: readonly number[]) => {
    const name = key.join('|');
    totals.set(
      name,
      amounts.map((amount, index) => amount + (totals.get(name)?.[index] ?? 0)),
    );
  };
  for (const truth of truths) {
    const { endedAtMs, paidAtMs, method, status, refunds } = truth;
    if (endedAtMs !== null) {
      const day = dayOf(paidAtMs ?? endedAtMs);
      const commissionMinor = method === null ? 0 : COMMISSION_MINOR;
      const key = [day, method ?? '', status];
      const borneMinor = truth.isCommissionOnTop ? 0 : commissionMinor;
      add(key, [1, truth.amountMinor, commissionMinor, borneMinor, 0, 0]);
      if (truth.failureReason !== null) {
        add(['failures', day, method ?? '', truth.failureReason], [1]);
      }
      for (const { method: own, ended } of truth.attempts) {
        add(['attempts', day, own], [ended]);
      }
    }
    const returned = refunds.filter((one) => one.status === 'succeeded');
    for (const { updatedAtMs, amountMinor, commissionReturnedMinor } of returned) {
      const key = [dayOf(updatedAtMs), method, 'succeeded'];
      const backMinor = truth.isCommissionOnTop ? 0 : commissionReturnedMinor;
      add(key, [0, 0, 0, 0, amountMinor, backMinor]);
    }
    for (const [beneficiary, shareMinor] of Object.entries(truth.shares)) {
      for (const [day, netMinor] of netSharesOf(truth, shareMinor)) {
        add(['shares', day, beneficiary], [netMinor]);
      }
    }
  }
  for (const [name, [minor]] of totals) {
    if (name.startsWith('shares') && minor === 0) {
      totals.delete(name);
    }
  }
  return {
    payments: truths.map((truth) => ({
      number: truth.number,
      version: truth.version,
      status: truth.status,
      late: Number(truth.late),
      method: truth.method,
      amount: truth.amountMinor,
      refunded: truth.refunds.reduce(
        (sum, { status, amountMinor }) => sum + (status === 'succeeded' ? amountMinor : 0),
        0,
      ),
      createdAtMs: truth.createdAtMs,
      updatedAtMs: truth.nowMs,
      endedAtMs: truth.endedAtMs,
      keys: [...truth.keys].sort().join(),
      events: truth.events.length,
    })),
    deliveries: truths.flatMap(({ number, events }) =>
      events.map(({ eventId, deliveryStatus, revision }) => ({
        number,
        id: `${eventId}.0`,
        status: deliveryStatus,
        revision,
      })),
    ),
    refunds: truths.flatMap(({ number, refunds }) =>
      refunds.map(({ id, status, amountMinor, updatedAtMs }) => ({
        ...{ number, id, status },
        ...{ amount: amountMinor, updatedAtMs },
      })),
    ),
    totals: Object.fromEntries([...totals].sort()),
    ends: truths.flatMap(({ number, endedAtMs, paidAtMs }) =>
      [...new Set(endedAtMs === null ? [] : [endedAtMs, paidAtMs ?? endedAtMs])]
        .map(
          (atMs) =>
            `ended:${Math.floor(atMs / 1_000)
              .toString(36)
              .padStart(7, '0')}`,
        )
        .filter((term, index, terms) => terms.indexOf(term) === index)
        .sort()
        .map((term) => ({ number, term })),
    ),
    found: Object.fromEntries(
      [...new Set(truths.flatMap(({ keys }) => keys))]
        .sort()
        .map((key) => [
          key,
          truths
            .filter(({ keys, endedAtMs }) => endedAtMs !== null && keys.includes(key))
            .map(({ number }) => number),
        ]),
    ),
  };
}

async function storedIn(keys: readonly string[]) {
  const days = await bookSql<Record<string, string | number>>(
    `SELECT day || '|' || method || '|' || status AS key, payments, amount_minor,
        commission_minor, borne_commission_minor, refunded_minor, returned_commission_minor
      FROM payment_day WHERE payments <> 0 OR amount_minor <> 0 OR refunded_minor <> 0`,
  );
  const attempts = await bookSql<Record<string, string | number>>(
    "SELECT 'attempts|' || day || '|' || method AS key, ended FROM attempt_day WHERE ended <> 0",
  );
  const failures = await bookSql<Record<string, string | number>>(
    `SELECT 'failures|' || day || '|' || method || '|' || failure_reason AS key, payments
      FROM failure_day WHERE payments <> 0`,
  );
  const shares = await bookSql<Record<string, string | number>>(
    `SELECT 'shares|' || day || '|' || beneficiary AS key, share_minor
      FROM share_day WHERE share_minor <> 0`,
  );
  const totals = [...days, ...failures, ...attempts, ...shares].map(
    ({ key, ...amounts }) => [String(key), Object.values(amounts).map(Number)] as const,
  );
  const found = keys.map(async (key) => {
    const rows = await bookSql<{ number: number }>(
      `SELECT number FROM payment_search CROSS JOIN payment ON payment.id = payment_search.rowid
        WHERE payment_search MATCH '${quotedTerm(key)}' ORDER BY number`,
    );
    return [key, rows.map(({ number }) => number)] as const;
  });
  const payments = await bookSql<{ keys: string }>(
    `SELECT number, version, status, late, method, amount_minor AS amount,
        refunded_minor AS refunded, id / 1024 AS createdAtMs, updated_at_ms AS updatedAtMs,
        ended_at_ms AS endedAtMs, search_keys AS keys, json_array_length(event_times) AS events
      FROM payment ORDER BY number`,
  );
  return {
    payments: payments.map((row) => ({ ...row, keys: JSON.parse(row.keys).join() })),
    deliveries: await bookSql(
      `SELECT number, delivery_id AS id, delivery_status AS status, revision
        FROM delivery CROSS JOIN payment ON payment.id = payment_id ORDER BY number, delivery_id`,
    ),
    refunds: await bookSql(
      `SELECT number, refund_id AS id, refund.status, refund.amount_minor AS amount,
          refund.updated_at_ms AS updatedAtMs
        FROM refund CROSS JOIN payment ON payment.id = payment_id ORDER BY number, refund_id`,
    ),
    totals: Object.fromEntries(totals.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    ends: await bookSql(
      `SELECT number, term FROM payment_search_entry CROSS JOIN payment ON payment.id = doc
        WHERE term >= 'ended:' AND term < 'ended;' ORDER BY number, term`,
    ),
    found: Object.fromEntries(await Promise.all(found)),
  };
}

type Money = Omit<StatementLine, 'atMs' | 'uniqueId' | 'transactionId' | 'refundId'>;

/** The sums by method, without zero sums. */
function sumsOf(lines: readonly Money[]) {
  const sums = new Map<string, number[]>();
  for (const line of lines) {
    const own = [line.paidMinor, line.borneCommissionMinor, line.refundedMinor];
    const amounts = [...own, line.returnedCommissionMinor];
    const known = sums.get(String(line.method)) ?? [];
    sums.set(
      String(line.method),
      amounts.map((amount, index) => amount + (known[index] ?? 0)),
    );
  }
  return Object.fromEntries([...sums].sort());
}

/** What the lines of a statement add up to, page by page. */
async function statementSums(range: DayRange) {
  const reader = await readerOf(env, tenant);
  const lines: StatementLine[] = [];
  for (const part of STATEMENT_PARTS) {
    for (let cursor: Cursor | null | undefined; cursor !== null; ) {
      const page = await reader.statement(part, range, cursor ?? null);
      lines.push(...page.rows);
      cursor = page.nextCursor === null ? null : parseCursor(page.nextCursor);
    }
  }
  return sumsOf(lines);
}

async function totalSums(range: DayRange) {
  const totals = await (await readerOf(env, tenant)).totals(range);
  const paid = totals.filter(({ status }) => status === 'succeeded');
  return sumsOf(paid.map(({ amountMinor, ...total }) => ({ ...total, paidMinor: amountMinor })));
}

/** Applies a message, but the process dies at some statement of the transaction. */
async function crash(message: ProjectionMessage, statements: number): Promise<void> {
  await runInDurableObject(bookStub(), (book, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    let left = statements;
    storage.sql.exec = (...args) => {
      left -= 1;
      if (left < 0) {
        throw plantedError();
      }
      return exec(...args);
    };
    try {
      book.apply(message);
    } catch {
      // Rolled back.
    } finally {
      storage.sql.exec = exec;
    }
  });
}

test.each(SEEDS)(
  'seed %i: the book is exact after one pass, and a replay writes nothing',
  async (seed) => {
    const random = randomOf(seed);
    const startMs = Date.now() - 400 * HOUR_MS;
    const lives = Array.from({ length: PAYMENTS }, (_, index) =>
      lifeOf(random, index + 1, startMs + Math.floor(index / 4) * HOUR_MS),
    );
    const book = bookOf(env, tenant, 0);
    const sent = lives.flatMap(({ messages }) => messages);
    const arriving = sent.flatMap((message) => {
      const isLost = random.chance() < LOST;
      return isLost ? [] : random.chance() < DOUBLED ? [message, message] : [message];
    });
    for (const message of random.shuffled(arriving)) {
      if (random.chance() < CRASHED) {
        await crash(message, random.upTo(12));
      } else {
        await book.apply(message);
      }
    }
    // Each object's lease sends the payment as it is, once.
    for (const { truth } of random.shuffled(lives)) {
      await book.apply(messageOf(truth));
    }
    const expected = expectedOf(lives.map(({ truth }) => truth));
    expect(await storedIn(Object.keys(expected.found))).toEqual(expected);
    const firstDay = dayOf(startMs);
    for (const [from, days] of [[0, 99], ...Array.from({ length: 5 }, (_, at) => [3 * at, 3])]) {
      const range = {
        fromDay: firstDay + (from ?? 0),
        toDay: firstDay + (from ?? 0) + (days ?? 0),
      };
      expect(await statementSums(range)).toEqual(await totalSums(range));
    }
    let rows = 0;
    for (const message of random.shuffled(sent)) {
      rows += (await rowsWrittenBy(message)).rows;
    }
    expect(rows).toBe(0);
  },
);
