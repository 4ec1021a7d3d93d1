import { MerchantBook } from '../../src/connected-objects.ts';
import {
  exportStatements,
  type StatementsPage,
} from '../../src/control/statements/export-statements.ts';
import { configOf } from '../../src/engine/config.ts';
import { DAY_MS } from '../../src/engine/domain/schedule.ts';
import {
  beneficiaryContext,
  type ProjectionMessage,
} from '../../src/engine/intent/book-message.ts';
import { sealRepeatably } from '../../src/kit/crypto/sealed.ts';
import { parseCursor } from '../../src/kit/platform/paging.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { applyMessage } from '../../src/lists/book/apply.ts';
import { answer } from '../../src/lists/book/questions.ts';
import { BookReader } from '../../src/lists/book/reader.ts';
import { bookName } from '../../src/lists/book/schema.ts';
import { BookVolumes } from '../../src/lists/book/volumes.ts';
import { type Filling, messageOf, type Step, stepOf } from './messages.ts';
import { MERGED_QUESTIONS, measuredQuestions } from './questions.ts';

/** What the process that measures asks of this Worker, as the body of a request. */
export type Order =
  | { readonly type: 'fill'; readonly filling: Filling; readonly from: number; readonly to: number }
  | {
      readonly type: 'ask';
      readonly filling: Filling;
      readonly from: number;
      readonly to: number;
      readonly question: string;
      readonly runs: number;
    }
  | { readonly type: 'open'; readonly filling: Filling }
  | {
      readonly type: 'prepare' | 'apply' | 'count';
      readonly step: Step;
      readonly tenant: Tenant;
      readonly payments: number;
    }
  | {
      readonly type: 'merged';
      readonly filling: Filling;
      readonly newestVolume: number;
      readonly question: string;
      readonly runs: number;
    }
  | {
      readonly type: 'month';
      readonly first: number;
      readonly end: number;
      readonly payments: number;
    }
  | { readonly type: 'sheet'; readonly period: string }
  | {
      readonly type: 'export';
      readonly filling: Filling;
      readonly newestVolume: number;
      readonly rowsMax: number;
    };

export interface Counts {
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

export interface Merged {
  readonly rowsFound: number;
  /** Milliseconds of each run. */
  readonly durationsMs: readonly number[];
}

export interface Answered extends Counts, Merged {}

/** Runs of a question between two looks at the clock, which is exact to a millisecond. */
const LOOP_MS_MIN = 20;
const TRANSACTION_PAYMENTS = 1_000;
/** The default of wrangler.toml. */
const RETENTION_MS = 400 * DAY_MS;
/** Calls in flight to one book, as from many payments' objects at once. */
const CALLS_MAX = 32;

export interface MeasuredSheet {
  readonly merchants: number;
  readonly rows: number;
  readonly pages: number;
}

/** Every so many merchants of a month have splits, to so many beneficiaries. */
const SPLITTING = { everyMerchant: 10, beneficiaries: 20 };
const MONTH_DAYS = 30;

/** The book, with what only a measurement calls. */
export class MeasuredBook extends MerchantBook {
  async fill(filling: Filling, from: number, to: number): Promise<void> {
    const { storage } = this.ctx;
    // The first message creates the tables.
    await this.apply(messageOf(from, filling));
    for (let first = from; first < to; first += TRANSACTION_PAYMENTS) {
      storage.transactionSync(() => {
        for (let index = first; index < Math.min(to, first + TRANSACTION_PAYMENTS); index += 1) {
          applyMessage(storage.sql, messageOf(index, filling), RETENTION_MS, Date.now());
        }
      });
    }
  }

  size(): number {
    return this.ctx.storage.sql.databaseSize;
  }

  /** Applies messages of a step, and counts rows. */
  countStep(messages: readonly ProjectionMessage[]): Counts {
    const { storage } = this.ctx;
    this.#counted.length = 0;
    storage.transactionSync(() => {
      for (const message of messages) {
        applyMessage(this.#counting(), message, RETENTION_MS, Date.now());
      }
    });
    return this.#counts();
  }

  measure(filling: Filling, from: number, to: number, name: string, runs: number): Answered {
    const { sql } = this.ctx.storage;
    const question = measuredQuestions(filling, { first: from, last: to })[name];
    if (question === undefined) {
      throw new Error(`no question ${name}`);
    }
    const ask = (storage: SqlStorage, run: number) => {
      const { name: asked, args } = question(run);
      return answer(storage, asked, args);
    };
    const durationsMs: number[] = [];
    let rowsRead = 0;
    let rowsFound = 0;
    for (let run = 0; run < runs; run += 1) {
      this.#counted.length = 0;
      const found = ask(this.#counting(), run);
      rowsRead = Math.max(rowsRead, this.#counts().rowsRead);
      rowsFound = Math.max(rowsFound, rowsIn(found));
      const { name: asked, args } = question(run);
      const startedAtMs = performance.now();
      let loops = 0;
      do {
        answer(sql, asked, args);
        loops += 1;
      } while (performance.now() - startedAtMs < LOOP_MS_MIN);
      durationsMs.push((performance.now() - startedAtMs) / loops);
    }
    return { rowsRead, rowsWritten: 0, rowsFound, durationsMs };
  }

  readonly #counted: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

  #counting(): SqlStorage {
    const { sql } = this.ctx.storage;
    const exec: SqlStorage['exec'] = (query, ...params) => {
      const cursor = sql.exec(query, ...params);
      this.#counted.push(cursor);
      return cursor as never;
    };
    return { exec } as SqlStorage;
  }

  #counts(): Counts {
    const sum = (count: (cursor: Counts) => number) =>
      this.#counted.reduce((total, cursor) => total + count(cursor), 0);
    return {
      rowsRead: sum(({ rowsRead }) => rowsRead),
      rowsWritten: sum(({ rowsWritten }) => rowsWritten),
    };
  }
}

function rowsIn(found: unknown): number {
  if (Array.isArray(found)) {
    return found.length;
  }
  const lists = Object.values(Object(found)).filter(Array.isArray);
  return lists.reduce((sum, list) => sum + list.length, 0);
}

interface LabEnv extends Omit<Env, 'MERCHANT_BOOK'> {
  readonly MERCHANT_BOOK: DurableObjectNamespace<MeasuredBook>;
}

/** Made before the measured part, in which the Worker only calls. */
let prepared: readonly ProjectionMessage[] = [];
/** When the payments of a merchant were created and ended. */
const times = new Map<string, number>();

async function obey(env: LabEnv, order: Order): Promise<unknown> {
  const bookOf = (tenant: Tenant, volume: number) =>
    env.MERCHANT_BOOK.get(env.MERCHANT_BOOK.idFromName(bookName(tenant, volume)));
  switch (order.type) {
    case 'fill': {
      const { filling, from, to } = order;
      const book = bookOf(filling, filling.bookVolume);
      await book.fill(filling, from, to);
      return { bytes: await book.size() };
    }
    case 'ask': {
      const { filling, from, to, question, runs } = order;
      return bookOf(filling, filling.bookVolume).measure(filling, from, to, question, runs);
    }
    case 'open': {
      const start = { isAscending: false, after: null, includesPlace: false };
      const book = bookOf(order.filling, order.filling.bookVolume);
      await book.ask('payments', [{}, start, 21, false]);
      return {};
    }
    case 'prepare': {
      const { step, tenant, payments } = order;
      const merchant = bookName(tenant, 0);
      if (step !== 'delivered') {
        times.set(`${merchant} ${step}`, Date.now());
      }
      const [createdAtMs = 0, endedAtMs = 0] = ['created', 'ended'].map((name) =>
        times.get(`${merchant} ${name}`),
      );
      prepared = Array.from({ length: payments }, (_, index) =>
        // A millisecond has at most one payment, as at a thousand payments a second.
        stepOf(step, index, tenant, createdAtMs + index, endedAtMs + index),
      );
      return {};
    }
    case 'apply': {
      const book = bookOf(order.tenant, 0);
      for (let first = 0; first < prepared.length; first += CALLS_MAX) {
        const calls = prepared
          .slice(first, first + CALLS_MAX)
          .map((message) => book.apply(message));
        await Promise.all(calls);
      }
      return {};
    }
    case 'count':
      return bookOf(order.tenant, 0).countStep(prepared);
    case 'merged':
      return askMerged(readerOf(env, order), order.filling, order.question, order.runs);
    case 'month':
      for (let index = order.first; index < order.end; index += 1) {
        const filling = await monthOf(env, index, order.payments);
        await bookOf(filling, 0).fill(filling, 0, order.payments);
      }
      return {};
    case 'sheet':
      return readSheet(env as unknown as Env, order.period);
    case 'export': {
      const reader = readerOf(env, order);
      let rows = 0;
      let cursor: string | null = null;
      do {
        const page = await reader.exported({}, cursor === null ? null : parseCursor(cursor));
        rows += page.rows.length;
        cursor = page.nextCursor;
      } while (cursor !== null && rows < order.rowsMax);
      return { rows };
    }
  }
}

/** A new merchant, and how to fill its book. */
async function monthOf(env: LabEnv, index: number, payments: number): Promise<Filling> {
  const merchantId = `mer_month_${String(index).padStart(6, '0')}`;
  await env.DB.prepare(
    'INSERT INTO merchants (id, number, name, created_at_ms) VALUES (?1, ?2, ?1, 1)',
  )
    .bind(merchantId, 1_000 + index)
    .run();
  const tenant = { environment: 'production', merchantId } as const;
  const accounts = Array.from({ length: SPLITTING.beneficiaries }, (_, at) => `1000${index}${at}`);
  const sealed = accounts.map((account) =>
    sealRepeatably(
      configOf(env as unknown as Env).dataEncryptionKeys,
      JSON.stringify(['CBE', account]),
      beneficiaryContext(tenant),
    ),
  );
  const beneficiaries = index % SPLITTING.everyMerchant === 0 ? await Promise.all(sealed) : [];
  return { ...tenant, payments, bookVolume: 0, days: MONTH_DAYS, beneficiaries };
}

/** All pages, as the desk asks for them. */
async function readSheet(env: Env, period: string): Promise<MeasuredSheet> {
  const gateway = { env, config: configOf(env), nowMs: Date.now() };
  const actor = {
    kind: 'operator',
    id: 'lab',
    name: 'lab',
    isProved: false,
    address: null,
  } as const;
  let [merchants, rows, pages] = [0, 0, 0];
  for (let after: string | null | undefined; after !== null; pages += 1) {
    const target = { environment: 'production' };
    const page: StatementsPage = await exportStatements(gateway, actor, target, { period, after });
    merchants += page.merchants;
    rows += page.rows.length;
    after = page.next;
  }
  return { merchants, rows, pages };
}

interface Volumes {
  readonly filling: Filling;
  readonly newestVolume: number;
}

function readerOf(env: LabEnv, { filling, newestVolume }: Volumes): BookReader {
  return new BookReader(new BookVolumes(env as unknown as Env, filling, newestVolume));
}

async function askMerged(
  reader: BookReader,
  filling: Filling,
  name: string,
  runs: number,
): Promise<Merged> {
  const question = MERGED_QUESTIONS[name];
  if (question === undefined) {
    throw new Error(`no question ${name}`);
  }
  const durationsMs: number[] = [];
  let rowsFound = 0;
  for (let run = 0; run < runs; run += 1) {
    const startedAtMs = performance.now();
    let loops = 0;
    do {
      rowsFound = Math.max(rowsFound, rowsIn(await question(reader, filling, run)));
      loops += 1;
    } while (performance.now() - startedAtMs < LOOP_MS_MIN);
    durationsMs.push((performance.now() - startedAtMs) / loops);
  }
  return { rowsFound, durationsMs };
}

export default {
  async fetch(request: Request, env: LabEnv): Promise<Response> {
    return Response.json((await obey(env, (await request.json()) as Order)) ?? {});
  },
};
