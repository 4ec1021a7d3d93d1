import { printableCode } from '../domain/provider-code.ts';
import { log } from '../log.ts';

/** What a rail said, where an operator may have to know it: no outcome, a refusal, a failure. */
export interface RailLogEntry {
  readonly rail: string;
  /** What the rail was asked, or `callback`. */
  readonly call: string;
  /** The attempt's: what the merchant knows as `transactionId`. */
  readonly reference: string;
  /** What the rail knows the order by, where it must be looked up by something else. */
  readonly railReference?: string | undefined;
  /** Of HTTP; undefined when no answer came. */
  readonly status?: number | undefined;
  /** The code or state, as the rail wrote it; null when it gave none. */
  readonly providerCode: string | null;
  /** `info` for what customers and their accounts bring about; `warn`, unless said otherwise. */
  readonly level?: 'info' | 'warn';
}

/** One line, `rail_answer`. The attempt keeps the provider's last code (`providerCode`). */
export function logRailAnswer(entry: RailLogEntry): void {
  const { rail, call, reference, railReference, status, providerCode, level = 'warn' } = entry;
  log(level, 'rail_answer', {
    rail,
    call,
    reference,
    ...(railReference !== undefined && { railReference }),
    ...(status !== undefined && { status }),
    providerCode: providerCode === null ? null : (printableCode(providerCode) ?? '(unprintable)'),
  });
}
