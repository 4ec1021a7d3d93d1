import {
  type Attempt,
  attemptInFlight,
  chargedMinor,
  hasEnded,
  type Intent,
  type Tenant,
} from '../../src/domain/intent.ts';
import { heldOf } from '../../src/domain/refund-amounts.ts';
import type { ShownPayment, ShownRefund } from '../harness/shown.ts';
import type { Clock } from './clock.ts';
import type { PlannedPayment } from './plan.ts';
import type { Violation } from './verdict.ts';

/** What a merchant was told of a payment that was created. */
export interface CreatedAnswer {
  readonly payment: PlannedPayment;
  readonly key: string | null;
  readonly content: unknown;
  readonly isReplay: boolean;
}

/** A claim's name in the journal: the id of a refund is unique among all payments of a tenant. */
export function claimName({ merchantId, environment }: Tenant, refundId: string): string {
  return [merchantId, environment, refundId].join('/');
}

/** Phones and secrets of the history: none of them may be in a log. */
const SECRETS = /911223344|711223344|whsec_|f0rged/;

/**
 * What the outside was told, and what can be said about each answer at once: states only ever move
 * as the promises allow.
 */
export class Journal {
  readonly violations: Violation[] = [];
  readonly created: CreatedAnswer[] = [];
  readonly canceledPayments: PlannedPayment[] = [];
  readonly refunds: { readonly payment: PlannedPayment; readonly refund: ShownRefund }[] = [];
  readonly canceledRefunds: { readonly payment: PlannedPayment; readonly refundId: string }[] = [];
  /** What the status call answered at some time. */
  readonly reads: { readonly payment: PlannedPayment; readonly content: ShownPayment }[] = [];
  /** Refunds with a request that got no answer, which may leave a claim. */
  readonly refundsInDoubt = new Set<string>();
  /** Kefel has logged that it could not release a claim. */
  hasUnreleasedClaim = false;
  /** Ids of the events that a person sent again, which may arrive after their successors. */
  readonly resentEvents = new Set<string>();
  /** States that the history reached. */
  readonly reached = new Set<string>();
  readonly #clock: Clock;
  readonly #last = new Map<string, Intent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  #violated(promise: string, what: string): void {
    this.#clock.note(`VIOLATION ${promise}: ${what}`);
    this.violations.push({ promise, what });
  }

  expect(isKept: boolean, promise: string, what: () => string): void {
    if (!isKept) {
      this.#violated(promise, what());
    }
  }

  log(line: string): void {
    this.#clock.note(line);
    this.hasUnreleasedClaim ||= line.includes('refund_claim_not_released');
    if (SECRETS.test(line)) {
      this.#violated('10 logs', line);
    }
  }

  /** Every answer that leaves an object. */
  witness(objectId: string, method: string, result: unknown): void {
    const intent: Intent | undefined = Object(result).intent ?? undefined;
    if (intent === undefined || intent === null) {
      return;
    }
    const before = this.#last.get(objectId);
    this.#last.set(objectId, intent);
    if (before === intent) {
      return;
    }
    this.#note(intent);
    this.#checkState(intent, method);
    if (before !== undefined) {
      this.#checkChange(before, intent);
    }
  }

  #note(intent: Intent): void {
    this.reached.add(intent.late ? `${intent.status} late` : intent.status);
    for (const { status } of intent.attempts) {
      this.reached.add(`attempt ${status}`);
    }
    for (const { status } of intent.refunds) {
      this.reached.add(`refund ${status}`);
    }
    for (const { kind } of intent.anomalies) {
      this.reached.add(`anomaly ${kind}`);
    }
  }

  #checkState(intent: Intent, method: string): void {
    const inFlight = intent.attempts.filter(({ status }) => status === 'processing');
    if (inFlight.length > 1) {
      this.#violated('4 one attempt', `${inFlight.length} attempts in flight`);
    }
    const current = attemptInFlight(intent);
    if (intent.status === 'processing' && current === null) {
      this.#violated('4 one attempt', 'processing without an attempt');
    }
    if (hasEnded(intent.status) && intent.status !== 'succeeded' && inFlight.length > 0) {
      this.#violated('5 expiry', `${intent.status} under an attempt in flight`);
    }
    const isExecuted = method === 'read' || method === 'execute';
    if (isExecuted && intent.status === 'open' && Date.now() >= intent.terms.expiresAtMs) {
      this.#violated('5 expiry', 'open after its time');
    }
    for (const attempt of intent.attempts) {
      // A refund that was executed after it had failed is shown, whatever the sum.
      const inTime = { refunds: intent.refunds.filter(({ late }) => !late) };
      const held = heldOf(inTime, attempt);
      const paidMinor =
        attempt.status === 'succeeded' ? chargedMinor(intent.terms, attempt.method) : 0;
      if (held.returnedMinor > paidMinor || held.amountMinor > intent.terms.amountMinor) {
        this.#violated('11 refunds', `${held.returnedMinor} held of ${paidMinor}`);
      }
      const busy = intent.refunds.filter(
        ({ attemptId, status }) => attemptId === attempt.id && status === 'processing',
      );
      if (busy.length > 1) {
        this.#violated('11 refunds', 'two refunds of one attempt at the provider');
      }
    }
  }

  #checkChange(before: Intent, after: Intent): void {
    if (after.version < before.version) {
      this.#violated('6 nothing lost', `version ${after.version} after ${before.version}`);
    }
    const isSame =
      before.terms === after.terms || JSON.stringify(before.terms) === JSON.stringify(after.terms);
    if (!isSame) {
      this.#violated('7 terms', 'changed');
    }
    if (before.status === 'succeeded' && after.status !== 'succeeded') {
      this.#violated('3 success', `succeeded, then ${after.status}`);
    }
    if (before.paidAttemptId !== null && before.paidAttemptId !== after.paidAttemptId) {
      this.#violated('3 success', 'another attempt has paid');
    }
    for (const [index, attempt] of before.attempts.entries()) {
      const next = after.attempts[index];
      if (next?.id !== attempt.id || !mayFollow(attempt, next)) {
        this.#violated('3 success', `attempt ${attempt.status}, then ${next?.status}`);
      }
    }
    for (const [index, refund] of before.refunds.entries()) {
      const next = after.refunds[index];
      if (
        next?.id !== refund.id ||
        (refund.status === 'succeeded' && next.status !== 'succeeded')
      ) {
        this.#violated('11 refunds', `refund ${refund.id} was succeeded or is gone`);
      }
    }
  }
}

/** An outcome is final, but for proof of payment, which the simulator never has. */
function mayFollow(before: Attempt, after: Attempt): boolean {
  const isPending = before.status === 'processing' || before.status === 'unresolved';
  const isProof =
    after.status === 'succeeded' && (before.railId !== 'simulator' || before.status !== 'failed');
  return isPending || before.status === after.status || isProof;
}
