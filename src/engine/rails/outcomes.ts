import type { Outcome } from '../domain/attempt.ts';
import { printableCode } from '../domain/provider-code.ts';
import { isSameReceipt } from '../domain/receipt.ts';
import { nextCheckAtMs } from '../domain/schedule.ts';
import type { RailOrder } from './rail-order.ts';

/** Adds the provider's own code or state to an outcome or a start result, if it is printable. */
export function withProviderCode<const Result extends { readonly type: string }>(
  result: Result,
  providerCode: string | null,
): Result & { readonly providerCode?: string } {
  const printable = printableCode(providerCode);
  return printable === null ? result : { ...result, providerCode: printable };
}

/**
 * The receipt of a payment among the ids that an answer has, the best one first: the one that we know
 * of the payment, because an earlier answer may have lacked the better id, or this one lacks it.
 */
export function receiptAmong(
  ids: readonly (string | null)[],
  { attempt }: RailOrder,
): string | null {
  const named = ids.filter((id) => id !== null);
  const proved = attempt.isProved ? attempt.receipt : null;
  const known = named.find((id) => isSameReceipt(id, attempt.receipt));
  return known ?? ids[0] ?? proved ?? named[0] ?? null;
}

/** Undecided until the next query; with 0 `checks`, that one comes soon. */
export function unknownUntilQuery(
  { attempt }: RailOrder,
  nowMs: number,
  checks = attempt.checks,
): Extract<Outcome, { readonly type: 'unknown' }> {
  return { type: 'unknown', checkAtMs: nextCheckAtMs(checks, attempt.startedAtMs, nowMs) };
}
