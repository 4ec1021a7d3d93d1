import { parseArgs } from 'node:util';
import { experimental_getWranglerCommands } from 'wrangler';

/**
 * Wrangler's own table of its commands, with the options and arguments of each: the one that its parser
 * and its completion in shells read. A process for each command would cost seconds.
 */

const { registry, globalFlags } = experimental_getWranglerCommands();

/** An option or argument in the table. */
interface Definition {
  readonly type?: string;
  readonly alias?: string | readonly string[];
  readonly array?: boolean;
  readonly choices?: readonly unknown[];
  readonly demandOption?: boolean | string;
}

export interface WranglerCommand {
  /** `d1 migrations apply` */
  readonly name: string;
  readonly arguments: readonly string[];
}

/** Reads the words after `wrangler`. Throws what wrangler would refuse. */
export function parseWrangler(words: readonly string[]): WranglerCommand {
  const { names, args, positionalArgs } = commandOf(words);
  const { values, positionals } = parseArgs({
    args: words.slice(names.length),
    allowPositionals: true,
    allowNegative: true,
    options: Object.fromEntries(
      Object.entries({ ...globalFlags, ...args, help: { type: 'boolean' } } as Definitions)
        .filter(([name]) => !positionalArgs.includes(name))
        .map(([name, definition]) => [name, optionOf(definition)]),
    ),
  });
  for (const [name, { demandOption, choices }] of Object.entries(args)) {
    const place = positionalArgs.indexOf(name);
    const given = place < 0 ? [values[name] ?? []].flat() : positionals.slice(place, place + 1);
    if (demandOption && given.length === 0 && values.help === undefined) {
      throw new Error(`wrangler ${names.join(' ')} needs ${name}`);
    }
    if (choices !== undefined && !given.every((value) => choices.includes(value))) {
      throw new Error(`${name} is one of ${choices.join(', ')}`);
    }
  }
  const takesMore = args[positionalArgs.at(-1) ?? '']?.array === true;
  if (positionals.length > positionalArgs.length && !takesMore) {
    throw new Error(`wrangler ${names.join(' ')} takes no ${positionals[positionalArgs.length]}`);
  }
  return { name: names.join(' '), arguments: positionals };
}

type Definitions = Readonly<Record<string, Definition>>;

function commandOf(words: readonly string[]) {
  let node = registry;
  const names: string[] = [];
  for (const word of words) {
    const next = node.subtree.get(word);
    if (next === undefined) {
      break;
    }
    node = next;
    names.push(word);
  }
  const { definition } = node;
  if (definition?.type !== 'command') {
    throw new Error(`wrangler has no command ${words.slice(0, names.length + 1).join(' ')}`);
  }
  const args: Definitions = definition.args ?? {};
  return { names, args, positionalArgs: (definition.positionalArgs ?? []).map(String) };
}

function optionOf({ type, alias }: Definition) {
  const short = [alias ?? []].flat().find((name) => name.length === 1);
  return {
    type: type === 'boolean' ? 'boolean' : 'string',
    multiple: true,
    ...(short !== undefined && { short }),
  } as const;
}
