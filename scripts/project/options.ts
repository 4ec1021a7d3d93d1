import { parseArgs } from 'node:util';

/** An option of a script, for its help and its parser. */
export interface ScriptOption {
  /** Placeholder of the value in the help; null for a flag. */
  readonly value: string | null;
  readonly about: string;
  readonly isRepeatable?: true;
}

export type ScriptOptions = Readonly<Record<string, ScriptOption>>;

/** A script, for its help. `usage` is the command, `about` what it does. */
export interface Script {
  readonly usage: string;
  readonly about: string;
  readonly options: ScriptOptions;
}

/** The values of a command line by the options' names; a flag that was given has an empty text. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>;

const HELP: ScriptOption = { value: null, about: 'show this help' };

/**
 * Reads a command line, or returns null when it asks for help. Throws an error that names what it
 * does not know or lacks: a mistyped option must not start a gateway with other settings.
 */
export function givenOptions(options: ScriptOptions, args: readonly string[]): GivenOptions | null {
  const { values } = parsed(options, args);
  if (values.help !== undefined) {
    return null;
  }
  const given = new Map<string, readonly string[]>();
  for (const [name, all = []] of Object.entries(values)) {
    const texts = all.map((value) => (value === true ? '' : String(value)));
    if (texts.length > 1 && options[name]?.isRepeatable !== true) {
      throw new Error(`--${name} can be given only once`);
    }
    given.set(name, texts);
  }
  return given;
}

function parsed(options: ScriptOptions, args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(
        Object.entries({ ...options, help: HELP }).map(([name, { value }]) => [
          name,
          { type: value === null ? 'boolean' : 'string', multiple: true } as const,
        ]),
      ),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}\nThe options are listed by --help.`);
  }
}

/** The help of a script: `usage` is the command, `about` what it does. */
export function optionsHelp(usage: string, about: string, options: ScriptOptions): string {
  const rows = Object.entries({ ...options, help: HELP }).map(
    ([name, { value, about }]) =>
      [value === null ? `--${name}` : `--${name} ${value}`, about] as const,
  );
  const width = Math.max(...rows.map(([written]) => written.length));
  return [
    `${usage} [-- options]`,
    '',
    ...about.split('\n').map((line) => `  ${line}`),
    '',
    ...rows.map(([written, text]) => `  ${written.padEnd(width)}  ${text}`),
  ].join('\n');
}

/**
 * Reads this process's command line by `read`, which throws what is wrong with a value. Prints the
 * help or the error, and exits, when there is nothing to run.
 */
export function commandLine<Read>(
  { usage, about, options }: Script,
  read: (given: GivenOptions) => Read,
): Read {
  try {
    const given = givenOptions(options, process.argv.slice(2));
    if (given !== null) {
      return read(given);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  console.log(optionsHelp(usage, about, options));
  process.exit(0);
}
