import type { ProbeOutcome, ProbeResult } from '../../src/engine/rails/rail.ts';

const MEANINGS: Readonly<Record<ProbeOutcome, string>> = {
  accepted: 'the provider accepts the credentials',
  reached: 'the provider was reached, but whether it accepts the credentials is not proved',
  refused: 'the credentials, the signature or the address are wrong',
  unreachable: 'the provider was not reached',
};

/** How a command that probed ends. A command that could not ends with 1 or 2. */
export const PROBE_EXIT_CODES: Readonly<Record<ProbeOutcome, number>> = {
  accepted: 0,
  reached: 3,
  refused: 4,
  unreachable: 5,
};

/** What a probe saw, as lines for a terminal. */
export function probeLines(result: ProbeResult): readonly string[] {
  const { outcome, call, status, providerCode, settings } = result;
  const seen = [
    status === null ? `${call}: no answer` : `${call}: HTTP ${status}`,
    ...(providerCode === null ? [] : [`code ${providerCode}`]),
  ];
  const label = outcome === 'accepted' ? 'Not tried' : 'Settings to check';
  return [
    `${outcome.toUpperCase()}: ${MEANINGS[outcome]} (${seen.join(', ')}).`,
    ...(settings.length === 0 ? [] : [`${label}: ${settings.join(', ')}`]),
  ];
}
