import { configOf } from '../../engine/config.ts';
import { phoneEndText } from '../../engine/domain/phone.ts';
import { tillSearchKey } from '../../engine/domain/search-key.ts';
import {
  beneficiaryContext,
  detailsContext,
  type PaymentDetails,
} from '../../engine/intent/book-message.ts';
import { unseal } from '../../kit/crypto/sealed.ts';
import {
  type Cursor,
  cursorText,
  type Page,
  parseCursor,
  type TimeRange,
} from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { matchOf } from './matched-field.ts';
import type { AskPage } from './merged-page.ts';
import type { ResentStatuses } from './queries/deliveries.ts';
import { SCANNED_ROWS_MAX } from './queries/page.ts';
import type { BookedPayment } from './queries/payment-source.ts';
import { SEARCH_ROWS_MAX } from './queries/search.ts';
import type { CreatedRange } from './queries/sold-at.ts';
import { addedUp } from './queries/totals.ts';
import type { Answer } from './questions.ts';
import type {
  AttemptTotal,
  BeneficiaryTotal,
  DayRange,
  DayTotal,
  EventFilter,
  EventRow,
  ListedPayment,
  PaidSum,
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
import { type BookVolumes, type KnownVolume, volumesOf } from './volumes.ts';

export async function readerOf(env: Env, tenant: Tenant & KnownVolume): Promise<BookReader> {
  return new BookReader(await volumesOf(env, tenant));
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

/** Half a million payments: more than a page of a link sells in a year. Bounds the calls. */
const LINK_PARTS_MAX = 25;

/** A tenant's lists, search and totals, from all volumes of its book. */
export class BookReader {
  readonly #volumes: BookVolumes;

  constructor(volumes: BookVolumes) {
    this.#volumes = volumes;
  }

  /** One page of payments, newest first. It may be short, yet have a cursor (docs/lists.md#lists). */
  async payments(
    filter: PaymentFilter,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<PaymentRow>> {
    const page = await this.#volumes.page(cursor, limit, (volume, start, rows) =>
      this.#volumes.ask(volume, 'payments', filter, start, rows, false),
    );
    return { ...page, rows: page.rows.map((row) => this.#paymentRow(row)) };
  }

  /** The same list with each customer's name and masked phone, for the members of the merchant. */
  async listed(
    filter: PaymentFilter,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<ListedPayment>> {
    const page = await this.#volumes.page(cursor, limit, (volume, start, rows) =>
      this.#volumes.ask(volume, 'payments', filter, start, rows, true),
    );
    return { ...page, rows: (await this.#unsealed(page.rows)).map(listedPayment) };
  }

  /** One page of the API's list, with what the payments' rows have sealed. */
  async summaries(
    filter: SummaryFilter,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<ExportedPayment>> {
    const { phone: _phone, metadata: _metadata, tillId: _tillId, ...others } = filter;
    const { paymentLinkUniqueId: _link, ...plain } = others;
    const keys = await summaryKeys(this.#volumes.env, this.#volumes.tenant, filter);
    const page = await this.#volumes.page(cursor, limit, (volume, start, rows) =>
      this.#volumes.ask(volume, 'summaries', plain, keys, start, rows),
    );
    return { ...page, rows: await this.#unsealed(page.rows) };
  }

  /** The payments that name a link, for the members of the merchant. */
  async listedOfLink(
    paymentLinkUniqueId: string,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<ListedPayment>> {
    const page = await this.summaries({ paymentLinkUniqueId }, cursor, limit);
    return { ...page, rows: page.rows.map(listedPayment) };
  }

  /** What was paid at the link's page, by currency. */
  async paidAtLink(
    paymentLinkUniqueId: string,
    rowsEach: number = SCANNED_ROWS_MAX,
  ): Promise<readonly PaidSum[]> {
    const { env, tenant } = this.#volumes;
    const [keys = []] = await summaryKeys(env, tenant, { paymentLinkUniqueId });
    const sums = await this.#volumes.askEach(async (volume) => {
      const found: PaidSum[] = [];
      let to: number | null = Number.MAX_SAFE_INTEGER;
      for (let parts = 0; to !== null && parts < LINK_PARTS_MAX; parts += 1) {
        const part: Awaited<Answer<'paidAtLink'>> | null = await this.#volumes.ask(
          volume,
          'paidAtLink',
          keys,
          to,
          rowsEach,
        );
        found.push(...(part?.sums ?? []));
        to = part?.next ?? null;
      }
      return found;
    });
    return addedUp([...sums.values()].flat(), ({ currency }) => [currency]).filter(
      ({ payments }) => payments > 0,
    );
  }

  /** What is paid of the payments of a till, or of all tills, that were created then. */
  async soldAt(tillId: string | null, range: CreatedRange): Promise<readonly PaidSum[]> {
    const found = await this.#volumes.askAll('soldAt', tillSearchKey(tillId), range);
    return addedUp(found.flat(), ({ currency }) => [currency]);
  }

  /**
   * As many matching payments as fit into a call, newest first. Leaves out payments that were
   * created after the first page.
   */
  exported(filter: PaymentFilter, cursor: Cursor | null): Promise<ExportPage<ExportedPayment>> {
    return this.#collected(
      cursor,
      (volume, start, rows) => this.#volumes.ask(volume, 'payments', filter, start, rows, true),
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
      (volume, start, rows) => this.#volumes.ask(volume, 'statement', part, days, start, rows),
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
      const page: Page<Row> = await this.#volumes.page(next, EXPORT_QUESTION_ROWS, ask);
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
    const found = await this.#volumes.askAll('totals', range, Number.MAX_SAFE_INTEGER);
    return addedUpTotals(found.flat());
  }

  /** The same with what the beneficiaries of splits get. Throws when they are too many. */
  async paidOut(range: DayRange) {
    const found = await this.#volumes.askAll('paidOut', range);
    const keys = configOf(this.#volumes.env).dataEncryptionKeys;
    const context = beneficiaryContext(this.#volumes.tenant);
    const shares = found.flatMap(({ shares: ofVolume }) => {
      if (ofVolume === null) {
        throw new Error('too many beneficiaries');
      }
      return ofVolume;
    });
    const opened = shares.map(async ({ beneficiary, ...rest }): Promise<BeneficiaryTotal> => {
      const text = await unseal(keys, beneficiary, context);
      const [bank, account] = text === null ? [null, null] : JSON.parse(text);
      return { ...rest, bank, account };
    });
    return {
      totals: addedUpTotals(found.flatMap(({ totals }) => totals)),
      beneficiaries: addedUp(await Promise.all(opened), ({ bank, account, currency }) => [
        bank,
        account,
        currency,
      ]),
    };
  }

  /** The same by period of `days` days from the range's first day on, in the order of time. */
  async totalsByPeriod(range: DayRange, days: number): Promise<DayTotal[]> {
    const found = await this.#volumes.askAll('totals', range, days);
    const keyOf = ({ day, method, currency, status }: DayTotal) => [day, method, currency, status];
    return addedUp(found.flat(), keyOf).sort((one, other) => one.day - other.day);
  }

  async attemptTotals(range: DayRange): Promise<AttemptTotal[]> {
    const found = await this.#volumes.askAll('attempts', range);
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
    const question = await searchGroups(this.#volumes.env, this.#volumes.tenant, text);
    if (question === null) {
      return [];
    }
    const found = await this.#volumes.askAll('search', question, withDetails);
    // Exact matches come first, so that many others with this part do not displace them.
    const exact = found.flatMap((rows) => rows.exact).sort(newestFirst);
    const byPart = found.flatMap((rows) => rows.byPart).sort(newestFirst);
    const rows = new Map([...exact, ...byPart].map((row) => [row.uuid, row]));
    return [...rows.values()].slice(0, SEARCH_ROWS_MAX).sort(newestFirst);
  }

  /** The unique id of the payment with this uuid or integer id, or null. */
  async findUniqueId(id: string): Promise<string | null> {
    const found = await this.#volumes.askAll('uniqueIdOf', id);
    return found[0] ?? null;
  }

  /** The payment with this unique id, even after its object has deleted it; or null. */
  async paymentOf(uniqueId: string): Promise<PaymentRow | null> {
    const [row] = await this.#volumes.askAll('paymentOf', uniqueId);
    return row == null ? null : this.#paymentRow(row);
  }

  /** One page of refunds, newest first. */
  refunds(filter: RefundFilter, cursor: Cursor | null, limit: number): Promise<Page<RefundRow>> {
    return this.#volumes.page(cursor, limit, (volume, start, rows) =>
      this.#volumes.ask(volume, 'refunds', filter, start, rows),
    );
  }

  /** One page of deliveries, newest first. */
  events(filter: EventFilter, cursor: Cursor | null, limit: number): Promise<Page<EventRow>> {
    return this.#volumes.page(cursor, limit, (volume, start, rows) =>
      this.#volumes.ask(volume, 'events', filter, false, start, rows),
    );
  }

  /** One delivery of each event: the first, or the first in the wanted state. */
  distinctEvents(
    filter: Omit<EventFilter, 'endpointId'>,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<EventRow>> {
    return this.#volumes.page(cursor, limit, (volume, start, rows) =>
      this.#volumes.ask(volume, 'events', filter, true, start, rows),
    );
  }

  /** Failed deliveries, newest first, or missed ones, oldest first. */
  undelivered(
    which: ResentStatuses,
    range: TimeRange,
    cursor: Cursor | null,
    limit: number,
  ): Promise<Page<EventRow>> {
    return this.#volumes.page(
      cursor,
      limit,
      (volume, start, rows) => this.#volumes.ask(volume, 'undelivered', which, range, start, rows),
      which === 'missed',
    );
  }

  async countFailed(range: TimeRange): Promise<number> {
    const counts = await this.#volumes.askAll('countFailed', range);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** All deliveries of the events with these ids, in no order. */
  async deliveriesOf(eventIds: readonly string[]): Promise<readonly EventRow[]> {
    const found = await this.#volumes.askAll('deliveriesOf', eventIds);
    return found.flat().map((row) => ({ ...row, ...this.#volumes.tenant }));
  }

  #paymentRow(booked: BookedPayment): PaymentRow {
    const { id: _id, searchKeys: _keys, sealedDetails: _details, ...row } = booked;
    return { ...row, ...this.#volumes.tenant };
  }

  #unsealed(rows: readonly BookedPayment[]): Promise<ExportedPayment[]> {
    return Promise.all(
      rows.map(async (row) => ({ ...this.#paymentRow(row), details: await this.#detailsIn(row) })),
    );
  }

  async #detailsIn({ uuid, sealedDetails }: BookedPayment): Promise<PaymentDetails> {
    const keys = configOf(this.#volumes.env).dataEncryptionKeys;
    const context = detailsContext(this.#volumes.tenant, uuid);
    const text = sealedDetails === null ? null : await unseal(keys, sealedDetails, context);
    return text === null ? {} : JSON.parse(text);
  }
}

function addedUpTotals(found: readonly DayTotal[]): Total[] {
  const rows = found.map(({ day: _day, ...total }): Total => total);
  return addedUp(rows, ({ method, currency, status }) => [method, currency, status]);
}

function listedPayment({ details, ...row }: ExportedPayment): ListedPayment {
  const { customerName = null, phone } = details;
  return { ...row, customerName, maskedPhone: phone === undefined ? null : phoneEndText(phone) };
}

function newestFirst(one: BookedPayment, other: BookedPayment): number {
  return other.id - one.id;
}
