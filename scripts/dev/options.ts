import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_STATE_DIRECTORY } from '../project/files.ts';

export interface DevOptions {
  readonly port: number;
  /** Absolute path of what `--persist-to` names. */
  readonly stateDirectory: string;
  /**
   * Production pays through stand-ins for the providers; `--no-stand-ins` leaves it without rails.
   */
  readonly hasStandIns: boolean;
  /** Shows what wrangler prints: its banner, the bindings, each request, each line of the log. */
  readonly isVerbose: boolean;
  /** Everything else, for wrangler. */
  readonly otherArgs: readonly string[];
}

export const DEFAULT_PORT = 8787;
const PORT_MAX = 65_535;
const FLAGS = ['no-stand-ins', 'verbose'];
const OURS = ['port', 'persist-to', ...FLAGS];

/**
 * Reads the options of `npm run dev`; values follow a space or `=`. Throws on impossible values.
 */
export function devOptions(args: readonly string[]): DevOptions {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      'persist-to': { type: 'string' },
      'no-stand-ins': { type: 'boolean' },
      verbose: { type: 'boolean' },
    },
    strict: false,
    tokens: true,
  });
  const ours = new Set<number>();
  for (const token of tokens) {
    if (token.kind === 'option' && OURS.includes(token.name)) {
      ours.add(token.index);
      if (token.inlineValue === false && !FLAGS.includes(token.name)) {
        ours.add(token.index + 1);
      }
    }
  }
  const port = Number(values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || values.port === true || port < 1 || port > PORT_MAX) {
    throw new Error(`--port takes a number from 1 to ${PORT_MAX}`);
  }
  const state = values['persist-to'] ?? DEFAULT_STATE_DIRECTORY;
  if (typeof state !== 'string' || state === '') {
    throw new Error('--persist-to takes a directory');
  }
  return {
    port,
    stateDirectory: resolve(state),
    hasStandIns: values['no-stand-ins'] !== true,
    isVerbose: values.verbose === true,
    otherArgs: args.filter((_, index) => !ours.has(index)),
  };
}
