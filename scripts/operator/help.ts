import type { Option } from '../../back-office/operator/actions/action.ts';
import { GENERAL_OPTIONS, LIST_OPTIONS, optionsOf } from './arguments.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';

const PROGRAM = 'npm run operator --';

/** The help of one command, or a list of several with their common options. */
export function helpText(commands: readonly Command[]): string {
  const [only] = commands;
  return only !== undefined && commands.length === 1 ? commandHelp(only) : overview(commands);
}

function usage(command: Command): string {
  return [command.name, ...command.positionals].join(' ');
}

function commandHelp(command: Command): string {
  return [
    `${PROGRAM} ${usage(command)} [options]`,
    '',
    `  ${command.about}`,
    '',
    ...optionLines(optionsOf(command)),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${PROGRAM} ${example}`),
  ].join('\n');
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usage(command).length));
  const isWhole = commands.length === COMMANDS.length;
  return [
    `${PROGRAM} <noun> <verb> [options]`,
    '',
    ...commands.map((command) => `  ${usage(command).padEnd(width)}  ${command.about}`),
    '',
    'Options of every command:',
    ...optionLines(GENERAL_OPTIONS),
    'Options of lists:',
    ...optionLines(LIST_OPTIONS),
    ...(isWhole ? ['', ...ENVIRONMENT] : []),
    '',
    'Examples:',
    ...commands.map(({ examples }) => `  ${PROGRAM} ${examples[0]}`),
    '',
    `Help for one command: ${PROGRAM} merchant create --help`,
  ].join('\n');
}

const ENVIRONMENT = [
  'Environment variables (command lines end up in shell history and process lists):',
  '  KEFEL_OPERATOR_SECRET                       the secret; for localhost, .dev.vars is the default',
  '  KEFEL_ENV, KEFEL_URL, KEFEL_OPERATOR        same as --env, --url and --as',
  '  CF_ACCESS_CLIENT_ID, CF_ACCESS_CLIENT_SECRET  a service token, if Cloudflare Access protects the API',
  '',
  'Exit codes: 0 done, nothing found; 1 done, something needs a person; 2 refused, unreachable or',
  'invalid command line; of `rail probe` and `rail check --live` also 3 reached, 4 refused,',
  '5 provider unreachable.',
];

function optionLines(options: Readonly<Record<string, Option>>): readonly string[] {
  const shown = Object.entries(options).filter(([, { isRefused }]) => !isRefused);
  const entries = shown.map(([name, { value, about, isRequired }]) => {
    const written = value === null ? `--${name}` : `--${name} ${value}`;
    return [written, `${about}${isRequired ? '; required' : ''}`] as const;
  });
  const width = Math.max(...entries.map(([written]) => written.length));
  return entries.map(([written, about]) => `  ${written.padEnd(width)}  ${about}`);
}
