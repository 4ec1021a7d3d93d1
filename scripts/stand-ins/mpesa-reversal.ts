import { randomBytes } from 'node:crypto';
import { addisDigits } from './clock.ts';
import type { ReversalRequest } from './mpesa-request.ts';
import {
  type CallbackAnswer,
  type CallbackVariant,
  postCallback,
  type RefundPlan,
  type StandInRefund,
} from './stand-in.ts';

interface Result {
  readonly code: number | string;
  readonly text: string;
}

const RETURNED: Result = { code: 0, text: 'The service request is processed successfully.' };
const NOT_FOUND: Result = { code: 'R000002', text: 'The OriginalTransactionID is invalid.' };
const REVERSED: Result = { code: 'R000001', text: 'The transaction has already been reversed.' };
const NO_FUNDS: Result = { code: 1, text: 'The balance is insufficient.' };
/** Invented: M-PESA reverses whole payments. */
const WRONG_AMOUNT: Result = { code: 'R000099', text: 'The amount is not the transaction’s.' };

/** What a reversal asks of the order whose receipt it names. */
interface Reversible {
  readonly amountText: string;
  readonly refunds: readonly StandInRefund[];
}

/** A reversal that M-PESA accepted, and its result. */
export class MpesaReversal implements StandInRefund {
  readonly reference: string;
  readonly amountText: string;
  /** As in its answer. */
  readonly conversationId: string;
  readonly #request: ReversalRequest;
  readonly #receipt = randomReceipt();
  readonly #result: Result;

  /** `order`: the paid one with this receipt, if there is one. */
  constructor(
    request: ReversalRequest,
    order: Reversible | undefined,
    refuses: RefundPlan['refuses'],
  ) {
    this.reference = request.OriginatorConversationID;
    this.amountText = request.Amount;
    this.conversationId = newConversationId();
    this.#request = request;
    this.#result = resultOf(request, order, refuses);
  }

  get isReturned(): boolean {
    return this.#result === RETURNED;
  }

  async report(variant: CallbackVariant = 'genuine'): Promise<CallbackAnswer> {
    const body = JSON.stringify({ Result: this.#body(variant) });
    const sent = variant === 'unreadable' ? body.slice(0, -10) : body;
    return postCallback(this.#request.ResultURL, 'application/json', sent);
  }

  #body(variant: CallbackVariant): Readonly<Record<string, unknown>> {
    const { OriginatorConversationID: reference, TransactionID: receipt } = this.#request;
    const isForged = variant === 'forged';
    const { code, text } = variant === 'genuine' ? this.#result : RETURNED;
    const parameters = [
      { Key: 'DebitAccountBalance', Value: 'Utility Account|ETB|7722179.62|7722179.62|0.00|0.00' },
      { Key: 'Amount', Value: Number(this.amountText) + (variant === 'wrong_amount' ? 1 : 0) },
      { Key: 'TransCompletedTime', Value: Number(addisDigits(Date.now())) },
      { Key: 'Charge', Value: 0 },
    ];
    const original = {
      Key: 'OriginalTransactionID',
      Value: variant === 'other_order' ? randomReceipt() : receipt,
    };
    return {
      ResultType: 0,
      ResultCode: code,
      ResultDesc: text,
      // A forger knows the URL, but neither our reference nor the receipt.
      OriginatorConversationID: isForged ? `${randomBytes(8).toString('hex')}-1` : reference,
      ConversationID: isForged ? newConversationId() : this.conversationId,
      TransactionID: this.#receipt,
      ...(code === RETURNED.code && {
        ResultParameters: { ResultParameter: isForged ? parameters : [...parameters, original] },
      }),
    };
  }
}

function resultOf(
  { Amount }: ReversalRequest,
  order: Reversible | undefined,
  refuses: RefundPlan['refuses'],
): Result {
  if (order === undefined || refuses === 'declines') {
    return NOT_FOUND;
  }
  if (order.refunds.some(({ isReturned }) => isReturned)) {
    return REVERSED;
  }
  if (refuses === 'lacks_funds') {
    return NO_FUNDS;
  }
  return Number(Amount) === Number(order.amountText) ? RETURNED : WRONG_AMOUNT;
}

function newConversationId(): string {
  const day = addisDigits(Date.now()).slice(0, 8);
  return `AG_${day}_${randomBytes(10).toString('hex')}`;
}

export function randomReceipt(): string {
  return randomBytes(5).toString('hex').toUpperCase();
}
