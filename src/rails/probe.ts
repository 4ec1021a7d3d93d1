import { REFERENCE_LENGTH, referenceFrom } from '../domain/identifiers.ts';
import { printableCode } from '../domain/provider-code.ts';
import type { RailAnswer } from './call-rail.ts';
import type { ProbeOutcome, ProbeResult } from './rail.ts';

/** What the probes of all rails have in common. */

/** A reference that nothing has yet: no order can exist by it. */
export function newReference(): string {
  return referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH)));
}

/** HTTP status; null when no answer came. */
export function statusOf(answer: RailAnswer): number | null {
  return answer.type === 'answered' ? answer.status : null;
}

/** The provider, its gateway or the relay wants other credentials, or a call at another URL. */
export const REFUSING_STATUSES: readonly (number | null)[] = [401, 403, 404, 405];

/** Without an outcome of its own, a call is judged by its HTTP status and by having a code. */
export function probed(
  call: string,
  status: number | null,
  {
    providerCode = null,
    outcome = outcomeOf(status, providerCode),
    settings = [],
  }: {
    readonly providerCode?: string | null;
    readonly outcome?: ProbeOutcome | undefined;
    readonly settings?: readonly string[] | undefined;
  } = {},
): ProbeResult {
  return { outcome, call, status, providerCode: printableCode(providerCode), settings };
}

function outcomeOf(status: number | null, providerCode: string | null): ProbeOutcome {
  if (status === null || (status >= 500 && providerCode === null)) {
    return 'unreachable';
  }
  return REFUSING_STATUSES.includes(status) ? 'refused' : 'reached';
}
