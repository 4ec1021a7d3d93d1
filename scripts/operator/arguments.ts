import { parseArgs } from 'node:util';
import type { Option } from '../../back-office/operator/actions/action.ts';
import { type Command, Given, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';

/** Options of every command. */
export const GENERAL_OPTIONS: Readonly<Record<string, Option>> = {
  url: {
    value: 'URL',
    about: 'URL of the gateway (default: KEFEL_URL, else that of `npm run dev`)',
  },
  env: {
    value: 'NAME',
    about: 'the deployment that `npm run setup` made, such as production (default: KEFEL_ENV)',
  },
  as: {
    value: 'NAME',
    about: 'your name in the audit log (default: KEFEL_OPERATOR, else your user name)',
  },
  json: { value: null, about: 'print the content as JSON, one line per page' },
  help: { value: null, about: 'show this help' },
};

/** Options of commands that list. */
export const LIST_OPTIONS: Readonly<Record<string, Option>> = {
  all: { value: null, about: 'fetch every page, not only the first' },
};

/** Options of commands whose exit code tells what they found. */
const FINDING_OPTIONS: Readonly<Record<string, Option>> = {
  quiet: {
    value: null,
    about: 'print nothing if nothing needs a person: for cron, which mails what is printed',
  },
};

export interface Invocation {
  readonly command: Command;
  readonly given: Given;
  readonly url: string | undefined;
  readonly operatorName: string | undefined;
  readonly deployment: string | undefined;
  readonly isJson: boolean;
  /** Whether to fetch every page. */
  readonly isAll: boolean;
  /** Whether to print only what needs a person. */
  readonly isQuiet: boolean;
}

/** The commands to show help for: one, or all with the same noun. */
export interface HelpRequest {
  readonly help: readonly Command[];
}

/** Parses a command line. Throws UsageError with what is wrong. */
export function parseCommandLine(args: readonly string[]): Invocation | HelpRequest {
  const words = leadingWords(args);
  // `attention review` is not `attention` with a positional.
  const [command] = COMMANDS.filter(({ name }) => isPrefix(name.split(' '), words)).toSorted(
    (one, other) => other.name.length - one.name.length,
  );
  if (command === undefined) {
    return helpFor(args, words);
  }
  const options = optionsOf(command);
  const { values, positionals } = parsed(args, options);
  if (values.help !== undefined) {
    return { help: [command] };
  }
  const given = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(values)) {
    given.set(name, (Array.isArray(value) ? value : [value]).map(String));
  }
  checkOptions(command, options, given);
  const places = placesOf(command, positionals.slice(command.name.split(' ').length));
  return {
    command,
    given: new Given(places, given),
    url: given.get('url')?.[0],
    operatorName: given.get('as')?.[0],
    deployment: given.get('env')?.[0],
    isJson: given.has('json'),
    isAll: given.has('all'),
    isQuiet: given.has('quiet'),
  };
}

/** All options of a command: its own and the general ones. */
export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return {
    ...command.options,
    ...(command.pages !== undefined && LIST_OPTIONS),
    ...(command.exitCode !== undefined && FINDING_OPTIONS),
    ...GENERAL_OPTIONS,
  };
}

/** Noun and verb come first, because a word after an option may be the option's value. */
function leadingWords(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return end < 0 ? args : args.slice(0, end);
}

function isPrefix(prefix: readonly string[], words: readonly string[]): boolean {
  return prefix.every((word, index) => words[index] === word);
}

function helpFor(args: readonly string[], words: readonly string[]): HelpRequest {
  const wanted = args.includes('--help') || args.length === 0;
  const noun = words[0];
  const alike = COMMANDS.filter(({ name }) => noun === undefined || name.split(' ')[0] === noun);
  if (wanted && alike.length > 0) {
    return { help: alike };
  }
  if (noun === undefined && args.length > 0) {
    throw new UsageError('the noun and the verb come before the options; see --help');
  }
  const known =
    alike.length > 0
      ? `"${noun}" has the verbs ${alike.map(({ name }) => name.slice(name.indexOf(' ') + 1)).join(', ')}`
      : `unknown command "${noun}"`;
  throw new UsageError(`${known}; see --help`);
}

function parsed(args: readonly string[], options: Readonly<Record<string, Option>>) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { value }]) => [
          name,
          // `checkOptions` rejects a repeated option with a message.
          { type: value === null ? 'boolean' : 'string', multiple: true } as const,
        ]),
      ),
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function checkOptions(
  command: Command,
  options: Readonly<Record<string, Option>>,
  given: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [name, option] of Object.entries(options)) {
    const { value, about, isRequired, isRepeatable, isRefused } = option;
    const values = given.get(name) ?? [];
    if (isRefused && values.length > 0) {
      throw new UsageError(`there is no option --${name}: ${about}`);
    }
    if (isRequired && values.length === 0) {
      throw new UsageError(`${command.name} needs --${name} ${value}: ${about}`);
    }
    if (!isRepeatable && values.length > 1) {
      throw new UsageError(`--${name} can be given only once`);
    }
  }
}

function placesOf(
  command: Command,
  positionals: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, readonly string[]>();
  let rest = positionals;
  for (const place of command.positionals) {
    const name = place.replace('…', '');
    const values = place.endsWith('…') ? rest : rest.slice(0, 1);
    if (values.length === 0 || values.includes('')) {
      throw new UsageError(`${command.name} needs ${command.positionals.join(' ')}`);
    }
    places.set(name, values);
    rest = rest.slice(values.length);
  }
  if (rest.length > 0) {
    throw new UsageError(`${command.name} does not take "${rest[0]}"`);
  }
  return places;
}
