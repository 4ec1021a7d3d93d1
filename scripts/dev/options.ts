import { resolve } from 'node:path';
import { DEFAULT_STATE_DIRECTORY } from '../project/files.ts';
import { givenOptions, optionsHelp, type ScriptOptions } from '../project/options.ts';

export interface DevOptions {
  readonly port: number;
  /** Absolute path of what `--persist-to` names. */
  readonly stateDirectory: string;
  /**
   * Production pays through stand-ins for the providers; `--no-stand-ins` leaves it without rails.
   */
  readonly hasStandIns: boolean;
  readonly hasBackOffice: boolean;
  /** Such as `RATE_LIMITS:off`. */
  readonly variables: readonly string[];
  /** The payments' configuration; undefined for wrangler.toml. */
  readonly configFile: string | undefined;
  /** For wrangler: `--log-level` and `--inspector-port`. */
  readonly wranglerArgs: readonly string[];
}

export const DEFAULT_PORT = 8787;
const PORT_MAX = 65_535;

const OPTIONS: ScriptOptions = {
  port: { value: 'PORT', about: `where the gateway listens (default: ${DEFAULT_PORT})` },
  'persist-to': { value: 'DIR', about: 'where it keeps its state (default: .wrangler/state)' },
  'no-stand-ins': { value: null, about: 'start no stand-ins: production then has no methods' },
  'payments-only': { value: null, about: 'run the payments alone, without the back office' },
  verbose: {
    value: null,
    about: 'show all that wrangler prints: each request, each line of the log',
  },
  var: {
    value: 'NAME:VALUE',
    about: 'a variable of wrangler.toml, such as RATE_LIMITS:off; can be repeated',
    isRepeatable: true,
  },
  config: { value: 'FILE', about: "another wrangler.toml of the payments' Worker" },
  'log-level': { value: 'LEVEL', about: "wrangler's log level (default: warn)" },
  'inspector-port': { value: 'PORT', about: "the debugger's port (default: any free port)" },
};

export const DEV_HELP = optionsHelp(
  'npm run dev',
  `Starts a local gateway. Creates what is missing: local secrets (.dev.vars), a database and a demo
merchant. Starts stand-ins for the providers, and prints the first steps.`,
  OPTIONS,
);

/** Reads the options of `npm run dev`; null asks for help. Throws on anything it does not know. */
export function devOptions(args: readonly string[]): DevOptions | null {
  const given = givenOptions(OPTIONS, args);
  if (given === null) {
    return null;
  }
  const [port = String(DEFAULT_PORT)] = given.get('port') ?? [];
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > PORT_MAX) {
    throw new Error(`--port takes a number from 1 to ${PORT_MAX}`);
  }
  const [state = DEFAULT_STATE_DIRECTORY] = given.get('persist-to') ?? [];
  if (state === '') {
    throw new Error('--persist-to takes a directory');
  }
  // Any free port: two gateways must not fight over the debugger's.
  const [inspectorPort = '0'] = given.get('inspector-port') ?? [];
  const [logLevel = given.has('verbose') ? null : 'warn'] = given.get('log-level') ?? [];
  return {
    port: Number(port),
    stateDirectory: resolve(state),
    hasStandIns: !given.has('no-stand-ins'),
    hasBackOffice: !given.has('payments-only'),
    wranglerArgs: [
      ...['--inspector-port', inspectorPort],
      ...(logLevel === null ? [] : ['--log-level', logLevel]),
    ],
    variables: given.get('var') ?? [],
    configFile: given.get('config')?.[0],
  };
}
