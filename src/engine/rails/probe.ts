import { REFERENCE_LENGTH, referenceFrom } from '../domain/identifiers.ts';
import { printableCode } from '../domain/provider-code.ts';
import type { NoToken } from './bearer-tokens.ts';
import type { ProbeOutcome, ProbeResult } from './rail.ts';

/** What the probes of all rails have in common. */

/** A reference that nothing has yet: no order can exist by it. */
export function newReference(): string {
  return referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH)));
}

/** The provider, its gateway or the relay wants other credentials, or a call at another URL. */
export const REFUSING_STATUSES: readonly (number | null)[] = [401, 403, 404, 405];

/**
 * The result of a probe whose last call had this HTTP status, null when no answer came. Without an
 * outcome of its own, a call is judged by its status and by having a code.
 */
export function probing(call: string, status: number | null, providerCode: string | null = null) {
  return (
    outcome: ProbeOutcome = outcomeOf(status, providerCode),
    settings: readonly string[] = [],
  ): ProbeResult => ({
    outcome,
    call,
    status,
    providerCode: printableCode(providerCode),
    // A provider that does not answer has not seen the credentials.
    settings: outcome === 'unreachable' ? settings.filter(isAddress) : settings,
  });
}

/** The result of a probe that got no token, to which these settings lead. */
export function probedNoToken(
  { reason, status, providerCode }: NoToken,
  settings: readonly string[],
  call = 'token',
): ProbeResult {
  const isRefused = reason === 'misconfigured';
  return probing(call, status, providerCode)(isRefused ? 'refused' : undefined, settings);
}

function isAddress(setting: string): boolean {
  return setting.endsWith('Url');
}

function outcomeOf(status: number | null, providerCode: string | null): ProbeOutcome {
  if (status === null || (status >= 500 && providerCode === null)) {
    return 'unreachable';
  }
  return REFUSING_STATUSES.includes(status) ? 'refused' : 'reached';
}
