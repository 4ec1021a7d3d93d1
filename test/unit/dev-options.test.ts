import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ignoredRailSecrets } from '../../scripts/dev/local-secrets.ts';
import { DEV_HELP, devOptions } from '../../scripts/dev/options.ts';
import { DEFAULT_STATE_DIRECTORY } from '../../scripts/project/files.ts';

/** Goal: `npm run dev` refuses what it does not know, before it creates anything. */

const DEFAULTS = {
  port: 8787,
  stateDirectory: DEFAULT_STATE_DIRECTORY,
  hasStandIns: true,
  hasBackOffice: true,
  variables: [],
  configFile: undefined,
  wranglerArgs: ['--inspector-port', '0', '--log-level', 'warn'],
};

test.each<[string, object]>([
  ['', {}],
  ['--port 8790', { port: 8790 }],
  ['--port=1', { port: 1 }],
  ['--persist-to a/b', { stateDirectory: resolve('a/b') }],
  ['--no-stand-ins', { hasStandIns: false }],
  ['--payments-only', { hasBackOffice: false }],
  ['--verbose', { wranglerArgs: ['--inspector-port', '0'] }],
  [
    '--verbose --log-level debug',
    { wranglerArgs: ['--inspector-port', '0', '--log-level', 'debug'] },
  ],
  [
    '--inspector-port 9229 --log-level error --config a.toml --var RATE_LIMITS:off --var A:--b',
    {
      wranglerArgs: [...['--inspector-port', '9229', '--log-level', 'error']],
      configFile: 'a.toml',
      variables: ['RATE_LIMITS:off', 'A:--b'],
    },
  ],
])('reads "%s"', (line, changed) => {
  expect(devOptions(line.split(' ').filter(Boolean))).toEqual({ ...DEFAULTS, ...changed });
});

describe('refuses', () => {
  test.each([
    ['--prot 8790', '--prot'],
    ['--remote', '--remote'],
    ['8790', '8790'],
    ['--port', '--port'],
    ['--port=', '--port takes a number'],
    ['--port 0', '--port takes a number'],
    ['--port 65536', '--port takes a number'],
    ['--port 1e3', '--port takes a number'],
    ['--port 1 --port 2', '--port can be given only once'],
    ['--persist-to=', '--persist-to takes a directory'],
    ['--verbose=yes', '--verbose'],
  ])('%s', (line, message) => {
    expect(() => devOptions(line.split(' '))).toThrow(message);
  });
});

test('prints help that names every option', () => {
  expect(devOptions(['--port', '8790', '--help'])).toBeNull();
  for (const name of ['port PORT', 'persist-to DIR', 'no-stand-ins', 'verbose', 'var', 'help']) {
    expect(DEV_HELP).toContain(`--${name}`);
  }
});

test('names the rails’ secrets in .dev.vars that wrangler ignores, and says what to do', () => {
  const required = 'OPERATOR_SECRETS="kfl_op_a"\n';
  expect(ignoredRailSecrets(required)).toBeNull();
  const file = `${required}RAIL_M_PESA_SANDBOX='{"a":"secret"}'\nRAIL_CBE_PRODUCTION={}\n`;
  const warning = ignoredRailSecrets(file);
  expect(warning).toContain('ignores RAIL_CBE_PRODUCTION, RAIL_M_PESA_SANDBOX.');
  expect(warning).toContain('npm run dev -- --var "RAIL_CBE_PRODUCTION:$(cat FILE)"');
  expect(warning).not.toContain('secret');
});
