#!/usr/bin/env node
/**
 * `kefel`: tries webhooks on your machine, looks up payments, refunds them and makes payment links,
 * through the TypeScript client. docs/sandbox.md#cli tells what each command is for.
 */
import { KefelConnectionError, KefelError, VERSION } from '../typescript/kefel.ts';
import { commandHelp, given, overview, UsageError } from './command.ts';
import { COMMANDS, commandIn, commandsOf } from './commands.ts';
import { reasonOf } from './forward.ts';
import { print, printNote } from './output.ts';

async function main(words: readonly string[]): Promise<void> {
  const [first, second] = words;
  if (first === undefined || first === 'help' || first === '--help') {
    print(overview(COMMANDS));
    return;
  }
  if (first === '--version') {
    print(VERSION);
    return;
  }
  const found = commandIn(words);
  if (found === null) {
    explain(first, second);
    return;
  }
  const { name, command, rest } = found;
  const line = given(name, command, rest);
  if (line.has('help')) {
    print(commandHelp(name, command));
    return;
  }
  await command.run(line);
}

/** Prints the commands of a group, such as `links`. Throws UsageError for other words. */
function explain(first: string, second: string | undefined): void {
  const group = commandsOf(first);
  const isGroup = Object.keys(group).length > 0;
  if (isGroup && (second === undefined || second === '--help')) {
    print(overview(group));
    return;
  }
  const name = isGroup ? `${first} ${second}` : first;
  throw new UsageError(`There is no command "${name}".\n\n${overview(isGroup ? group : COMMANDS)}`);
}

function accountOf(error: unknown): string {
  // The client throws a RangeError for what it does not send.
  if (error instanceof UsageError || error instanceof RangeError) {
    return error.message;
  }
  if (error instanceof KefelError) {
    return refusalText(error);
  }
  if (error instanceof KefelConnectionError || error instanceof TypeError) {
    return `The gateway does not answer: ${reasonOf(error)}. Is its address right (--url), and is it running?`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function refusalText(error: KefelError): string {
  const fields = Object.entries(error.validationErrors);
  return [
    `${error.message} (${error.status} ${error.code})`,
    // The message has the first of them.
    ...fields.slice(1).map(([path, text]) => `  ${path}: ${text}`),
    ...(error.docs === null ? [] : [`What to do: ${error.docs}`]),
    ...(error.requestId === null
      ? []
      : [
          `Request:    ${error.requestId}`,
          "            Only the gateway's logs say more: send this id to its support.",
        ]),
  ].join('\n');
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  printNote(accountOf(error));
  process.exitCode = 1;
}
