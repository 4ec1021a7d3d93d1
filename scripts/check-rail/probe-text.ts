import { APP_FORMS } from '../../src/engine/domain/app-form.ts';
import type { ProbeOutcome, ProbeResult, Rail } from '../../src/engine/rails/rail.ts';

const MEANINGS: Readonly<Record<ProbeOutcome, string>> = {
  accepted: 'the provider accepts the credentials',
  reached: 'the provider was reached, but whether it accepts the credentials is not proved',
  refused: 'the credentials, the signature or the address are wrong',
  unreachable: 'the provider was not reached',
};

/** What a provider's code means to the operator, where its number does not say it. */
const CODE_MEANINGS: Readonly<Record<string, string>> = {
  '60200098':
    'the account is not subscribed to this product of telebirr; ask Ethio telecom for the contract',
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
    ...meaningLines(providerCode),
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

function meaningLines(providerCode: string | null): readonly string[] {
  const meaning = CODE_MEANINGS[providerCode ?? ''];
  return meaning === undefined ? [] : [`${providerCode}: ${meaning}.`];
}

/** Which forms in the provider's app are on, for a rail that has any. */
export function formLines({ appForms }: Pick<Rail, 'appForms'>): readonly string[] {
  if (appForms === undefined) {
    return [];
  }
  const forms = APP_FORMS.map((form) => `${form} ${appForms.includes(form) ? 'on' : 'off'}`);
  const untried =
    'No probe tries them, because it would make an order: until Ethio telecom has subscribed the account, telebirr refuses each start with 60200098.';
  return [`In telebirr's app: ${forms.join(', ')}.`, ...(appForms.length === 0 ? [] : [untried])];
}
