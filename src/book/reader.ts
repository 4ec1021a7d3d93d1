import { configOf } from '../config.ts';
import { unseal } from '../crypto/sealed.ts';
import { maskedPhone } from '../domain/phone.ts';
import type { Tenant } from '../domain/terms.ts';
import { detailsContext, type PaymentDetails } from '../intent/protocol.ts';
import { BoundedCache } from '../platform/bounded-cache.ts';
import { prepare } from '../platform/database.ts';
import {
  type Cursor,
  cursorText,
  type Page,
  parseCursor,
  type TimeRange,
} from '../platform/paging.ts';
import { bookOf } from './client.ts';
import type { News } from './listeners.ts';
import { matchOf } from './matched-field.ts';
import { type AskPage, readMergedPage } from './merged-page.ts';
import type { ResentStatuses } from './queries/deliveries.ts';
import type { BookedPayment } from './queries/payment-source.ts';
import { SEARCH_ROWS_MAX } from './queries/search.ts';
import { STREAM_PLACES_PER_MS, type StreamedEvent } from './queries/stream.ts';
import { addedUp } from './queries/totals.ts';
import type { Answer, QuestionArguments, QuestionName } from './questions.ts';
import type {
  AttemptTotal,
  DayRange,
  DayTotal,
  EventFilter,
  EventRow,
  ListedPayment,
  PaymentFilter,
  PaymentHit,
  PaymentRow,
  RefundFilter,
  RefundRow,
  StatementLine,
  StatementPart,
  Total,
} from './rows.ts';
import { type SummaryFilter, searchGroups, summaryKeys } from './search-digests.ts';

/**
 * Reads a tenant's lists, search and totals. It asks all volumes of the book at once and merges
 * their answers. Throws Unavailable when a volume is out of reach, because a list without it would
 * be wrong.
 */
export async function readerOf(env: Env, tenant: Tenant & KnownVolume): Promise<BookReader> {
  const { environment, merchantId } = tenant;
  const newest = tenant.bookVolume ?? (await newestVolume(env, tenant));
  return new BookReader(env, { environment, merchantId }, newest);
}

/** A key's access knows the newest volume, so that its lists need no D1. */
interface KnownVolume {
  readonly bookVolume?: number;
}

/** Volumes open months apart, and a new one is empty at first. */
const VOLUME_AGE_MS_MAX = 60_000;
const TENANTS_MAX = 2_000;
const volumes = new BoundedCache<number>({ sizeMax: TENANTS_MAX, ageMsMax: VOLUME_AGE_MS_MAX });

async function newestVolume(env: Env, { environment, merchantId }: Tenant): Promise<number> {
  const nowMs = Date.now();
  const name = `${environment}/${merchantId}`;
  const known = volumes.get(name, nowMs);
  if (known !== undefined) {
    return known.value;
  }
  const sql = `SELECT COALESCE(MAX(volume), 0) AS newest FROM book_volumes
    WHERE merchant_id = ? AND environment = ?`;
  const statement = prepare(env.DB, { sql, params: [merchantId, environment] });
  const newest = (await statement.first<number>('newest')) ?? 0;
  volumes.set(name, newest, nowMs);
  return newest;
}

/** A payment in a file, with what the book has sealed. */
export interface ExportedPayment extends PaymentRow {
  /** Empty when the book has no details, or when their data key was removed. */
  readonly details: PaymentDetails;
}

export interface ExportPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Rows of one question of an export. With full metadata a row has 60 KB, several copies while it is
 * decrypted, and an isolate has 128 MB.
 */
const EXPORT_QUESTION_ROWS = 150;

/**
 * A page of an export collects questions up to these sizes, because a file has 100,000 rows and the
 * back office may call the payments plane only about thirty times in one request. A day's statement
 * may match few of the refunds that a question reads.
 */
const EXPORT_PAGE_ROWS = 4_000;
const EXPORT_PAGE_CHARACTERS = 8_000_000;
const EXPORT_QUESTIONS_MAX = 30;

/** How far apart two volumes may place events of the same moment: their clocks differ by less. */
export const STREAM_OVERLAP_MS = 10_000;

/** The place of the last streamed event in each volume. */
export type StreamPlaces = ReadonlyMap<number, number>;

export interface StreamStart {
  /** Null before the first event. */
  readonly eventId: string | null;
  readonly places: StreamPlaces;
}

export interface PlacedEvent extends StreamedEvent {
  readonly volume: number;
}

export class BookReader {
  readonly #env: Env;
  readonly #tenant: Tenant;
  readonly #newestVolume: number;

  constructor(env: Env, tenant: Tenant, newest: number) {
    this.#env = env;
    this.#tenant = tenant;
    this.#newestVolume = newest;
  }

  /** One page of payments, newest first. It may be short, yet have a cursor (docs/lists.md#lists). */
  async payments(
    filter: PaymentFilter,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<PaymentRow>> {
    const page = await this.#page(cursor, limit, (volume, start, rows) =>
      this.#ask(volume, 'payments', filter, start, rows, false),
    );
    return { ...page, rows: page.rows.map((row) => this.#paymentRow(row)) };
  }

  /** The same list with each customer's name and masked phone, for the members of the merchant. */
  async listed(
    filter: PaymentFilter,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<ListedPayment>> {
    const page = await this.#page(cursor, limit, (volume, start, rows) =>
      this.#ask(volume, 'payments', filter, start, rows, true),
    );
    return { ...page, rows: (await this.#unsealed(page.rows)).map(listedPayment) };
  }

  /** One page of the API's list, with what the payments' rows have sealed. */
  async summaries(
    filter: SummaryFilter,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<ExportedPayment>> {
    const { phone: _phone, metadata: _metadata, ...plain } = filter;
    const keys = await summaryKeys(this.#env, this.#tenant, filter);
    const page = await this.#page(cursor, limit, (volume, start, rows) =>
      this.#ask(volume, 'summaries', plain, keys, start, rows),
    );
    return { ...page, rows: await this.#unsealed(page.rows) };
  }

  /**
   * As many matching payments as fit into a call, newest first. Leaves out payments that were
   * created after the first page.
   */
  exported(filter: PaymentFilter, cursor: Cursor | null): Promise<ExportPage<ExportedPayment>> {
    return this.#collected(
      cursor,
      (volume, start, rows) => this.#ask(volume, 'payments', filter, start, rows, true),
      (rows) => this.#unsealed(rows),
    );
  }

  /** As many lines of a part of a statement as fit into a call, newest first. */
  statement(
    part: StatementPart,
    days: DayRange,
    cursor: Cursor | null,
  ): Promise<ExportPage<StatementLine>> {
    return this.#collected(
      cursor,
      (volume, start, rows) => this.#ask(volume, 'statement', part, days, start, rows),
      (rows) => [...rows],
    );
  }

  /** As many rows as fit into a call, as the file needs them. */
  async #collected<Row extends BookedPayment | StatementLine, Exported>(
    cursor: Cursor | null,
    ask: AskPage<Row>,
    exportedFrom: (rows: readonly Row[]) => Exported[] | Promise<Exported[]>,
  ): Promise<ExportPage<Exported>> {
    const rows: Exported[] = [];
    let characters = 0;
    let next = cursor;
    for (let questions = 0; questions < EXPORT_QUESTIONS_MAX; questions += 1) {
      const page: Page<Row> = await this.#page(next, EXPORT_QUESTION_ROWS, ask);
      rows.push(...(await exportedFrom(page.rows)));
      const details = page.rows.map((row) => ('sealedDetails' in row ? row.sealedDetails : null));
      characters += details.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      next = page.nextCursor === null ? null : parseCursor(page.nextCursor);
      const isFull = rows.length >= EXPORT_PAGE_ROWS || characters >= EXPORT_PAGE_CHARACTERS;
      if (next === null || isFull) {
        break;
      }
    }
    return { rows, nextCursor: next === null ? null : cursorText(next) };
  }

  /** Counts and sums by method, currency and status. */
  async totals(range: DayRange): Promise<Total[]> {
    const found = await this.#askAll('totals', range, Number.MAX_SAFE_INTEGER);
    const rows = found.flat().map(({ day: _day, ...total }): Total => total);
    return addedUp(rows, ({ method, currency, status }) => [method, currency, status]);
  }

  /** The same by period of `days` days from the range's first day on, in the order of time. */
  async totalsByPeriod(range: DayRange, days: number): Promise<DayTotal[]> {
    const found = await this.#askAll('totals', range, days);
    const keyOf = ({ day, method, currency, status }: DayTotal) => [day, method, currency, status];
    return addedUp(found.flat(), keyOf).sort((one, other) => one.day - other.day);
  }

  async attemptTotals(range: DayRange): Promise<AttemptTotal[]> {
    const found = await this.#askAll('attempts', range);
    return addedUp(found.flat(), ({ method, currency }) => [method, currency]);
  }

  /**
   * Payments with this id, phone number, e-mail address or name, or with an id that begins or ends
   * with the text; newest first, at most SEARCH_ROWS_MAX. Ignores surrounding spaces. Text longer
   * than any id finds nothing.
   */
  async search(text: string): Promise<readonly PaymentRow[]> {
    return (await this.#found(text, false)).map((row) => this.#paymentRow(row));
  }

  /** The same hits with each customer's name and masked phone, and with the field that matched. */
  async found(typed: string): Promise<readonly PaymentHit[]> {
    const text = typed.trim();
    return Promise.all(
      (await this.#found(text, true)).map(async (row) => {
        const details = await this.#detailsIn(row);
        const match = matchOf(text, row, details);
        return { ...listedPayment({ ...this.#paymentRow(row), details }), match };
      }),
    );
  }

  async #found(text: string, withDetails: boolean): Promise<readonly BookedPayment[]> {
    const question = await searchGroups(this.#env, this.#tenant, text);
    if (question === null) {
      return [];
    }
    const found = await this.#askAll('search', question, withDetails);
    // Exact matches come first, so that many other ids with this part do not displace them.
    const exact = found.flatMap((rows) => rows.exact).sort(newestFirst);
    const byPart = found.flatMap((rows) => rows.byPart).sort(newestFirst);
    const rows = new Map([...exact, ...byPart].map((row) => [row.uuid, row]));
    return [...rows.values()].slice(0, SEARCH_ROWS_MAX).sort(newestFirst);
  }

  /** The unique id of the payment with this uuid or integer id, or null. */
  async findUniqueId(id: string): Promise<string | null> {
    const found = await this.#askAll('uniqueIdOf', id);
    return found[0] ?? null;
  }

  /** The payment with this unique id, even after its object has deleted it; or null. */
  async paymentOf(uniqueId: string): Promise<PaymentRow | null> {
    const [row] = await this.#askAll('paymentOf', uniqueId);
    return row == null ? null : this.#paymentRow(row);
  }

  /** One page of refunds, newest first. */
  refunds(filter: RefundFilter, cursor: Cursor | null, limit: number): Promise<Page<RefundRow>> {
    return this.#page(cursor, limit, (volume, start, rows) =>
      this.#ask(volume, 'refunds', filter, start, rows),
    );
  }

  /** One page of deliveries, newest first. */
  events(filter: EventFilter, cursor: Cursor | null, limit: number): Promise<Page<EventRow>> {
    return this.#page(cursor, limit, (volume, start, rows) =>
      this.#ask(volume, 'events', filter, false, start, rows),
    );
  }

  /** One delivery of each event: the first, or the first in the wanted state. */
  distinctEvents(
    filter: Omit<EventFilter, 'endpointId'>,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<EventRow>> {
    return this.#page(cursor, limit, (volume, start, rows) =>
      this.#ask(volume, 'events', filter, true, start, rows),
    );
  }

  /** Failed deliveries, newest first, or missed ones, oldest first. */
  undelivered(
    which: ResentStatuses,
    range: TimeRange,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<EventRow>> {
    return this.#page(
      cursor,
      limit,
      (volume, start, rows) => this.#ask(volume, 'undelivered', which, range, start, rows),
      which === 'missed',
    );
  }

  async countFailed(range: TimeRange): Promise<number> {
    const counts = await this.#askAll('countFailed', range);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** All deliveries of the events with these ids, in no order. */
  async deliveriesOf(eventIds: readonly string[]): Promise<readonly EventRow[]> {
    const found = await this.#askAll('deliveriesOf', eventIds);
    return found.flat().map((row) => ({ ...row, ...this.#tenant }));
  }

  /** The sandbox's stream after its newest event. */
  async streamEnd(): Promise<StreamStart> {
    const found = await this.#inVolumes((volume) => this.#ask(volume, 'newestStreamed'));
    const newest = [...found.values()]
      .filter((event) => event !== null)
      .sort((one, other) => other.place - one.place)[0];
    return {
      eventId: newest?.eventId ?? null,
      places: new Map([...found].map(([volume, event]) => [volume, event?.place ?? 0])),
    };
  }

  /**
   * The stream after this event, or null when there is none. The client may not have had another
   * volume's event of the same moment, so those of the last seconds come again.
   */
  async streamAfter(eventId: string): Promise<StreamStart | null> {
    const found = await this.#inVolumes((volume) => this.#ask(volume, 'findStreamed', eventId));
    const [own, event] = [...found].find(([, one]) => one !== null) ?? [];
    if (event == null) {
      return null;
    }
    const others = event.place - STREAM_OVERLAP_MS * STREAM_PLACES_PER_MS;
    return {
      eventId,
      places: new Map(
        this.#volumes().map((volume) => [volume, volume === own ? event.place : others]),
      ),
    };
  }

  /** The next events of the stream, in the order in which they became rows. */
  async streamed(places: StreamPlaces, limit: number): Promise<readonly PlacedEvent[]> {
    const found = await this.#inVolumes((volume) =>
      this.#ask(volume, 'streamedAfter', places.get(volume) ?? 0, limit),
    );
    return [...found]
      .flatMap(([volume, events]) => (events ?? []).map((event) => ({ ...event, volume })))
      .sort((one, other) => one.place - other.place)
      .slice(0, limit);
  }

  /**
   * Waits for an event in the newest volume, for at most `waitMs`. Waiting in each volume would
   * leave listeners behind in the others; the few events of old payments are found after the wait.
   */
  waitForEvents(places: StreamPlaces, waitMs: number): Promise<News> {
    const newest = this.#newestVolume;
    const book = bookOf(this.#env, this.#tenant, newest);
    return book.waitForEvents(places.get(newest) ?? 0, waitMs);
  }

  #paymentRow(booked: BookedPayment): PaymentRow {
    const { id: _id, searchKeys: _keys, sealedDetails: _details, ...row } = booked;
    return { ...row, ...this.#tenant };
  }

  #unsealed(rows: readonly BookedPayment[]): Promise<ExportedPayment[]> {
    return Promise.all(
      rows.map(async (row) => ({ ...this.#paymentRow(row), details: await this.#detailsIn(row) })),
    );
  }

  async #detailsIn({ uuid, sealedDetails }: BookedPayment): Promise<PaymentDetails> {
    const keys = configOf(this.#env).dataEncryptionKeys;
    const context = detailsContext(this.#tenant, uuid);
    const text = sealedDetails === null ? null : await unseal(keys, sealedDetails, context);
    return text === null ? {} : JSON.parse(text);
  }

  #ask<Name extends QuestionName>(volume: number, name: Name, ...args: QuestionArguments<Name>) {
    return bookOf(this.#env, this.#tenant, volume).ask(name, ...args);
  }

  /** By volume, the newest first. */
  async #inVolumes<Result>(ask: (volume: number) => Promise<Result>) {
    const found = this.#volumes().map(async (volume) => [volume, await ask(volume)] as const);
    return new Map(await Promise.all(found));
  }

  /** The answers of the volumes that have payments, the newest first. */
  async #askAll<Name extends QuestionName>(
    name: Name,
    ...args: QuestionArguments<Name>
  ): Promise<Answer<Name>[]> {
    const found = await this.#inVolumes((volume) => this.#ask(volume, name, ...args));
    return [...found.values()].filter(
      (one): one is Awaited<Answer<Name>> & Answer<Name> => one !== null,
    );
  }

  #volumes(): readonly number[] {
    return Array.from({ length: this.#newestVolume + 1 }, (_, index) => this.#newestVolume - index);
  }

  /** One page of a list, newest first unless `isOldestFirst`. */
  async #page<Row>(
    cursor: Cursor | null,
    limit: number,
    ask: AskPage<Row>,
    isOldestFirst = false,
  ): Promise<Page<Row & Tenant>> {
    const page = await readMergedPage(this.#volumes(), cursor, limit, isOldestFirst, ask);
    return { ...page, rows: page.rows.map((row) => ({ ...row, ...this.#tenant })) };
  }
}

function listedPayment({ details, ...row }: ExportedPayment): ListedPayment {
  const { customerName = null, phone } = details;
  return { ...row, customerName, maskedPhone: phone === undefined ? null : maskedPhone(phone) };
}

function newestFirst(one: BookedPayment, other: BookedPayment): number {
  return other.id - one.id;
}
