import {
  commandLine,
  type Script,
  type ScriptOptions,
  type ValuesOf,
  wholeNumber,
} from '../../scripts/project/options.ts';

/** Runs one of the lab's commands. It exits with 1 when `main` returns false or throws. */
export async function runScript<Options extends ScriptOptions>(
  script: Script<Options>,
  main: (values: ValuesOf<Options>) => Promise<boolean>,
): Promise<never> {
  const values = commandLine(script);
  try {
    process.exit((await main(values)) ? 0 : 1);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

/** The seed of a run: another one each time, unless it is given. */
export function seedOption(about: string) {
  return {
    value: 'N',
    about: `${about} (default: the time)`,
    read: (text: string | undefined, name: string) =>
      text === undefined ? Date.now() % 1_000_000 : wholeNumber(name, text, 0),
  };
}
