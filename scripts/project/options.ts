import { parseArgs } from 'node:util';

/** An option of a script, for its help and its parser. */
export interface ScriptOption {
  /** Placeholder of the value in the help; null for a flag. */
  readonly value: string | null;
  readonly about: string;
  readonly isRepeatable?: true;
  readonly isRequired?: true;
  /** Its texts are the words of the command line that belong to no option. */
  readonly isWords?: true;
  /**
   * Makes the value from its text, which is undefined for an absent option, or from all its texts.
   * Throws what is wrong.
   */
  readonly read?: (text: string | undefined, name: string, all: readonly string[]) => unknown;
}

export type ScriptOptions = Readonly<Record<string, ScriptOption>>;

/** A script, for its help. `usage` is the command, `about` what it does. */
export interface Script<Options extends ScriptOptions = ScriptOptions> {
  readonly usage: string;
  readonly about: string;
  readonly options: Options;
}

/** What options give: what they read, whether a flag is there, or a text. */
export type ValuesOf<Options extends ScriptOptions> = {
  readonly [Name in keyof Options]: Options[Name] extends {
    readonly read: (...args: never) => infer Value;
  }
    ? Value
    : Options[Name]['value'] extends null
      ? boolean
      : string | undefined;
};

const HELP: ScriptOption = { value: null, about: 'show this help' };

function parsed(options: ScriptOptions, args: readonly string[]) {
  const words = Object.keys(options).find((name) => options[name]?.isWords);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: words !== undefined,
      options: Object.fromEntries(
        Object.entries({ ...options, help: HELP })
          .filter(([name]) => name !== words)
          .map(([name, { value }]) => [
            name,
            { type: value === null ? 'boolean' : 'string', multiple: true } as const,
          ]),
      ),
    });
    return words === undefined ? values : { ...values, [words]: positionals };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}\nThe options are listed by --help.`);
  }
}

export function scriptHelp({ usage, about, options }: Script): string {
  const rows = Object.entries({ ...options, help: HELP }).map(
    ([name, { value, about, isWords }]) => {
      const written = isWords ? value : [`--${name}`, value].filter(Boolean).join(' ');
      return [written ?? '', about] as const;
    },
  );
  const width = Math.max(...rows.map(([written]) => written.length));
  return [
    // The lab's commands come after `--` themselves.
    `${usage} ${usage.includes(' -- ') ? '[options]' : '[-- options]'}`,
    '',
    ...about.split('\n').map((line) => `  ${line}`),
    '',
    ...rows.map(([written, text]) => `  ${written.padEnd(width)}  ${text}`),
  ].join('\n');
}

/**
 * The values of all options, absent ones included; null when the command line asks for help. Throws
 * an error that names what it does not know: a mistyped option must not start a gateway with other
 * settings.
 */
export function readOptions<Options extends ScriptOptions>(
  options: Options,
  args: readonly string[],
): ValuesOf<Options> | null {
  const given: Readonly<Record<string, readonly (string | boolean)[] | undefined>> = parsed(
    options,
    args,
  );
  if (given.help !== undefined) {
    return null;
  }
  const entries = Object.entries<ScriptOption>(options).map(([name, option]) => {
    const { value, about, read, isRepeatable, isRequired } = option;
    const all = (given[name] ?? []).map(String);
    if (all.length > 1 && isRepeatable !== true) {
      throw new Error(`--${name} can be given only once`);
    }
    if (all.length === 0 && isRequired === true) {
      throw new Error(`--${name} ${value} is missing: ${about}\nThe options are listed by --help.`);
    }
    const plain = value === null ? all.length > 0 : all[0];
    return [name, read === undefined ? plain : read(all[0], name, all)];
  });
  return Object.fromEntries(entries) as ValuesOf<Options>;
}

/**
 * Reads this process's command line. Prints the help or the error, and exits, when there is nothing
 * to run.
 */
export function commandLine<Options extends ScriptOptions>(
  script: Script<Options>,
): ValuesOf<Options> {
  try {
    const values = readOptions(script.options, process.argv.slice(2));
    if (values !== null) {
      return values;
    }
  } catch (error) {
    failed(error);
  }
  console.log(scriptHelp(script));
  process.exit(0);
}

/** Runs a script. It exits with 1 when `main` returns false, or throws an error, whose message it prints. */
export async function runScript<Options extends ScriptOptions>(
  script: Script<Options>,
  main: (values: ValuesOf<Options>) => Promise<unknown>,
): Promise<void> {
  const values = commandLine(script);
  try {
    process.exitCode = (await main(values)) === false ? 1 : 0;
  } catch (error) {
    failed(error);
  }
}

/** Prints why the script cannot go on, and ends it. */
export function failed(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** An option that takes a whole number. `otherwise`: its value when it is absent, named in the help. */
export function numberOption<Otherwise extends number | null>(
  value: string,
  about: string,
  otherwise: Otherwise,
  minimum = 1,
  maximum = Number.MAX_SAFE_INTEGER,
) {
  return {
    value,
    about: otherwise === null ? about : `${about} (default: ${otherwise})`,
    read: (text: string | undefined, name: string): number | Otherwise =>
      text === undefined ? otherwise : wholeNumber(name, text, minimum, maximum),
  };
}

/** Reads a number of the command line. Throws an error that says what it may be. */
export function wholeNumber(
  name: string,
  text: string,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < minimum || number > maximum) {
    const upTo = maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`;
    throw new Error(`--${name} takes a whole number from ${minimum}${upTo}`);
  }
  return number;
}
