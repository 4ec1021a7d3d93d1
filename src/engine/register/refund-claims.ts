import { businessDay } from '../../kit/ethiopian-time.ts';
import { isTooOldToRefund } from '../domain/refund-time.ts';
import {
  type BackedUpRefund,
  type ClaimResult,
  type CountedRefund,
  type LostRefund,
  type RefundClaim,
  type RestoredPayment,
  STAGES,
  type UnsettledClaim,
} from './protocol.ts';

/**
 * A claim has a row until its refund has one. Days are counted from 1970 in Addis Ababa. A day's
 * sum counts its claims and refunds, except refunds whose amount was released. A refund that a
 * backup brought back is unconfirmed until its payment has it, too.
 */
export const REFUND_TABLES = `
  CREATE TABLE refund_claims (
    refund_unique_id TEXT PRIMARY KEY,
    payment_unique_id TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    currency TEXT NOT NULL,
    day INTEGER NOT NULL,
    checks INTEGER NOT NULL,
    check_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE refunds (
    refund_unique_id TEXT PRIMARY KEY,
    payment_unique_id TEXT NOT NULL,
    stage INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    currency TEXT NOT NULL,
    day INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE unconfirmed_refunds (
    refund_unique_id TEXT PRIMARY KEY,
    payment_unique_id TEXT NOT NULL,
    is_payment_back INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX unconfirmed_refunds_by_payment ON unconfirmed_refunds (payment_unique_id);
  CREATE TABLE refund_days (
    day INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    PRIMARY KEY (day, currency)
  ) STRICT, WITHOUT ROWID;`;

/** A request that is still alive has its refund by then. */
export const CLAIM_CHECK_AFTER_MS = 60_000;
const CLAIM_CHECK_WAIT_MS_MAX = 60 * 60_000;

/** The part of a refund that counts towards its day. */
type Counted = { amountMinor: number; currency: string; day: number };
type ClaimRow = Counted & { paymentUniqueId: string; claimId: string };
const CLAIM = `payment_unique_id AS paymentUniqueId, claim_id AS claimId,
  amount_minor AS amountMinor, currency, day`;
/** A row of `refunds` as it is stored. */
export type StoredRefund = {
  refund_unique_id: string;
  payment_unique_id: string;
  stage: number;
  amount_minor: number;
  currency: string;
  day: number;
};
type RefundRow = Counted & { paymentUniqueId: string; stage: number };

/**
 * The ids and daily sums of a tenant's refunds. The methods run synchronously in the caller's
 * transaction; the tables must exist.
 */
export class RefundClaims {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Claims the id and the amount. A second claim for the same payment shares the first one, whose
   * request may have died. The shared claim counts today, with the larger amount, until the payment
   * decides.
   */
  claim(claim: RefundClaim, nowMs: number): ClaimResult {
    const { refundUniqueId, paymentUniqueId, claimId, amountMinor, currency } = claim;
    const refund = this.#refund(refundUniqueId);
    const known = this.#claim(refundUniqueId);
    const owner = refund ?? known;
    const isOfOther = owner !== null && owner.paymentUniqueId !== paymentUniqueId;
    if (owner !== null && (isOfOther || this.#isUnconfirmed(refundUniqueId))) {
      return { type: 'taken', uniqueId: owner.paymentUniqueId };
    }
    if (refund !== null || known?.claimId === claimId) {
      return { type: 'claimed', claimId };
    }
    const day = businessDay(nowMs);
    const dayMinor = this.#sumOf(day, currency) - (known?.day === day ? known.amountMinor : 0);
    const { refundDailyMaxMinor: maxMinor, refundAgeDaysMax: daysMax } = claim;
    if (maxMinor !== null && dayMinor + amountMinor > maxMinor) {
      return { type: 'daily_limit', maxMinor, leftMinor: Math.max(0, maxMinor - dayMinor) };
    }
    if (isTooOldToRefund(claim.paidAtMs, daysMax, nowMs)) {
      return { type: 'too_old', daysMax };
    }
    const counted = {
      amountMinor: Math.max(amountMinor, known?.amountMinor ?? 0),
      currency,
      day,
    };
    this.#sql.exec(
      `INSERT INTO refund_claims (refund_unique_id, payment_unique_id, claim_id, is_shared,
         amount_minor, currency, day, checks, check_at_ms) VALUES (?, ?, ?, 0, ?, ?, ?, 0, ?)
       ON CONFLICT DO UPDATE SET is_shared = 1, amount_minor = excluded.amount_minor,
         day = excluded.day, checks = 0, check_at_ms = excluded.check_at_ms`,
      ...[refundUniqueId, paymentUniqueId, claimId],
      ...[counted.amountMinor, currency, day, nowMs + CLAIM_CHECK_AFTER_MS],
    );
    this.#recount(known, counted);
    return { type: 'claimed', claimId: known?.claimId ?? claimId };
  }

  /**
   * Deletes the claim of a request that its payment has rejected. If another request shares the
   * claim, it stays, because the payment may still accept that request. `isVoid`: the payment
   * rejects every request with the claim.
   */
  release(refundUniqueId: string, claimId: string, isVoid: boolean): void {
    const sql = `SELECT 1 FROM refund_claims
      WHERE refund_unique_id = ? AND claim_id = ? AND (is_shared = 0 OR ?)`;
    const isFree = this.#first(sql, refundUniqueId, claimId, Number(isVoid)) !== null;
    if (isFree) {
      this.#recount(this.#deleteClaim(refundUniqueId), null);
    }
  }

  /**
   * Records the stage of a payment's refund. The refund counts on the day of its claim, so that no
   * day exceeds its limit at midnight. False when no claim covered a new refund.
   */
  record(paymentUniqueId: string, refund: CountedRefund): boolean {
    const { id, stage, amountMinor, currency } = refund;
    const known = this.#refund(id);
    if (known === null) {
      const isOwn = this.#claim(id)?.paymentUniqueId === paymentUniqueId;
      const claim = isOwn ? this.#deleteClaim(id) : null;
      const day = claim?.day ?? businessDay(refund.createdAtMs);
      this.#insert(paymentUniqueId, { id, stage, amountMinor, currency, day });
      this.#recount(claim, heldIn({ stage, amountMinor, currency, day }));
      return claim !== null;
    }
    if (known.paymentUniqueId === paymentUniqueId) {
      this.#confirm([id]);
    }
    this.#advance(known, paymentUniqueId, refund);
    return true;
  }

  #advance(
    known: RefundRow,
    paymentUniqueId: string,
    { id, stage }: Pick<BackedUpRefund, 'id' | 'stage'>,
  ): void {
    if (known.paymentUniqueId === paymentUniqueId && stage > known.stage) {
      this.#sql.exec('UPDATE refunds SET stage = ? WHERE refund_unique_id = ?', stage, id);
      this.#recount(heldIn(known), heldIn({ ...known, stage }));
    }
  }

  /**
   * Adds a refund of a backup with the day on which it counts. A known refund only moves to a later
   * stage: its part may come after its payment. The payment may have come back without the refund, and
   * would pay it out again: no claim gets its id before the payment confirms it.
   */
  restore(refund: BackedUpRefund): void {
    const { id, paymentUniqueId, stage, amountMinor, currency, day } = refund;
    const known = this.#refund(id);
    if (known === null) {
      this.#insert(paymentUniqueId, refund);
      this.#recount(null, heldIn({ stage, amountMinor, currency, day }));
      this.#sql.exec('INSERT INTO unconfirmed_refunds VALUES (?, ?, 0)', id, paymentUniqueId);
    } else {
      this.#advance(known, paymentUniqueId, refund);
    }
  }

  /** A payment has come back with these refunds. Repeated calls change nothing. */
  restorePayment({ uniqueId, refundUniqueIds }: RestoredPayment): void {
    this.#confirm(refundUniqueIds);
    this.#sql.exec(
      `UPDATE unconfirmed_refunds SET is_payment_back = 1
       WHERE payment_unique_id = ? AND is_payment_back = 0`,
      uniqueId,
    );
  }

  /** The refunds that payments have come back without. */
  lostByPayments(limit: number): readonly LostRefund[] {
    return this.#sql
      .exec<LostRefund & Record<string, SqlStorageValue>>(
        `SELECT refund_unique_id AS refundUniqueId, payment_unique_id AS paymentUniqueId
         FROM unconfirmed_refunds WHERE is_payment_back = 1 LIMIT ?`,
        limit,
      )
      .toArray();
  }

  #isUnconfirmed(id: string): boolean {
    const sql = 'SELECT 1 FROM unconfirmed_refunds WHERE refund_unique_id = ?';
    return this.#first(sql, id) !== null;
  }

  #confirm(ids: readonly string[]): void {
    for (const id of ids) {
      this.#sql.exec('DELETE FROM unconfirmed_refunds WHERE refund_unique_id = ?', id);
    }
  }

  #insert(paymentUniqueId: string, refund: Omit<BackedUpRefund, 'paymentUniqueId'>): void {
    const { id, stage, amountMinor, currency, day } = refund;
    this.#sql.exec(
      `INSERT INTO refunds (refund_unique_id, payment_unique_id, stage, amount_minor, currency, day)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...[id, paymentUniqueId, stage, amountMinor, currency, day],
    );
  }

  /** The payment that has the refund or the claim, or null. */
  paymentOf(refundUniqueId: string): string | null {
    const owner = this.#refund(refundUniqueId) ?? this.#claim(refundUniqueId);
    return owner?.paymentUniqueId ?? null;
  }

  storedAfter(id: string, limit: number): readonly StoredRefund[] {
    const sql =
      'SELECT * FROM refunds WHERE refund_unique_id > ? ORDER BY refund_unique_id LIMIT ?';
    return this.#sql.exec<StoredRefund>(sql, id, limit).toArray();
  }

  /** Claims to settle, the most overdue first. Claims of the last minute are not due yet. */
  due(nowMs: number, limit: number): readonly UnsettledClaim[] {
    return this.#sql
      .exec<UnsettledClaim & Record<string, SqlStorageValue>>(
        `SELECT refund_unique_id AS refundUniqueId, payment_unique_id AS paymentUniqueId,
           claim_id AS claimId, checks
         FROM refund_claims WHERE check_at_ms <= ? ORDER BY check_at_ms LIMIT ?`,
        ...[nowMs, limit],
      )
      .toArray();
  }

  nextCheckAtMs(): number | null {
    const sql = 'SELECT MIN(check_at_ms) AS atMs FROM refund_claims';
    return this.#first<{ atMs: number | null }>(sql)?.atMs ?? null;
  }

  /** After no answer from the payment's object, the wait doubles from a minute to an hour. */
  postpone({ refundUniqueId, claimId, checks }: UnsettledClaim, nowMs: number): void {
    const waitMs = CLAIM_CHECK_AFTER_MS * 2 ** Math.min(checks, 10);
    this.#sql.exec(
      `UPDATE refund_claims SET checks = ?, check_at_ms = ?
       WHERE refund_unique_id = ? AND claim_id = ?`,
      ...[checks + 1, nowMs + Math.min(waitMs, CLAIM_CHECK_WAIT_MS_MAX), refundUniqueId, claimId],
    );
  }

  #refund(id: string): RefundRow | null {
    const sql = `SELECT payment_unique_id AS paymentUniqueId, stage, amount_minor AS amountMinor,
      currency, day FROM refunds WHERE refund_unique_id = ?`;
    return this.#first<RefundRow>(sql, id);
  }

  #claim(id: string): ClaimRow | null {
    const sql = `SELECT ${CLAIM} FROM refund_claims WHERE refund_unique_id = ?`;
    return this.#first<ClaimRow>(sql, id);
  }

  #deleteClaim(id: string): ClaimRow | null {
    const sql = `DELETE FROM refund_claims WHERE refund_unique_id = ? RETURNING ${CLAIM}`;
    return this.#first<ClaimRow>(sql, id);
  }

  #sumOf(day: number, currency: string): number {
    const sql = 'SELECT amount_minor AS sum FROM refund_days WHERE day = ? AND currency = ?';
    return this.#first<{ sum: number }>(sql, day, currency)?.sum ?? 0;
  }

  #recount(before: Counted | null, after: Counted | null): void {
    const isSameDay = before?.day === after?.day && before?.currency === after?.currency;
    if (before !== null && after !== null && isSameDay) {
      this.#add(after, after.amountMinor - before.amountMinor);
    } else {
      this.#add(before, -(before?.amountMinor ?? 0));
      this.#add(after, after?.amountMinor ?? 0);
    }
  }

  #add(counted: Counted | null, amountMinor: number): void {
    if (counted !== null && amountMinor !== 0) {
      this.#sql.exec(
        `INSERT INTO refund_days (day, currency, amount_minor) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET amount_minor = amount_minor + excluded.amount_minor`,
        ...[counted.day, counted.currency, amountMinor],
      );
    }
  }

  #first<Row extends Record<string, SqlStorageValue>>(
    sql: string,
    ...params: readonly SqlStorageValue[]
  ): Row | null {
    return this.#sql.exec<Row>(sql, ...params).toArray()[0] ?? null;
  }
}

/** What a refund counts; null when its amount was released. */
function heldIn({ stage, ...counted }: Counted & { readonly stage: number }): Counted | null {
  return stage === STAGES.given_back ? null : counted;
}
