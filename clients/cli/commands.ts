import { cancel } from './cancel.ts';
import type { Command } from './command.ts';
import { endpoints } from './endpoints.ts';
import { LINK_COMMANDS } from './links.ts';
import { listen } from './listen.ts';
import { events, payments, refunds } from './lists.ts';
import { refund } from './refund.ts';
import { resend } from './resend.ts';
import { trigger } from './trigger.ts';

/** The commands of `kefel`, by their names of one word or two. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  listen,
  trigger,
  payments,
  cancel,
  refund,
  refunds,
  ...LINK_COMMANDS,
  events,
  resend,
  endpoints,
};

/** The command whose name begins the words, and the words after its name. */
export function commandIn(
  words: readonly string[],
): { readonly name: string; readonly command: Command; readonly rest: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command !== undefined) {
      return { name, command, rest: words.slice(length) };
    }
  }
  return null;
}

/** The commands whose names begin with this word: `links`. */
export function commandsOf(group: string): Readonly<Record<string, Command>> {
  const inGroup = Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${group} `));
  return Object.fromEntries(inGroup);
}
