import type { Config } from '../../engine/config.ts';
import { paidAtMs } from '../../engine/domain/intent.ts';
import { normalizedReceipt } from '../../engine/domain/receipt.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { projectionRow } from '../../engine/intent/projected-view.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { amountMinorWritten } from '../../kit/typed-amount.ts';
import { readerOf } from '../../lists/book/reader.ts';
import type { ListedPayment, PaymentHit } from '../../lists/book/rows.ts';
import { isReceiptKnown } from './receipts.ts';

/**
 * "Did this customer pay?": what a seller reads off the customer's phone, and whose payment it is. One
 * text is looked for as all that it may be.
 */

/** More would not tell a seller which customer is in front of them. */
const PAID_ROWS_MAX = 10;
/** Many payments have the same amount, and a customer who stands there has just paid. */
const AMOUNT_SEARCHED_MS = 24 * 60 * 60 * 1_000;
/** Every provider's receipt is longer. What is shorter is not looked up over all merchants. */
const RECEIPT_LENGTH_MIN = 8;

export interface DidPay {
  /** The merchant's own payments that fit, newest first. */
  readonly payments: readonly (PaymentHit | ListedPayment)[];
  /** There may be more. */
  readonly isFull: boolean;
  /**
   * Without payments of its own: whether another merchant's payment has this receipt. `not_asked`: it
   * is too short for one. Says nothing about that payment.
   */
  readonly elsewhere: 'another_merchant' | 'nowhere' | 'not_asked' | 'unknown';
}

interface Asking {
  readonly env: Env;
  readonly config: Config;
  readonly nowMs: number;
}

export async function findPaid(asking: Asking, tenant: Tenant, typed: string): Promise<DidPay> {
  const { env, nowMs } = asking;
  const shownMinor = amountMinorWritten(typed);
  const reader = await readerOf(env, tenant);
  const createdFromMs = nowMs - AMOUNT_SEARCHED_MS;
  const [hits, page] = await Promise.all([
    reader.found(typed),
    shownMinor === null
      ? null
      : reader.listed({ shownMinor, createdFromMs }, null, PAID_ROWS_MAX + 1),
  ]);
  const found = new Map<string, PaymentHit | ListedPayment>();
  for (const payment of [...hits, ...(page?.rows ?? [])]) {
    found.set(payment.uuid, found.get(payment.uuid) ?? payment);
  }
  const payments = [...found.values()].sort((one, other) => other.createdAtMs - one.createdAtMs);
  const shown = payments.slice(0, PAID_ROWS_MAX);
  return {
    payments: await Promise.all(shown.map((payment) => upToDate(env, tenant, payment))),
    isFull: payments.length > PAID_ROWS_MAX || (page?.nextCursor ?? null) !== null,
    elsewhere: payments.length > 0 ? 'not_asked' : await elsewhereOf(asking, tenant, typed),
  };
}

/** As the payment's object has it: the book learns of a payment's progress later than of its end. */
async function upToDate<Row extends ListedPayment>(
  env: Env,
  tenant: Tenant,
  payment: Row,
): Promise<Row> {
  const client = await intentByUniqueId(env, tenant, payment.uniqueId);
  const intent = await client.read();
  if (intent === null) {
    return payment;
  }
  const { status, method, unresolvedAttempts, anomalies, refundedMinor, openRefunds } =
    projectionRow(intent);
  return {
    ...payment,
    ...{ status, method, unresolvedAttempts, anomalies, refundedMinor, openRefunds },
    paidAtMs: paidAtMs(intent),
  };
}

async function elsewhereOf(
  { env, config }: Asking,
  { environment, merchantId }: Tenant,
  typed: string,
): Promise<DidPay['elsewhere']> {
  const text = normalizedReceipt(typed);
  if (text.length < RECEIPT_LENGTH_MIN || !/\d/.test(text)) {
    return 'not_asked';
  }
  const { RECEIPT_LOOKUP_RATE_LIMIT: limiter } = env;
  if (!(await isWithinLimit(config, limiter, `${environment}/${merchantId}`))) {
    return 'unknown';
  }
  try {
    return (await isReceiptKnown(env, environment, typed)) ? 'another_merchant' : 'nowhere';
  } catch (error) {
    log('warn', 'receipt_not_looked_up', { error: errorText(error) });
    return 'unknown';
  }
}
