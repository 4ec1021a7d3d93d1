import { createInterface } from 'node:readline/promises';

/** What setup prints and asks. */
export interface Terminal {
  /** Whether a person can answer. */
  readonly isInteractive: boolean;
  say(text: string): void;
  /** The answer without spaces around it. */
  ask(question: string): Promise<string>;
}

/** A word of a shell's command line, for people to copy. A `$` in double quotes would change it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The command that this process was started with, without some of its flags. It names the deployment,
 * because KEFEL_ENV of another terminal may name another one.
 */
export function commandOf(
  script: string,
  deployment: string,
  without: readonly string[] = [],
  args: readonly string[] = process.argv.slice(2),
): string {
  const given = args.filter((word) => !without.includes(word));
  const isNamed = given.some((word) => /^--env(?:=|$)/.test(word));
  const words = [...given, ...(isNamed ? [] : ['--env', deployment])];
  return [`npm run ${script} --`, ...words.map(quoted)].join(' ');
}

export function processTerminal(): Terminal {
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    isInteractive,
    say: (text) => console.log(text),
    ask: async (question) => {
      const reader = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return (await reader.question(question)).trim();
      } finally {
        reader.close();
      }
    },
  };
}
