import {
  type Deployment,
  isPlainOperatorName,
  JURISDICTIONS,
  LOCATION_HINTS,
} from '../deployment/deployment-file.ts';
import type { RunOptions } from './context.ts';
import { SetupProblem } from './explain.ts';
import type { Terminal } from './terminal.ts';

/** What the command line says of the deployment. */
export interface SetupOptions extends RunOptions {
  readonly url: string | undefined;
  readonly officeUrl: string | undefined;
  readonly operator: string | undefined;
  readonly jurisdiction: string | undefined;
  readonly locationHint: string | undefined;
  readonly isWithoutBackup: boolean;
}

/** What the operator decides. */
export interface Wanted {
  /** Null: those of workers.dev. */
  readonly addresses: Deployment['addresses'] | null;
  /** Null: the deployment has operators already. */
  readonly operator: string | null;
  readonly jurisdiction: Deployment['jurisdiction'];
  readonly locationHint: Deployment['locationHint'];
  readonly hasBackups: boolean;
}

const EXAMPLE = 'https://pay.example.com';
/** Most customers are in Ethiopia. */
const DEFAULT_LOCATION_HINT = 'afr';

/** Asks for the least, and only for what neither the command line nor the deployment file says. */
export async function wantedOf(
  options: SetupOptions,
  stored: Deployment | null,
  terminal: Terminal,
): Promise<Wanted> {
  if (stored !== null) {
    return wantedAgain(options, stored);
  }
  const asks = terminal.isInteractive && !options.isYes;
  const answer = async (given: string | undefined, question: string, otherwise: string) => {
    if (given !== undefined || !asks) {
      return given ?? otherwise;
    }
    return (await terminal.ask(question)) || otherwise;
  };
  const payments = await answer(
    options.url,
    `Which address should customers see, such as ${EXAMPLE}? Its domain must be in your Cloudflare account.\nEmpty: begin at workers.dev. > `,
    '',
  );
  const office =
    payments === ''
      ? ''
      : await answer(
          options.officeUrl,
          `And merchants and operators? Passkeys belong to this host and stop working when it changes.\nEmpty: ${payments}, too. > `,
          payments,
        );
  const operator = await answer(options.operator, 'Your name, for the audit log > ', '');
  if (!isPlainOperatorName(operator)) {
    throw new SetupProblem(
      operator === ''
        ? 'the first operator has no name'
        : `"${operator}" cannot be an operator's name`,
      'Give a name without commas and colons: --operator "Sara".',
    );
  }
  const jurisdiction = await answer(
    options.jurisdiction,
    'Must Cloudflare keep all data in one jurisdiction: eu or fedramp? It has none in Ethiopia (docs/deploy.md).\nThis can never be changed, because an object never moves. Empty: no. > ',
    '',
  );
  const locationHint = await answer(
    options.locationHint,
    `Near which region should Kefel process payments: ${LOCATION_HINTS.filter(Boolean).join(', ')}?\nThis cannot be changed for payments that exist. Empty: ${DEFAULT_LOCATION_HINT}. > `,
    DEFAULT_LOCATION_HINT,
  );
  return {
    addresses: addressesOf(payments, office || payments),
    operator,
    jurisdiction: oneOf(JURISDICTIONS, jurisdiction, '--jurisdiction'),
    locationHint: oneOf(LOCATION_HINTS, locationHint, '--location'),
    hasBackups: !options.isWithoutBackup,
  };
}

/** A later run changes addresses, and nothing that objects keep for ever. */
function wantedAgain(options: SetupOptions, stored: Deployment): Wanted {
  const fixed = [
    ['--jurisdiction', options.jurisdiction, stored.jurisdiction],
    ['--location', options.locationHint, stored.locationHint],
  ] as const;
  for (const [option, given, known] of fixed) {
    if (given !== undefined && given !== known) {
      throw new SetupProblem(
        `this deployment was made with ${option} "${known}", which cannot be changed`,
        'Leave the option out, or set up another deployment beside this one with --env.',
      );
    }
  }
  if (options.isWithoutBackup && stored.hasBackups) {
    throw new SetupProblem(
      'this deployment has backups, and --without-backup belongs to the first run',
      'Leave the option out. To end backups, set hasBackups to false in the deployment file.',
    );
  }
  const { payments, backOffice } = stored.addresses;
  const office = payments === backOffice ? options.url : backOffice;
  const own = stored.zones === null ? null : stored.addresses;
  return {
    addresses:
      options.url === undefined && options.officeUrl === undefined
        ? own
        : addressesOf(
            options.url ?? payments,
            options.officeUrl ?? (own === null ? options.url : office) ?? payments,
          ),
    operator: null,
    jurisdiction: stored.jurisdiction,
    locationHint: stored.locationHint,
    hasBackups: stored.hasBackups,
  };
}

function addressesOf(payments: string, backOffice: string): Wanted['addresses'] {
  return payments === ''
    ? null
    : { payments: originOf(payments), backOffice: originOf(backOffice) };
}

function originOf(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (url?.protocol !== 'https:' || url.port !== '' || `${url.pathname}${url.search}` !== '/') {
    throw new SetupProblem(
      `"${text}" is not an address such as ${EXAMPLE}`,
      'It begins with https:// and has no path and no port.',
    );
  }
  return url.origin;
}

function oneOf<Value extends string>(
  values: readonly Value[],
  text: string,
  option: string,
): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) {
    throw new SetupProblem(
      `${option} cannot be "${text}"`,
      `It takes ${values.filter(Boolean).join(', ')}, or is left out.`,
    );
  }
  return found;
}
