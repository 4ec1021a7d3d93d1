import '../project/exit-on-signals.ts';
import { explained, SetupProblem } from '../deployment/explain.ts';
import type { Terminal } from './terminal.ts';

/** One thing that a step would change, and how. */
export interface Work {
  /** Completes "Will …" and "Would …": `create the database kefel`. */
  readonly what: string;
  readonly make: () => Promise<void>;
}

/** A part of setup. It looks first and then does only what is missing. */
export interface Step {
  readonly title: string;
  /** One sentence, printed before anything happens. */
  readonly why: string;
  /** What is missing; empty when all is right. May print notes. `hasChanged`: this run did something. */
  readonly look: (hasChanged: boolean) => Promise<readonly Work[]>;
}

interface StepsOptions {
  readonly isDryRun: boolean;
  /** Continues after a failure. */
  readonly command: string;
}

/** Runs the steps in order. Returns false after a failure, which it has explained. */
export async function runSteps(
  steps: readonly Step[],
  terminal: Terminal,
  options: StepsOptions,
): Promise<boolean> {
  const sayHow = () => {
    terminal.say(`What is done stays. To continue, run: ${options.command}`);
  };
  const sayStopped = () => {
    terminal.say('\nStopped.');
    sayHow();
  };
  // A person stops the command with Ctrl-C.
  process.once('exit', sayStopped);
  try {
    await runEach(steps, terminal, options);
    return true;
  } catch (error) {
    const { problem, remedy } = explained(error);
    terminal.say(`${problem}\n${remedy}`);
    sayHow();
    return false;
  } finally {
    process.off('exit', sayStopped);
  }
}

async function runEach(
  steps: readonly Step[],
  terminal: Terminal,
  { isDryRun }: StepsOptions,
): Promise<void> {
  let hasChanged = false;
  for (const [index, { title, why, look }] of steps.entries()) {
    terminal.say(`\nStep ${index + 1} of ${steps.length}: ${title}`);
    terminal.say(`  ${why}`);
    try {
      const works = await look(hasChanged);
      if (works.length === 0) {
        terminal.say('  Nothing to do.');
      }
      for (const { what, make } of works) {
        terminal.say(isDryRun ? `  Would ${what}.` : `  Will ${what} …`);
        if (!isDryRun) {
          hasChanged = true;
          await make();
          terminal.say('  Done.');
        }
      }
    } catch (error) {
      const { problem, remedy } = explained(error);
      throw new SetupProblem(`\n${title} failed: ${problem}`, remedy);
    }
  }
}
