import { resolve } from 'node:path';
import { DEFAULT_STATE_DIRECTORY } from '../project/files.ts';
import { numberOption, type ValuesOf } from '../project/options.ts';

export const DEFAULT_PORT = 8787;

/** `npm run dev`. */
export const DEV = {
  usage: 'npm run dev',
  about: `Starts a local gateway. Creates what is missing: local secrets (.dev.vars), a database and a demo
merchant. Starts stand-ins for the providers, and prints the first steps.`,
  options: {
    port: numberOption('PORT', 'where the gateway listens', DEFAULT_PORT, 1, 65_535),
    'persist-to': {
      value: 'DIR',
      about: 'where it keeps its state (default: .wrangler/state)',
      read: (directory = DEFAULT_STATE_DIRECTORY) => {
        if (directory === '') {
          throw new Error('--persist-to takes a directory');
        }
        return resolve(directory);
      },
    },
    'no-stand-ins': { value: null, about: 'start no stand-ins: production then has no methods' },
    empty: { value: null, about: 'no demo merchant: to restore a backup into this gateway' },
    'payments-only': { value: null, about: 'run the payments alone, without the back office' },
    verbose: {
      value: null,
      about: 'show all that wrangler prints: each request, each line of the log',
    },
    var: {
      value: 'NAME:VALUE',
      about: 'a variable of wrangler.toml, such as RATE_LIMITS:off; can be repeated',
      isRepeatable: true,
      read: (_text: string | undefined, _name: string, all: readonly string[]) => all,
    },
    config: { value: 'FILE', about: "another wrangler.toml of the payments' Worker" },
    'log-level': { value: 'LEVEL', about: "wrangler's log level (default: warn)" },
    'inspector-port': { value: 'PORT', about: "the debugger's port (default: any free port)" },
  },
} as const;

export type DevOptions = ValuesOf<typeof DEV.options>;
