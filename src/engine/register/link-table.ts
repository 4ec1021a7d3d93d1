import {
  type Cursor,
  type Page,
  pageOf,
  pageStatement,
  type TimeRange,
  when,
} from '../../kit/platform/paging.ts';
import { type OpeningResult, type Openings, takeOpening } from '../links/openings.ts';
import {
  LINKS_MAX,
  type LinkClaim,
  type PaymentLink,
  type StoredLink,
} from '../links/payment-link.ts';
import {
  type Place,
  type PlaceReport,
  reservedPlace,
  settledPlace,
  type TakenPlaces,
} from '../links/places.ts';

/**
 * A merchant's payment links (docs/links.md). The first link makes the table, so that the registers of
 * other merchants stay as they are. `content` is the link; the other columns find it, hold its answer
 * for a repeated creation, and count its openings. Only payments of a link with a maximum have places.
 */
const LINK_TABLE = `
  CREATE TABLE payment_links (
    id TEXT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL,
    is_active INTEGER NOT NULL,
    content TEXT NOT NULL,
    key_digest TEXT UNIQUE,
    body_digest TEXT,
    answer TEXT,
    opening_window INTEGER NOT NULL DEFAULT 0,
    opened INTEGER NOT NULL DEFAULT 0,
    opened_before INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX payment_links_by_time ON payment_links (created_at_ms, code);
  CREATE TABLE link_places (
    code TEXT NOT NULL,
    payment_unique_id TEXT NOT NULL,
    type TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (code, payment_unique_id)
  ) STRICT, WITHOUT ROWID;`;

const STORED = 'id, code, created_at_ms, is_active, content, key_digest, body_digest, answer';
/** What is only reserved ends with the gateway that a backup is of. */
const PAID_PLACES = `(SELECT json_group_array(json_array(payment_unique_id, type)) FROM link_places
  WHERE link_places.code = payment_links.code AND type <> 'reserved')`;

export interface LinkCreation {
  readonly link: PaymentLink;
  readonly idempotency: LinkClaim | null;
  /** What a repeat with the same Idempotency-Key gets. */
  readonly answer: string;
}

export type LinkCreated =
  | { readonly type: 'created' }
  | { readonly type: 'replay'; readonly answer: string }
  | { readonly type: 'key_reused' }
  /** Another link has the id. */
  | { readonly type: 'taken' }
  | { readonly type: 'full' };

export interface LinkFilter extends TimeRange {
  readonly isActive?: boolean | undefined;
}

type LinkRow = { content: string };
type PlaceRow = { type: Place['type']; attempt: number; untilMs: number };
type OpeningsRow = { window: number; opened: number; openedBefore: number };

/** Synchronous, in the caller's transaction. */
export class PaymentLinks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create({ link, idempotency, answer }: LinkCreation): LinkCreated {
    if (!this.#exists()) {
      this.#sql.exec(LINK_TABLE);
    }
    const repeated = this.answerTo(idempotency);
    if (repeated !== null) {
      return repeated;
    }
    if (this.byId(link.id) !== null) {
      return { type: 'taken' };
    }
    if (this.#count() >= LINKS_MAX) {
      return { type: 'full' };
    }
    this.#insert({
      ...columnsOf(link),
      key_digest: idempotency?.keyDigest ?? null,
      body_digest: idempotency?.bodyDigest ?? null,
      answer: idempotency && answer,
    });
    return { type: 'created' };
  }

  /** The answer to a repeated creation; null without an earlier one by this key. */
  answerTo(claim: LinkClaim | null): LinkCreated | null {
    if (claim === null || !this.#exists()) {
      return null;
    }
    const sql = `SELECT body_digest AS bodyDigest, answer FROM payment_links
      WHERE key_digest = ?`;
    const [first] = this.#sql
      .exec<{ bodyDigest: string; answer: string }>(sql, claim.keyDigest)
      .toArray();
    if (first === undefined) {
      return null;
    }
    const { bodyDigest, answer } = first;
    return bodyDigest === claim.bodyDigest ? { type: 'replay', answer } : { type: 'key_reused' };
  }

  byId(id: string): PaymentLink | null {
    return this.#one('SELECT content FROM payment_links WHERE id = ?', id);
  }

  byCode(code: string): PaymentLink | null {
    return this.#one('SELECT content FROM payment_links WHERE code = ?', code);
  }

  page(filter: LinkFilter, cursor: Cursor | null, limit: number): Page<PaymentLink> {
    const list = {
      columns: 'content',
      table: 'payment_links',
      index: 'payment_links_by_time',
      timeColumn: 'created_at_ms',
      idColumn: 'code',
      conditions: [
        ...when('created_at_ms >= ?', filter.fromMs),
        ...when('created_at_ms < ?', filter.toMs),
        ...when('is_active = ?', filter.isActive === undefined ? null : Number(filter.isActive)),
      ],
      placeOf: ({ createdAtMs, code }: PaymentLink) => ({ atMs: createdAtMs, id: code }),
    };
    if (!this.#exists()) {
      return pageOf(list, [], cursor, limit);
    }
    const { sql, params } = pageStatement(list, cursor, limit);
    const rows = this.#sql.exec<LinkRow>(sql, ...params).toArray();
    return pageOf(list, rows.map(this.#linkOf), cursor, limit);
  }

  /** False when the link has changed since the version before `link`: the caller reads it again. */
  change(link: PaymentLink): boolean {
    const before = this.byId(link.id);
    if (before === null || before.version !== link.version - 1) {
      return false;
    }
    const { is_active: isActive, content } = columnsOf(link);
    const sql = 'UPDATE payment_links SET is_active = ?, content = ? WHERE id = ?';
    this.#sql.exec(sql, isActive, content, link.id);
    return true;
  }

  /** Counts a submission of the link's page. Null: there is no such link. */
  open(code: string, nowMs: number, hasWaited: boolean): OpeningResult | null {
    const before = this.#openings(code);
    const result = before && takeOpening(before, nowMs, hasWaited);
    if (result?.type === 'taken') {
      const { window, opened, openedBefore } = result.openings;
      this.#sql.exec(
        `UPDATE payment_links SET opening_window = ?, opened = ?, opened_before = ?
         WHERE code = ?`,
        ...[window, opened, openedBefore, code],
      );
    }
    return result;
  }

  /** Reserves a place for a payment's attempt. False when none is left, and without such a link. */
  reserve(code: string, payment: string, attempt: number, untilMs: number, nowMs: number): boolean {
    const link = this.byCode(code);
    if (link === null) {
      return false;
    }
    const ended = `DELETE FROM link_places WHERE code = ? AND type = 'reserved' AND until_ms <= ?`;
    this.#sql.exec(ended, code, nowMs);
    const own = this.#place(code, payment);
    const others = { ...this.#taken(code, nowMs, payment), paymentsMax: link.paymentsMax };
    const place = reservedPlace(own, others, attempt, untilMs);
    if (place !== null) {
      this.#put(code, payment, own, place);
    }
    return place !== null;
  }

  /** What became of the payment's place. Repeated calls change nothing. Null: it has none. */
  settle(code: string, payment: string, report: PlaceReport, nowMs: number): Place | null {
    const link = this.byCode(code);
    if (link === null) {
      // A restore without the link: no page sells it any more.
      return null;
    }
    const own = this.#place(code, payment);
    const others = { ...this.#taken(code, nowMs, payment), paymentsMax: link.paymentsMax };
    const place = settledPlace(own, others, report, nowMs);
    this.#put(code, payment, own, place);
    return place;
  }

  #place(code: string, payment: string): Place | null {
    const sql = `SELECT type, attempt, until_ms AS untilMs FROM link_places
      WHERE code = ? AND payment_unique_id = ?`;
    return this.#sql.exec<PlaceRow>(sql, code, payment).toArray()[0] ?? null;
  }

  /** Without the place of `payment`. */
  #taken(code: string, nowMs: number, payment = ''): TakenPlaces {
    const sql = `SELECT COUNT(*) FILTER (WHERE type = 'committed') AS committed,
        COUNT(*) FILTER (WHERE type = 'reserved' AND until_ms > ?) AS reserved
      FROM link_places WHERE code = ? AND payment_unique_id <> ?`;
    return this.#sql.exec<{ committed: number; reserved: number }>(sql, nowMs, code, payment).one();
  }

  #put(code: string, payment: string, before: Place | null, place: Place | null): void {
    if (place === before) {
      return;
    }
    if (place === null) {
      this.#sql.exec(
        'DELETE FROM link_places WHERE code = ? AND payment_unique_id = ?',
        ...[code, payment],
      );
    } else {
      const { attempt, untilMs } = place.type === 'reserved' ? place : { attempt: 0, untilMs: 0 };
      this.#sql.exec(
        `INSERT INTO link_places (code, payment_unique_id, type, attempt, until_ms)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET type = excluded.type, attempt = excluded.attempt,
           until_ms = excluded.until_ms`,
        ...[code, payment, place.type, attempt, untilMs],
      );
    }
  }

  /** The links after an id, in the order of their ids, for the backup. */
  storedAfter(id: string, limit: number): readonly StoredLink[] {
    const sql = `SELECT ${STORED}, ${PAID_PLACES} AS places FROM payment_links WHERE id > ? ORDER BY id LIMIT ?`;
    return this.#exists() ? this.#sql.exec<StoredLink>(sql, id, limit).toArray() : [];
  }

  /** A link that came back already, and may have changed since, stays as it is. */
  restore(link: StoredLink): void {
    if (!this.#exists()) {
      this.#sql.exec(LINK_TABLE);
    }
    this.#insert(link);
    const places: readonly (readonly [string, 'committed' | 'surplus'])[] = JSON.parse(link.places);
    for (const [payment, type] of places) {
      const own = this.#place(link.code, payment);
      this.#put(link.code, payment, own, own ?? { type });
    }
  }

  #insert(row: Omit<StoredLink, 'places'>): void {
    this.#sql.exec(
      `INSERT INTO payment_links (${STORED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      ...[row.id, row.code, row.created_at_ms, row.is_active, row.content],
      ...[row.key_digest, row.body_digest, row.answer],
    );
  }

  #openings(code: string): Openings | null {
    const sql = `SELECT opening_window AS window, opened, opened_before AS openedBefore
      FROM payment_links WHERE code = ?`;
    const [row] = this.#exists() ? this.#sql.exec<OpeningsRow>(sql, code).toArray() : [];
    return row ?? null;
  }

  #count(): number {
    const sql = 'SELECT COUNT(*) AS links FROM payment_links';
    return this.#sql.exec<{ links: number }>(sql).one().links;
  }

  #one(sql: string, param: string): PaymentLink | null {
    const [row] = this.#exists() ? this.#sql.exec<LinkRow>(sql, param).toArray() : [];
    return row === undefined ? null : this.#linkOf(row);
  }

  readonly #linkOf = ({ content }: LinkRow): PaymentLink => {
    const link: PaymentLink = JSON.parse(content);
    return link.paymentsMax === null
      ? link
      : { ...link, places: this.#taken(link.code, Date.now()) };
  };

  #exists(): boolean {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'payment_links'";
    return this.#sql.exec(sql).toArray().length > 0;
  }
}

function columnsOf({ places: _, ...link }: PaymentLink) {
  return {
    id: link.id,
    code: link.code,
    created_at_ms: link.createdAtMs,
    is_active: Number(link.isActive),
    content: JSON.stringify(link),
  };
}
