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

/** What a probe by the gateway saw. A gateway of an older version does not say through what. */
type GatewaysProbe = ProbeResult & { readonly through?: string | null };

/** What a probe saw, as lines for a terminal. */
export function probeLines(result: GatewaysProbe): readonly string[] {
  const { outcome, call, status, providerCode, settings, through = null } = result;
  const seen = [
    status === null ? `${call}: no answer` : `${call}: HTTP ${status}`,
    ...(providerCode === null ? [] : [`code ${providerCode}`]),
    ...(through === null ? [] : [`through ${through}`]),
  ];
  const label = outcome === 'accepted' ? 'Not tried' : 'Settings to check';
  return [
    `${outcome.toUpperCase()}: ${MEANINGS[outcome]} (${seen.join(', ')}).`,
    ...(settings.length === 0 ? [] : [`${label}: ${settings.join(', ')}`]),
  ];
}

/** What a call from this machine leaves open. */
export function directLines(through: string | null): readonly string[] {
  return through === null
    ? []
    : [
        `Sent from this machine, not through ${through}, which only the gateway has: try that with \`rail probe\`.`,
      ];
}
