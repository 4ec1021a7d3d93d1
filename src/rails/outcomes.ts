import type { Outcome } from '../domain/attempt.ts';
import { printableCode } from '../domain/provider-code.ts';
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

/** Undecided until the next query; with 0 `checks`, that one comes soon. */
export function unknownUntilQuery(
  { attempt }: RailOrder,
  nowMs: number,
  checks = attempt.checks,
): Extract<Outcome, { readonly type: 'unknown' }> {
  return { type: 'unknown', checkAtMs: nextCheckAtMs(checks, attempt.startedAtMs, nowMs) };
}
