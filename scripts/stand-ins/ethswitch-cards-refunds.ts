import { randomInt } from 'node:crypto';
import type { RefundPlan, StandInRefund } from './stand-in.ts';

/** What the card gateway's stand-in requires of a refund or a reversal, and what it returned. */

const REVERSE_FORM = {
  userName: /./,
  password: /./,
  orderId: /^[0-9a-f-]{36}$/,
  language: /^[a-z]{2}$/,
};

const REFUND_FORM = {
  ...REVERSE_FORM,
  // 0 would refund the whole order.
  amount: /^[1-9]\d{0,11}$/,
  currency: /^(?:230|840)$/,
  externalRefundId: /^[A-Z0-9]{1,32}$/,
  expectedDepositedAmount: /^\d{1,12}$/,
};

export const RETURN_FORMS = { refund: REFUND_FORM, reverse: REVERSE_FORM } as const;

type Fields = Readonly<Record<string, string>>;

/** Why the gateway refuses, as it answers; null when it has acted. */
export type RefundProblem = { readonly code: number; readonly message: string } | null;

interface Entry extends StandInRefund {
  /** Null for a reversal. */
  readonly externalRefundId: string | null;
  readonly referenceNumber: string;
  readonly amountMinor: number;
  readonly atMs: number;
}

const DENIED = { code: 5, message: 'Access denied' };
const IMPOSSIBLE = { code: 7, message: 'Refund is impossible for current transaction state' };
const IRREVERSIBLE = { code: 7, message: 'Reversal is impossible for current transaction state' };

/** What went back of one order. */
export class CardsRefunds {
  readonly #entries: Entry[] = [];
  readonly #paidMinor: number;
  #mayReverse = true;

  constructor(paidMinor: number) {
    this.#paidMinor = paidMinor;
  }

  get all(): readonly StandInRefund[] {
    return this.#entries;
  }

  get isReversed(): boolean {
    return this.#entries.some(({ externalRefundId }) => externalRefundId === null);
  }

  get returnedMinor(): number {
    return this.#entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  }

  /** The refunds by number, as the newest answers list them, without reversals. */
  get listed(): readonly object[] {
    return this.#entries.flatMap(({ externalRefundId, referenceNumber, amountMinor, atMs }) =>
      externalRefundId === null
        ? []
        : [{ date: atMs, externalRefundId, actionCode: '0', referenceNumber, amount: amountMinor }],
    );
  }

  refund(form: Fields, isPaid: boolean, { refuses }: RefundPlan): RefundProblem {
    const number = form.externalRefundId ?? '';
    if (this.#entries.some(({ externalRefundId }) => externalRefundId === number)) {
      // The vendor's idempotency: success again, and no money moves.
      return null;
    }
    if (refuses !== undefined) {
      return refuses === 'not_enabled' ? DENIED : IMPOSSIBLE;
    }
    if (!isPaid || this.isReversed) {
      return IMPOSSIBLE;
    }
    const depositedMinor = this.#paidMinor - this.returnedMinor;
    const amountMinor = Number(form.amount);
    if (amountMinor > depositedMinor) {
      return { code: 7, message: 'Refund amount exceeds deposited amount' };
    }
    if (Number(form.expectedDepositedAmount) !== depositedMinor) {
      // The real text is not public.
      return { code: 7, message: 'expectedDepositedAmount differs' };
    }
    this.#add(number, amountMinor);
    return null;
  }

  /** Works once: also after an error, the stand-in reverses nothing more. */
  reverse(isPaid: boolean, { refuses }: RefundPlan): RefundProblem {
    const isPossible = this.#mayReverse && isPaid && this.#entries.length === 0;
    this.#mayReverse = false;
    if (!isPossible || refuses !== undefined) {
      return refuses === 'not_enabled' ? DENIED : IRREVERSIBLE;
    }
    this.#add(null, this.#paidMinor);
    return null;
  }

  #add(externalRefundId: string | null, amountMinor: number): void {
    this.#entries.push({
      externalRefundId,
      referenceNumber: String(randomInt(1e11, 9e11)),
      amountMinor,
      amountText: String(amountMinor),
      isReturned: true,
      atMs: Date.now(),
    });
  }
}
