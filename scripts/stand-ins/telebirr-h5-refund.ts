import { randomInt } from 'node:crypto';
import type { RefundPlan, StandInRefund } from './stand-in.ts';

/** A refund at telebirr, which answers only about the order of it afterwards. */
export class TelebirrRefund implements StandInRefund {
  readonly refundOrderId = String(randomInt(1e11, 9e11)).padStart(24, '0');
  /** `refund_request_no`, as received. */
  readonly number: string;
  readonly amountText: string;
  readonly #ending: 'REFUND_SUCCESS' | 'REFUND_FAILED';
  #isOpen: boolean;

  constructor(
    number: string,
    amountText: string,
    { refuses, isSlow = false, endsAfterMs }: RefundPlan,
  ) {
    this.number = number;
    this.amountText = amountText;
    this.#ending = refuses === undefined ? 'REFUND_SUCCESS' : 'REFUND_FAILED';
    this.#isOpen = isSlow;
    if (endsAfterMs !== undefined) {
      setTimeout(() => this.end(), endsAfterMs).unref();
    }
  }

  get state(): 'REFUNDING' | 'REFUND_SUCCESS' | 'REFUND_FAILED' {
    return this.#isOpen ? 'REFUNDING' : this.#ending;
  }

  get isReturned(): boolean {
    return this.state === 'REFUND_SUCCESS';
  }

  end(): void {
    this.#isOpen = false;
  }
}
