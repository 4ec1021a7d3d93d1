import type { OtherPayment } from '../../engine/domain/intent.ts';
import type { Method } from '../../engine/domain/method.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { type Cursor, parseCursor } from '../../kit/platform/paging.ts';
import { Unavailable } from '../../kit/platform/unavailable.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import type { PaidPayment } from '../../lists/book/queries/provider-files.ts';
import type { DayRange } from '../../lists/book/rows.ts';
import { volumesOf } from '../../lists/book/volumes.ts';
import { paymentsOfReferences, paymentsWithReceipts } from '../../lists/receipts/find.ts';
import { merchantsOfLostBooks } from '../health/lost-books.ts';
import type { PaymentFacts } from './judge.ts';
import type { FileLine } from './lines.ts';

/** Asks the index and the merchants' books about the lines of a step. Throws Unavailable. */

export interface FoundPayments {
  readonly of: (line: FileLine) => readonly OtherPayment[];
  readonly factsOf: (payment: OtherPayment) => PaymentFacts | null;
}

/** `named`: further payments, which operators have assigned to lines. */
export async function findPayments(
  env: Env,
  environment: Environment,
  lines: readonly FileLine[],
  named: readonly OtherPayment[] = [],
): Promise<FoundPayments> {
  const [byReceipt, byReference] = await Promise.all([
    paymentsWithReceipts(env, environment, distinct(lines.map(({ receipt }) => receipt))),
    paymentsOfReferences(env, environment, distinct(lines.map(({ reference }) => reference))),
  ]);
  const of = ({ receipt, reference }: FileLine): readonly OtherPayment[] => {
    const own = reference === null ? undefined : byReference.get(reference);
    // Our reference names one payment, also when another one claims the receipt.
    return own === undefined ? (byReceipt.get(receipt ?? '') ?? []) : [own];
  };
  const facts = await factsOfAll(env, environment, [...lines.flatMap(of), ...named]);
  return { of, factsOf: (payment) => facts.get(nameOf(payment)) ?? null };
}

function distinct(texts: readonly (string | null)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== null))];
}

/** Merchants' ids have no slash. */
function nameOf({ merchantId, uniqueId }: OtherPayment): string {
  return `${merchantId}/${uniqueId}`;
}

async function factsOfAll(
  env: Env,
  environment: Environment,
  payments: readonly OtherPayment[],
): Promise<ReadonlyMap<string, PaymentFacts>> {
  const byMerchant = Map.groupBy(payments, ({ merchantId }) => merchantId);
  const lost = await merchantsOfLostBooks(env.DB, environment);
  const unreadable = [...byMerchant.keys()].filter((merchantId) => lost.has(merchantId));
  if (unreadable.length > 0) {
    throw new Unavailable(`lost books of ${unreadable.join()}`);
  }
  const answers = await concurrently([...byMerchant], async ([merchantId, own]) => {
    const volumes = await volumesOf(env, { environment, merchantId });
    const found = await volumes.askAll('facts', distinct(own.map(({ uniqueId }) => uniqueId)));
    return found.flat().map((facts): PaymentFacts => ({ merchantId, ...facts }));
  });
  return new Map(answers.flat().map((facts) => [nameOf(facts), facts]));
}

export interface PaidPage {
  readonly rows: readonly PaidPayment[];
  readonly next: string | null;
}

/** A page of a merchant's payments that were paid by a method in these days, in the order of that. */
export async function paidPage(
  env: Env,
  tenant: Tenant,
  method: Method,
  days: DayRange,
  after: string | null,
  limit: number,
): Promise<PaidPage> {
  const volumes = await volumesOf(env, tenant);
  const cursor: Cursor | null = after === null ? null : parseCursor(after);
  const page = await volumes.page(
    cursor,
    limit,
    (volume, start, rows) => volumes.ask(volume, 'paidPayments', method, days, start, rows),
    true,
  );
  return { rows: page.rows, next: page.nextCursor };
}
