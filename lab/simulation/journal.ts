import type { Attempt } from '../../src/engine/domain/attempt.ts';
import { attemptInFlight, hasEnded, type Intent } from '../../src/engine/domain/intent.ts';
import { heldOf } from '../../src/engine/domain/refund-amounts.ts';
import { chargedMinor } from '../../src/engine/domain/terms.ts';
import type { ShownPayment, ShownRefund } from '../harness/shown.ts';
import type { Clock } from './clock.ts';
import { keyOf } from './merchants.ts';
import type { PlannedPayment } from './plan.ts';

/** A promise of docs/promises.md that a history broke. */
export interface Violation {
  /** Its number, and one or two words. */
  readonly promise: string;
  readonly what: string;
}

/** What a merchant was told of a payment that was created. */
export interface CreatedAnswer {
  readonly payment: PlannedPayment;
  readonly key: string | null;
  readonly content: unknown;
  readonly isReplay: boolean;
}

type AnswerCounts = Readonly<
  Record<'created' | 'canceledPayments' | 'refunds' | 'canceledRefunds', number>
>;

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
  /** Ids of the events that a person sent again, which may arrive after their successors. */
  readonly resentEvents = new Set<string>();
  /** States that the history reached. */
  readonly reached = new Set<string>();
  /** Every attempt that an object has shown or the provider has got, by its reference. */
  readonly #attempts = new Map<string, Intent['terms']>();
  /** Those that no backup had when the gateway was lost. */
  readonly lostAttempts = new Map<string, Intent['terms']>();
  /** Ids of refunds that merchants asked for, by payment. */
  readonly #askedRefunds = new Map<string, Set<string>>();
  /** Those of which no payment in the backup knew when the gateway was lost. */
  readonly lostRefunds = new Map<string, ReadonlySet<string>>();
  readonly #clock: Clock;
  readonly #last = new Map<string, Intent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a violation unless the promise is kept. */
  readonly expect = (promise: string, isKept: boolean, what: string): void => {
    if (!isKept) {
      this.#clock.note(`VIOLATION ${promise}: ${what}`);
      this.violations.push({ promise, what });
    }
  };

  /** Compares what is shown with what it must be, member by member. */
  readonly same = (
    promise: string,
    where: string,
    shown: object | undefined,
    wanted: object,
  ): void => {
    for (const [name, value] of Object.entries(wanted)) {
      const found: unknown = Object(shown)[name];
      this.expect(
        promise,
        found === value,
        `${name} of ${where} is ${String(found)}, and must be ${String(value)}`,
      );
    }
  };

  /** How many answers there are. */
  counts(): AnswerCounts {
    const { created, canceledPayments, refunds, canceledRefunds } = this;
    return {
      created: created.length,
      canceledPayments: canceledPayments.length,
      refunds: refunds.length,
      canceledRefunds: canceledRefunds.length,
    };
  }

  noteRefundRequest({ merchant, uniqueId }: PlannedPayment, refundId: string): void {
    const key = keyOf(merchant, uniqueId);
    this.#askedRefunds.set(key, (this.#askedRefunds.get(key) ?? new Set()).add(refundId));
  }

  /**
   * Only answers about what the backup has bind a restored gateway. `answered`: how many of them a calm
   * gateway had given before the backup, which must have them.
   */
  lose(payments: ReadonlyMap<string, Intent>, answered: AnswerCounts | null): void {
    const intentOf = ({ merchant, uniqueId }: PlannedPayment) =>
      payments.get(keyOf(merchant, uniqueId));
    const refundOf = (payment: PlannedPayment, refundId: string) =>
      intentOf(payment)?.refunds.find(({ id }) => id === refundId);
    const keep = <Answer>(
      name: keyof AnswerCounts,
      all: Answer[],
      isBackedUp: (one: Answer) => boolean,
    ) => {
      const early = all.slice(0, answered?.[name] ?? 0);
      this.expect('12 backup', early.every(isBackedUp), `the backup lacks an answer: ${name}`);
      all.splice(0, all.length, ...all.filter(isBackedUp));
    };
    keep('created', this.created, ({ payment }) => intentOf(payment) !== undefined);
    keep('canceledPayments', this.canceledPayments, (payment) => {
      const intent = intentOf(payment);
      return intent?.status === 'canceled' || intent?.late === true;
    });
    keep(
      'refunds',
      this.refunds,
      ({ payment, refund }) => refundOf(payment, refund.refundUniqueId) !== undefined,
    );
    keep(
      'canceledRefunds',
      this.canceledRefunds,
      ({ payment, refundId }) => refundOf(payment, refundId)?.status === 'canceled',
    );
    this.reads.length = 0;
    this.#last.clear();
    const known = new Set(
      [...payments.values()].flatMap(({ attempts }) => attempts.map(({ reference }) => reference)),
    );
    for (const [reference, terms] of this.#attempts) {
      if (!known.has(reference)) {
        this.lostAttempts.set(reference, terms);
      }
    }
    for (const [key, ids] of this.#askedRefunds) {
      const backedUp = payments.get(key)?.refunds.map(({ id }) => id) ?? [];
      const lost = [...ids].filter((id) => !backedUp.includes(id));
      this.lostRefunds.set(key, new Set(lost));
    }
  }

  log(line: string): void {
    this.#clock.note(line);
    this.expect('11 refunds', !line.includes('refund_without_claim'), line);
    this.expect('9 reports', !line.includes('unknown_order'), line);
    this.expect('10 logs', !SECRETS.test(line), line);
  }

  noteAttempt(reference: string, terms: Intent['terms']): void {
    this.#attempts.set(reference, terms);
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
    for (const { status, reference, failureReason, claimedReceipts } of intent.attempts) {
      this.reached.add(`attempt ${status}`);
      if (failureReason === 'rail_unavailable') {
        this.reached.add('attempt refused by an outage');
      }
      if (claimedReceipts !== undefined) {
        this.reached.add(`attempt ${status} with a claim`);
      }
      this.noteAttempt(reference, intent.terms);
    }
    for (const { status } of intent.refunds) {
      this.reached.add(`refund ${status}`);
    }
    for (const { kind } of intent.anomalies) {
      this.reached.add(`anomaly ${kind}`);
    }
  }

  #checkState(intent: Intent, method: string): void {
    const { status, terms } = intent;
    const inFlight = intent.attempts.filter((attempt) => attempt.status === 'processing').length;
    const isIdle = status === 'processing' && attemptInFlight(intent) === null;
    const isEndedUnpaid = hasEnded(status) && status !== 'succeeded';
    const isExecuted = method === 'read' || method === 'execute';
    const isHeld = intent.anomalies.some(
      ({ kind, reviewedAtMs }) => kind === 'restored' && reviewedAtMs === null,
    );
    const isOverdue = isExecuted && status === 'open' && !isHeld && Date.now() >= terms.expiresAtMs;
    this.expect('4 one attempt', inFlight <= 1, `${inFlight} attempts in flight`);
    this.expect('4 one attempt', !isIdle, 'processing without an attempt');
    this.expect('5 expiry', !isEndedUnpaid || inFlight === 0, `${status} under an attempt`);
    this.expect('5 expiry', !isOverdue, 'open after its time');
    for (const attempt of intent.attempts) {
      // The journal shows a refund of any sum that the provider executed after it had failed.
      const inTime = { refunds: intent.refunds.filter(({ late }) => !late) };
      const held = heldOf(inTime, attempt);
      const paidMinor = attempt.status === 'succeeded' ? chargedMinor(terms, attempt.method) : 0;
      const fits = held.returnedMinor <= paidMinor && held.amountMinor <= terms.amountMinor;
      this.expect('11 refunds', fits, `${held.returnedMinor} held of ${paidMinor}`);
      const busy = intent.refunds.filter(
        (refund) => refund.attemptId === attempt.id && refund.status === 'processing',
      );
      this.expect('11 refunds', busy.length <= 1, 'two refunds of one attempt at the provider');
    }
  }

  #checkChange(before: Intent, after: Intent): void {
    const isLater = after.version >= before.version;
    this.expect('6 nothing lost', isLater, `version ${after.version} after ${before.version}`);
    const areTermsKept =
      before.terms === after.terms || JSON.stringify(before.terms) === JSON.stringify(after.terms);
    this.expect('7 terms', areTermsKept, 'changed');
    const isSuccessKept = before.status !== 'succeeded' || after.status === 'succeeded';
    this.expect('3 success', isSuccessKept, `succeeded, then ${after.status}`);
    const { paidAttemptId } = before;
    const isPayerKept = paidAttemptId === null || paidAttemptId === after.paidAttemptId;
    this.expect('3 success', isPayerKept, 'another attempt has paid');
    for (const [index, attempt] of before.attempts.entries()) {
      const next = after.attempts[index];
      const isKept = next?.id === attempt.id && mayFollow(attempt, next);
      this.expect('3 success', isKept, `attempt ${attempt.status}, then ${next?.status}`);
    }
    for (const [index, { id, status }] of before.refunds.entries()) {
      const next = after.refunds[index];
      const isKept = next?.id === id && (status !== 'succeeded' || next.status === status);
      this.expect('11 refunds', isKept, `refund ${id} was succeeded or is gone`);
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
