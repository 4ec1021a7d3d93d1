import { printableCode } from '../domain/provider-code.ts';
import { log } from '../platform/log.ts';

/** A provider's answer that an operator may need: no outcome, a refusal, a failure. */
export interface RailLogEntry {
  readonly rail: string;
  /** The provider's name for the call, or `callback`. */
  readonly call: string;
  /** The attempt's reference, which the merchant knows as `transactionId`. */
  readonly reference: string;
  /** The provider's own id of the order, where the provider looks orders up by that. */
  readonly railReference?: string | undefined;
  /** HTTP status; null when no answer came. */
  readonly status?: number | null;
  /** The code or state as the provider wrote it; null when it gave none. */
  readonly providerCode: string | null;
  /** `info` for what customers and their accounts cause; `warn` by default. */
  readonly level?: 'info' | 'warn';
}

/** Logs `rail_answer`. The attempt also keeps the provider's last code (`providerCode`). */
export function logRailAnswer(entry: RailLogEntry): void {
  const { rail, call, reference, railReference, status, providerCode, level = 'warn' } = entry;
  log(level, 'rail_answer', {
    rail,
    call,
    reference,
    ...(railReference !== undefined && { railReference }),
    ...(typeof status === 'number' && { status }),
    providerCode: providerCode === null ? null : (printableCode(providerCode) ?? '(unprintable)'),
  });
}
