import {
  runScript,
  type Script,
  type ScriptOptions,
  type ValuesOf,
  wholeNumber,
} from '../../scripts/project/options.ts';

/** Runs one of the lab's commands, prints the stack of its error, and ends what it left running. */
export async function runLabScript<Options extends ScriptOptions>(
  script: Script<Options>,
  main: (values: ValuesOf<Options>) => Promise<boolean>,
): Promise<never> {
  await runScript(script, (values) =>
    main(values).catch((error) => {
      console.error(error);
      return false;
    }),
  );
  process.exit();
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
