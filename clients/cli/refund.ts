import { randomBytes } from 'node:crypto';
import { KefelError, type Refund } from '../typescript/kefel.ts';
import { accessOf, clientOf } from './access.ts';
import { type Command, type Given, UsageError } from './command.ts';
import { print, printNote } from './output.ts';

export const refund: Command = {
  arguments: 'PAYMENT',
  argumentsMin: 1,
  argumentsMax: 1,
  summary: 'Return a payment to its customer, or a part of it',
  about: `PAYMENT: your paymentIntentUniqueId. The outcome comes by webhook; kefel refunds ID shows it.
In the sandbox some amounts have a fixed outcome: docs/sandbox.md lists them.`,
  options: {
    'amount-minor': {
      value: 'N',
      about: 'a part, without commission, in minor units: 1050 is 10.50 (default: what is left)',
    },
    amount: {
      value: 'AMOUNT',
      about: 'use --amount-minor, in minor units: 5000 is 50.00',
      isRefused: true,
    },
    reason: { value: 'TEXT', about: 'for you: the customer does not see it' },
    id: { value: 'ID', about: 'its refundUniqueId, which works once (default: a new one)' },
    transaction: { value: 'ID', about: 'another transaction of a payment that was paid twice' },
    live: { value: null, about: 'return real money, with a key of production' },
    json: { value: null, about: 'print the answer as JSON, for programs' },
  },
  async run(given) {
    const [paymentIntentUniqueId = ''] = given.arguments;
    const amountMinor = amountIn(given);
    const access = await accessOf(given);
    const isLive = access.apiKey.startsWith('kfl_live_');
    if (isLive && !given.has('live')) {
      throw new UsageError(`This key is of production: add --live to return real money.`);
    }
    const refundUniqueId = given.text('id') ?? newRefundId();
    const { refunds } = clientOf(access);
    try {
      const created = await refunds.create({
        paymentIntentUniqueId,
        refundUniqueId,
        ...(amountMinor !== null && { amountMinor }),
        reason: given.text('reason') ?? null,
        transactionId: given.text('transaction') ?? null,
      });
      print(given.has('json') ? JSON.stringify(created, null, 2) : summaryOf(created));
    } catch (error) {
      if (mayExist(error)) {
        printNote(
          `The refund may exist. Before you refund again, look: kefel refunds ${refundUniqueId}`,
        );
      }
      throw error;
    }
  },
};

export function newRefundId(): string {
  return `refund-${randomBytes(6).toString('hex')}`;
}

/** `10.50 ETB`, from minor units. */
export function moneyText(amountMinor: number, currency: string): string {
  return `${(amountMinor / 100).toFixed(2)} ${currency}`;
}

/** In minor units; null: all that is left. A mistyped amount must not return everything. */
function amountIn(given: Given): number | null {
  const text = given.text('amount-minor');
  if (text !== undefined && !/^[1-9]\d{0,14}$/.test(text)) {
    throw new UsageError(
      `--amount-minor takes a whole number of minor units, such as 1050 for 10.50, not "${text}"`,
    );
  }
  return text === undefined ? null : Number(text);
}

function summaryOf(created: Refund): string {
  const { refundUniqueId, status, amountMinor, currency, paymentIntentUniqueId } = created;
  const money = moneyText(amountMinor, currency);
  return `${refundUniqueId}: ${status}, ${money} of ${paymentIntentUniqueId}`;
}

/** Whether a try may have reached the gateway (docs/clients.md#errors). */
function mayExist(error: unknown): boolean {
  return (
    !(error instanceof KefelError) ||
    error.status === 429 ||
    error.status >= 500 ||
    error.code === 'idempotency_key_in_use'
  );
}
