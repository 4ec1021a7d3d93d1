import { parseArgs } from 'node:util';

/** An option of a command, for its help and its parser. */
export interface Option {
  /** Placeholder of the value in the help; null for a flag. */
  readonly value: string | null;
  readonly about: string;
  readonly isRepeatable?: true;
  /** For an option that people expect and the command refuses: `about` says what to use instead. */
  readonly isRefused?: true;
}

export type Options = Readonly<Record<string, Option>>;

export interface Command {
  /** What may follow its name: `[ID]`. */
  readonly arguments: string;
  /** How many arguments it takes. */
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What else its help says. */
  readonly about: string;
  readonly options: Options;
  run(given: Given): Promise<void>;
}

/** What the user can cure. Printed as it is, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The options of every command. */
const COMMON: Options = {
  key: { value: 'KEY', about: 'the API key (default: KEFEL_API_KEY, else that of `npm run dev`)' },
  url: {
    value: 'URL',
    about: 'the gateway (default: KEFEL_URL, else with its key that of `npm run dev`)',
  },
  help: { value: null, about: 'show this help' },
};

/** A command line that fits its command. */
export class Given {
  readonly arguments: readonly string[];
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(texts: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.arguments = texts;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  texts(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** `--metadata KEY=VALUE`, given once for each key. */
  pairs(name: string): Readonly<Record<string, string>> {
    const entries = this.texts(name).map((text) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined) {
        throw new UsageError(`--${name} takes KEY=VALUE, not "${text}"`);
      }
      return [key, value] as const;
    });
    return Object.fromEntries(entries);
  }
}

/** Reads the words after a command's name. Throws UsageError for what the command does not take. */
export function given(name: string, command: Command, words: readonly string[]): Given {
  const { values, positionals } = parsed(name, command, words);
  const texts = new Map<string, readonly string[]>();
  for (const [option, all = []] of Object.entries(values)) {
    const { isRefused, about } = command.options[option] ?? {};
    if (isRefused === true) {
      throw new UsageError(`There is no option --${option}: ${about}.`);
    }
    if (all.length > 1 && command.options[option]?.isRepeatable !== true) {
      throw new UsageError(`--${option} can be given only once`);
    }
    texts.set(
      option,
      all.map((value) => (value === true ? '' : String(value))),
    );
  }
  const result = new Given(positionals, texts);
  const { argumentsMin, argumentsMax } = command;
  if (
    !result.has('help') &&
    (positionals.length < argumentsMin || positionals.length > argumentsMax)
  ) {
    throw new UsageError(`Usage: ${usageOf(name, command)}\n${helpHint(name)}`);
  }
  return result;
}

function parsed(name: string, command: Command, words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      strict: true,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries({ ...command.options, ...COMMON }).map(([option, { value }]) => [
          option,
          { type: value === null ? 'boolean' : 'string', multiple: true } as const,
        ]),
      ),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${reason}\n${helpHint(name)}`);
  }
}

function helpHint(name: string): string {
  return `See: kefel ${name} --help`;
}

function usageOf(name: string, command: Command): string {
  return ['kefel', name, command.arguments, '[options]'].filter(Boolean).join(' ');
}

export function commandHelp(name: string, command: Command): string {
  const rows = Object.entries({ ...command.options, ...COMMON })
    .filter(([, { isRefused }]) => isRefused !== true)
    .map(
      ([option, { value, about }]) =>
        [value === null ? `--${option}` : `--${option} ${value}`, about] as const,
    );
  return `${usageOf(name, command)}\n\n${command.summary}.\n${command.about}\n\n${columns(rows)}`;
}

export function overview(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(
    ([name, command]) => [`${name} ${command.arguments}`.trimEnd(), command.summary] as const,
  );
  return `kefel <command> [options]\n\n${columns(rows)}\n\nkefel <command> --help lists the options of a command, kefel --version the version.`;
}

/** Two columns, indented. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
