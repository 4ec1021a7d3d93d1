import type {
  ActionCommand,
  ActionField,
  OperatorAction,
  Option,
  ReadCommand,
} from '../../back-office/operator/actions/action.ts';
import { ACTIONS } from '../../back-office/operator/actions/all.ts';
import { ERASE_CUSTOMER, EXPORT_CUSTOMER } from '../../back-office/operator/actions/customers.ts';
import {
  BEGIN_FILE,
  PREVIEW_FILE,
  STORE_PROFILE,
} from '../../back-office/operator/actions/provider-files.ts';
import { READS } from '../../back-office/operator/actions/reads.ts';
import {
  AUDIT_FILE,
  type ExportFile,
  PAYMENTS_FILE,
  STATEMENTS_FILE,
} from '../../back-office/operator/exports.ts';
import type { RailCheck } from './check-rail.ts';
import { type Command, EXIT_FOUND, type Given, UsageError } from './command.ts';
import type { WrittenFile } from './export.ts';
import { restoreLines } from './restore-lines.ts';
import { linesOf } from './text.ts';
import { PART_READERS, READERS } from './values.ts';
import { EXIT_CODES, VIEWS } from './views.ts';

function readCommand({ path, query = {}, answers, ...read }: ReadCommand): Command {
  const { name, about, examples, pages } = read;
  return {
    name,
    about,
    examples,
    pages,
    positionals: partsOf(path).map(placeOf),
    options: query,
    request: (given) => ({ path: `${pathOf(path, given)}${queryOf(query, given)}` }),
    shown: VIEWS[answers],
    exitCode: EXIT_CODES[answers],
  };
}

function queryOf(query: Command['options'], given: Given): string {
  const pairs = Object.keys(query).flatMap((name) =>
    given.options(name).map((value) => [name, value]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** The words in the help for what is given by position: parts of paths, and fields. */
const PLACES: Readonly<Record<string, string>> = {
  merchantId: 'MERCHANT',
  uniqueId: 'PAYMENT',
  attemptId: 'ATTEMPT',
  refundId: 'REFUND',
  memberId: 'MEMBER',
  invitationId: 'LINK',
  ids: 'ID…',
};

function placeOf(part: string): string {
  return PLACES[part] ?? part.toUpperCase();
}

/** A path with its parts filled in, by position or by an option. */
function pathOf(path: string, given: Given): string {
  return path.replaceAll(/:(\w+)/g, (_, part: string) => {
    const text = given.option(part) ?? given.at(placeOf(part));
    return encodeURIComponent(PART_READERS[part]?.(text) ?? text);
  });
}

/** The named parts of a path. */
function partsOf(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, part = '']) => part);
}

const ENVIRONMENT: Option = {
  value: 'sandbox|production',
  about: 'environment to change',
  isRequired: true,
};

function actionCommand(action: OperatorAction, command: ActionCommand): Command {
  const { name, about, examples, pages } = command;
  const parts = partsOf(action.path);
  const positionals = command.positionals ?? parts;
  const fields = fieldsOf(action, command);
  return {
    name,
    about,
    examples,
    pages,
    positionals: positionals.map(placeOf),
    options: {
      ...Object.fromEntries(
        parts
          .filter((part) => !positionals.includes(part))
          .map((part) => [part, ENVIRONMENT] as const),
      ),
      ...Object.fromEntries(fields.flatMap(optionsOf)),
      ...command.refused,
    },
    request: (given) => {
      if (command.needsOne) {
        checkAny(given, fields);
      }
      return { path: pathOf(action.path, given), body: bodyOf(given, action, command) };
    },
    shown: VIEWS[action.answers],
    exitCode: EXIT_CODES[action.answers],
  };
}

/** The fields that options give. */
function fieldsOf({ fields }: OperatorAction, { positionals = [], preset = {} }: ActionCommand) {
  return Object.entries(fields ?? {}).filter(
    ([name]) => !(positionals.includes(name) || name in preset),
  );
}

function optionsOf([name, field]: readonly [string, ActionField]): [string, Option][] {
  const { option, flags = {} } = field;
  const asked = Object.entries(flags).map(([flag, { about }]): [string, Option] => [
    flag,
    { value: null, about },
  ]);
  return option === undefined ? asked : [[optionName(name, field), option]];
}

function optionName(name: string, { name: given }: ActionField): string {
  return given ?? name;
}

function bodyOf(given: Given, action: OperatorAction, command: ActionCommand) {
  const { positionals = [], preset } = command;
  const fields = action.fields ?? {};
  checkFlags(given, fields);
  const byPlace = positionals.filter((name) => name in fields).map((name) => placedIn(given, name));
  const byOption = fieldsOf(action, command).map(([name, field]) => [
    name,
    valueIn(given, name, field),
  ]);
  const all = [...byPlace, ...byOption].filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(all), ...preset };
}

function placedIn(given: Given, name: string): readonly [string, unknown] {
  const place = placeOf(name);
  return [name, place.endsWith('…') ? given.rest(place.replace('…', '')) : given.at(place)];
}

function valueIn(given: Given, name: string, field: ActionField): unknown {
  const { option, flags, kind, random } = field;
  if (flags !== undefined) {
    return Object.entries(flags).find(([flag]) => given.has(flag))?.[1].value;
  }
  const read = kind === undefined ? (text: string) => text : READERS[kind];
  const texts = given.options(optionName(name, field));
  if (option?.isRepeatable) {
    return texts.length === 0 ? undefined : texts.map(read);
  }
  const text = texts[0] ?? field.otherwise;
  return text === undefined ? random?.() : read(text);
}

function checkAny(given: Given, fields: readonly (readonly [string, ActionField])[]): void {
  const names = fields.map(([name, field]) => optionName(name, field));
  if (!names.some((name) => given.has(name))) {
    const options = names.map((name) => `--${name}`).join(', ');
    throw new UsageError(`nothing to change: give ${options} or both`);
  }
}

/** Exactly one flag of a field is given, and what belongs to it. */
function checkFlags(given: Given, fields: Readonly<Record<string, ActionField>>): void {
  for (const { flags } of Object.values(fields)) {
    if (flags === undefined) {
      continue;
    }
    const needed = (field: string) => optionName(field, fields[field] ?? {});
    const entries = Object.entries(flags);
    const chosen = entries.filter(([flag]) => given.has(flag));
    if (chosen.length !== 1) {
      const ways = entries.map(
        ([flag, { needs }]) => `--${flag}${needs === undefined ? '' : ` with --${needed(needs)}`}`,
      );
      throw new UsageError(`give either ${ways.join(', or ')}`);
    }
    for (const [flag, { needs }] of entries) {
      if (needs !== undefined && given.has(flag) !== given.has(needed(needs))) {
        throw new UsageError(
          given.has(flag)
            ? `--${flag} needs --${needed(needs)}`
            : `--${needed(needs)} is only for --${flag}`,
        );
      }
    }
  }
}

const PROVIDER_FILE: Option = {
  value: 'FILE',
  about: 'CSV or TSV as the provider wrote it',
  isRequired: true,
};

/** Every command; those of a noun stand together. */
export const COMMANDS: readonly Command[] = grouped([
  ...READS.filter((read) => 'name' in read).map(readCommand),
  ...ACTIONS.flatMap((action) => action.commands.map((command) => actionCommand(action, command))),
  {
    name: 'rebuild namespace',
    about: 'make all payments that Cloudflare lists send their data to their books again',
    positionals: ['NAMESPACE'],
    options: { from: { value: 'NEXT', about: 'continue where a rebuild stopped: its `next`' } },
    examples: ['rebuild namespace 5fd1cafff895419c8bcc647fc64ab8f0'],
    request: () => ({ path: '/books/rebuild' }),
    // Loaded with its call: the tests of these commands run where Node's modules are missing.
    async *run(...given) {
      yield* (await import('./rebuild-namespace.ts')).rebuildNamespace(...given);
    },
    shown: ['rebuilt missing failed next costsDollarsAtMost'],
  },
  {
    name: 'rail check',
    about: 'read a rail’s secret from standard input as the gateway does, and set nothing',
    positionals: ['METHOD', 'ENVIRONMENT'],
    options: {
      live: {
        value: null,
        about: 'try the credentials at the provider, without money and without a prompt',
      },
      payment: { value: 'TRANSACTION_ID', about: 'with --live: ask about this payment, too' },
      amount: { value: 'AMOUNT', about: 'of this payment, such as 150.50 (default: 1)' },
      'provider-id': { value: 'ID', about: 'the provider’s own id of this payment' },
      'result-url': { value: 'URL', about: 'where a provider that answers later posts its result' },
    },
    examples: ['rail check M_PESA production', 'rail check M_PESA production --live'],
    request: () => ({ path: '/rails' }),
    async *runHere(given) {
      yield* (await import('./check-rail.ts')).checkRail(given);
    },
    shown: ({ lines }: RailCheck) => lines,
    exitCode: ({ exitCode }: RailCheck) => exitCode,
  },
  {
    name: 'rail set',
    about: 'try a rail’s secret from standard input at the provider, and set it in the gateway',
    positionals: ['METHOD', 'ENVIRONMENT'],
    options: {
      unproved: { value: null, about: 'set it although the provider did not accept it from here' },
      directory: { value: 'FOLDER', about: 'of the deployment files (default: deployments)' },
    },
    examples: ['rail set M_PESA production'],
    request: () => ({ path: '/rails' }),
    async *run(...given) {
      yield* (await import('./set-rail.ts')).setRail(...given);
    },
    shown: VIEWS.rails,
    exitCode: ([rail]: readonly { readonly state: string }[]) =>
      rail?.state === 'configured' ? 0 : EXIT_FOUND,
  },
  {
    name: 'restore gateway',
    about: 'fill an empty gateway from a backup; run again, it continues where it stopped',
    positionals: [],
    options: {
      run: { value: 'RUN', about: 'run of the backup, such as 20261127T011700Z', isRequired: true },
      from: { value: 'DIR', about: 'first upload the parts of a fetched copy into the bucket' },
    },
    examples: ['restore gateway --run 20261127T011700Z --from backup'],
    request: () => ({ path: '/restore' }),
    // Loaded with its call: the tests of these commands run where Node's modules are missing.
    async *run(gateway, given) {
      yield* (await import('./restore-gateway.ts')).restoreGateway(gateway, given);
    },
    shown: restoreLines,
  },
  {
    name: 'backup now',
    about: 'copy what has changed to the bucket, and write a manifest',
    positionals: [],
    options: {},
    examples: ['backup now'],
    request: () => ({ path: '/backups', body: {} }),
    async *run(gateway) {
      yield* (await import('./backup.ts')).backUpNow(gateway);
    },
    shown: VIEWS.backup,
  },
  {
    name: 'backup verify',
    about: 'open every part of a backup, and compare counts, digests and sequences',
    positionals: [],
    options: {
      run: { value: 'RUN', about: 'name of the backup (default: the newest)' },
      from: { value: 'FOLDER', about: 'verify a fetched copy on this machine, without a gateway' },
      recovery: {
        value: 'FILE',
        about: 'with --from: the recovery file (default: ~/kefel-NAME-recovery.txt)',
      },
    },
    examples: ['backup verify', 'backup verify --from ../kefel-backup --env production'],
    request: (given) => ({ path: `/backups/${given.option('run') ?? 'RUN'}/verify` }),
    runHere(given, deployment) {
      if (!given.has('from')) {
        if (given.has('recovery')) {
          throw new UsageError('--recovery is only for --from');
        }
        return null;
      }
      return (async function* () {
        yield* (await import('./verify-copy.ts')).verifyCopy(given, deployment);
      })();
    },
    async *run(gateway, given) {
      yield* (await import('./backup.ts')).verifyBackup(gateway, given);
    },
    shown: (found) => linesOf(found, ['run parts lines problems']),
  },
  {
    name: 'backup fetch',
    about: 'copy the sealed parts of a backup into a folder, for a copy outside Cloudflare',
    positionals: ['RUN'],
    options: { to: { value: 'FOLDER', about: 'where they go', isRequired: true } },
    examples: ['backup fetch 20261127T013700Z --to ../kefel-backup'],
    request: (given) => ({ path: `/backups/${given.at('RUN')}/parts` }),
    async *run(gateway, given) {
      yield* (await import('./backup.ts')).fetchBackup(gateway, given);
    },
    shown: (copied) => linesOf(copied, ['run parts copied bytes']),
  },
  {
    name: 'check',
    about: 'try every part of the gateway, and wait for the result',
    positionals: [],
    options: {},
    examples: ['check', 'check --quiet'],
    request: () => ({ path: '/check', body: {} }),
    // Loaded with its call: the tests of these commands run where Node's modules are missing.
    async *run(gateway) {
      yield* (await import('./check.ts')).runCheck(gateway);
    },
    shown: VIEWS.check,
    exitCode: EXIT_CODES.check,
  },
  {
    ...actionCommand(STORE_PROFILE, {
      name: 'provider-profile store',
      about: 'store a profile, which says where a provider’s file has what, from a JSON file',
      examples: ['provider-profile store production TELE_BIRR --from portal.json'],
    }),
    options: { from: { value: 'FILE', about: 'the profile as JSON', isRequired: true } },
    async *run(gateway, given) {
      yield* (await import('./provider-file.ts')).storeProfile(gateway, given);
    },
  },
  {
    ...actionCommand(PREVIEW_FILE, {
      name: 'provider-file preview',
      about: 'show what the first lines of a file would become; changes nothing',
      examples: ['provider-file preview production TELE_BIRR --profile Portal --file day.csv'],
    }),
    options: { ...optionsFor(PREVIEW_FILE), file: PROVIDER_FILE },
    async *run(gateway, given) {
      yield* (await import('./provider-file.ts')).previewFile(gateway, given);
    },
  },
  {
    ...actionCommand(BEGIN_FILE, {
      name: 'provider-file upload',
      about: 'compare a provider’s file with the payments, and wait for the result',
      examples: ['provider-file upload production TELE_BIRR --profile Portal --file day.csv'],
    }),
    options: { ...optionsFor(BEGIN_FILE), file: PROVIDER_FILE },
    async *run(gateway, given) {
      yield* (await import('./provider-file.ts')).uploadFile(gateway, given);
    },
  },
  exportCommand(PAYMENTS_FILE, {
    name: 'merchant export',
    about: 'write all payments of a merchant to a CSV file; needed before it is closed',
    positionals: ['merchantId'],
    examples: ['merchant export abebe --environment production --to abebe.csv'],
  }),
  {
    ...exportCommand(STATEMENTS_FILE, {
      name: 'statement export',
      about: 'write what each merchant was paid and returned in a day or a month to a CSV file',
      positionals: [],
      examples: [
        'statement export --period 2026-11-28 --environment production --to 2026-11-28.csv',
        'statement export --period 2026-11 --environment production --to 2026-11.csv',
      ],
    }),
    exitCode: ({ missing }: WrittenFile) => (missing === 0 ? 0 : EXIT_FOUND),
  },
  exportCommand(AUDIT_FILE, {
    name: 'audit export',
    about: 'write the audit log of a month, of all merchants and the gateway, to a CSV file',
    positionals: ['month'],
    examples: ['audit export 2026-11 --to audit-2026-11.csv'],
  }),
  {
    ...actionCommand(EXPORT_CUSTOMER, {
      name: 'customer export',
      about: 'write all that is stored about a customer to a file, as JSON',
      positionals: [],
      examples: ['customer export --phone 0911223344 --reason "Request 12" --to request-12.json'],
    }),
    options: {
      ...optionsFor(EXPORT_CUSTOMER),
      to: { value: 'FILE', about: 'a new file; only you can read it', isRequired: true },
    },
    async *run(gateway, given) {
      yield* (await import('./customer.ts')).exportCustomer(gateway, given);
    },
    shown: ({ file, payments }: { readonly file: string; readonly payments: number }) => [
      `${payments} ${payments === 1 ? 'payment is' : 'payments are'} in ${file}`,
    ],
  },
  {
    ...actionCommand(ERASE_CUSTOMER, {
      name: 'customer erase',
      about: 'erase a customer’s data; what must be kept for now is erased later by itself',
      positionals: [],
      examples: [
        'customer erase --phone 0911223344 --reason "Request 12"',
        'customer erase --email almaz@example.com --refundable-too --reason "Request 13"',
      ],
    }),
    options: {
      ...optionsFor(ERASE_CUSTOMER),
      'refundable-too': {
        value: null,
        about: 'also payments that may still be refunded by the API, as their merchants agreed',
      },
    },
    async *run(gateway, given) {
      yield* (await import('./customer.ts')).eraseCustomer(gateway, given);
    },
    shown: ['request erased failed', { kept: ['reason payments untilAtMs'] }],
  },
]);

/** A command that writes all pages of an export to a file. */
function exportCommand(file: ExportFile, named: ActionCommand): Command {
  const command = actionCommand(file.action, named);
  return {
    ...command,
    options: {
      ...command.options,
      to: { value: 'FILE', about: 'a new file; only you can read it', isRequired: true },
    },
    // Loaded with its call: the tests of these commands run where Node's modules are missing.
    async *run(gateway, given) {
      const { writeExport } = await import('./export.ts');
      yield* writeExport(gateway, given, file, command.request(given));
    },
    shown: ({ file: name, rows, missing }: WrittenFile) => [
      `${rows} ${rows === 1 ? 'row is' : 'rows are'} in ${name}`,
      ...(missing === 0 ? [] : [`INCOMPLETE: merchants without their statements: ${missing}`]),
    ],
  };
}

function optionsFor({ fields }: OperatorAction): Readonly<Record<string, Option>> {
  return Object.fromEntries(Object.entries(fields ?? {}).flatMap(optionsOf));
}

function grouped(commands: readonly Command[]): readonly Command[] {
  const nouns = Map.groupBy(commands, ({ name }) => name.split(' ')[0]);
  return [...nouns.values()].flat();
}
