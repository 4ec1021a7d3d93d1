import {
  type Deployment,
  isPlainOperatorName,
  JURISDICTIONS,
  LOCATION_HINTS,
} from '../deployment/deployment-file.ts';
import { SetupProblem } from '../deployment/explain.ts';
import type { RunOptions } from './context.ts';
import { quoted, type Terminal } from './terminal.ts';

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
  /** Null: the deployment has operators already, or a dry run was not told any. */
  readonly operator: string | null;
  readonly jurisdiction: Deployment['jurisdiction'];
  readonly locationHint: Deployment['locationHint'];
  readonly hasBackups: boolean;
}

const EXAMPLE = 'https://pay.example.com';
/** The nearest to Ethiopia where Cloudflare makes objects today, and where D1 and R2 have a place, too. */
const DEFAULT_LOCATION_HINT = 'weur';
const OTHER_REGIONS = 'apac, oc, wnam, enam and sam';
/** In place of a jurisdiction or region. */
const NONE = 'none';
/** In place of an address. */
const WORKERS_DEV = 'workers.dev';

/** Asks for the least, and only for what neither the command line nor the deployment file says. */
export async function wantedOf(
  options: SetupOptions,
  stored: Deployment | null,
  terminal: Terminal,
): Promise<Wanted> {
  if (stored !== null) {
    return wantedAgain(options, stored);
  }
  const ask = asking(options, terminal);
  const payments = await ask(
    options.url,
    `Which address should customers see, such as ${EXAMPLE}? Its domain must be in your Cloudflare account.\nEmpty: begin at ${WORKERS_DEV}. > `,
    WORKERS_DEV,
    addressOf,
  );
  const backOffice =
    payments === null
      ? null
      : await ask(
          options.officeUrl,
          `And which one merchants and operators? Passkeys belong to this host and stop working when it changes.\nEmpty: ${payments}, too. > `,
          payments,
          originOf,
        );
  return {
    addresses: payments === null || backOffice === null ? null : { payments, backOffice },
    operator: await firstOperator(options, terminal, ask),
    jurisdiction: await ask(
      options.jurisdiction,
      'Must Cloudflare keep all data in the European Union: eu? It has no such place in Ethiopia (docs/deploy.md).\nThis can never be changed, because an object never moves. Empty: none. > ',
      NONE,
      (text) => oneOf(JURISDICTIONS, text, '--jurisdiction'),
    ),
    locationHint: await ask(
      options.locationHint,
      `Near which region should Kefel process payments? weur and eeur are Europe; others are ${OTHER_REGIONS}. In afr\n(southern Africa) and me (Middle East) Cloudflare makes no objects today, but in the nearest place that it chooses.\nThis cannot be changed for payments that exist. Empty: ${DEFAULT_LOCATION_HINT}. > `,
      DEFAULT_LOCATION_HINT,
      (text) => oneOf(LOCATION_HINTS, text, '--location'),
    ),
    hasBackups: !options.isWithoutBackup,
  };
}

/** Null: a dry run needs no name, so one that cannot ask goes on without it. */
async function firstOperator(
  options: SetupOptions,
  terminal: Terminal,
  ask: ReturnType<typeof asking>,
): Promise<string | null> {
  if (options.isDryRun && options.operator === undefined && !canAsk(options, terminal)) {
    terminal.say('  To do this, add the first operator: --operator "Sara".');
    return null;
  }
  return ask(options.operator, 'Your name, for the audit log > ', '', operatorNameOf);
}

function canAsk({ isYes }: SetupOptions, { isInteractive }: Terminal): boolean {
  return isInteractive && !isYes;
}

/**
 * Reads an option, or asks for it, again after an answer that cannot be: a mistyped answer must not
 * cost the others.
 */
function asking(options: SetupOptions, terminal: Terminal) {
  const asks = canAsk(options, terminal);
  return async <Value>(
    given: string | undefined,
    question: string,
    otherwise: string,
    read: (text: string) => Value,
  ): Promise<Value> => {
    if (given !== undefined || !asks) {
      return read(given ?? otherwise);
    }
    for (;;) {
      try {
        return read((await terminal.ask(question)) || otherwise);
      } catch (error) {
        if (!(error instanceof SetupProblem)) {
          throw error;
        }
        terminal.say(`  ${error.problem}. ${error.remedy}`);
      }
    }
  };
}

/** The command that continues a first run with the same answers, and asks nothing again. */
export function commandWith(
  { addresses, operator, jurisdiction, locationHint }: Wanted,
  options: SetupOptions,
): string {
  const { payments, backOffice } = addresses ?? { payments: WORKERS_DEV, backOffice: WORKERS_DEV };
  const answers = [
    ['--url', options.url, payments],
    ['--office-url', options.officeUrl, backOffice === payments ? null : backOffice],
    ['--operator', options.operator, operator],
    ['--jurisdiction', options.jurisdiction, jurisdiction || NONE],
    ['--location', options.locationHint, locationHint || NONE],
  ] as const;
  const words = answers.flatMap(([option, given, answer]) =>
    given === undefined && answer !== null ? [option, quoted(answer)] : [],
  );
  return [options.command, ...words].join(' ');
}

/** A later run changes addresses, and nothing that an object can never change. */
function wantedAgain(options: SetupOptions, stored: Deployment): Wanted {
  const fixed = [
    ['--jurisdiction', options.jurisdiction, stored.jurisdiction || NONE],
    ['--location', options.locationHint, stored.locationHint || NONE],
  ] as const;
  for (const [option, given, known] of fixed) {
    if (given !== undefined && (given || NONE) !== known) {
      throw new SetupProblem(
        `this deployment was made with ${option} ${known}, which cannot be changed`,
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
  const own = addressOf(payments);
  return own === null ? null : { payments: own, backOffice: originOf(backOffice) };
}

/** Null for the address at workers.dev. */
function addressOf(text: string): string | null {
  return text === '' || text === WORKERS_DEV ? null : originOf(text);
}

function operatorNameOf(text: string): string {
  if (!isPlainOperatorName(text)) {
    throw new SetupProblem(
      text === '' ? 'the first operator has no name' : `"${text}" cannot be an operator's name`,
      'Give a name without commas and colons, in a script with --operator "Sara".',
    );
  }
  return text;
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
  const found = values.find((value) => (value || NONE) === text || value === text);
  if (found === undefined) {
    throw new SetupProblem(
      `${option} cannot be "${text}"`,
      `It is one of ${values.map((value) => value || NONE).join(', ')}.`,
    );
  }
  return found;
}
