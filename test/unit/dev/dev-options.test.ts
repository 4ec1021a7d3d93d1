import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ignoredSecrets } from '../../../scripts/dev/local-secrets.ts';
import { DEV, type DevOptions } from '../../../scripts/dev/options.ts';
import { DEFAULT_STATE_DIRECTORY } from '../../../scripts/project/files.ts';
import { readOptions, scriptHelp } from '../../../scripts/project/options.ts';

/** Goal: `npm run dev` refuses what it does not know, before it creates anything. */

const DEFAULTS = {
  port: 8787,
  'persist-to': DEFAULT_STATE_DIRECTORY,
  'no-stand-ins': false,
  empty: false,
  'payments-only': false,
  verbose: false,
  var: [],
  config: undefined,
  'log-level': undefined,
  'inspector-port': undefined,
};

test.each<[string, Partial<DevOptions>]>([
  ['', {}],
  ['--port 8790', { port: 8790 }],
  ['--port=1', { port: 1 }],
  ['--persist-to a/b', { 'persist-to': resolve('a/b') }],
  ['--no-stand-ins', { 'no-stand-ins': true }],
  ['--empty', { empty: true }],
  ['--payments-only', { 'payments-only': true }],
  ['--empty', { empty: true }],
  ['--verbose --log-level debug', { verbose: true, 'log-level': 'debug' }],
  ['--inspector-port 9229 --config a.toml', { 'inspector-port': '9229', config: 'a.toml' }],
  ['--var RATE_LIMITS:off --var A:--b', { var: ['RATE_LIMITS:off', 'A:--b'] }],
])('reads "%s"', (line, changed) => {
  expect(readOptions(DEV.options, line.split(' ').filter(Boolean))).toEqual({
    ...DEFAULTS,
    ...changed,
  });
});

describe('refuses', () => {
  test.each([
    ['--prot 8790', '--prot'],
    ['--remote', '--remote'],
    ['8790', '8790'],
    ['--port', '--port'],
    ['--port=', '--port takes a whole number'],
    ['--port 0', '--port takes a whole number'],
    ['--port 65536', '--port takes a whole number'],
    ['--port 1e3', '--port takes a whole number'],
    ['--port 1 --port 2', '--port can be given only once'],
    ['--persist-to=', '--persist-to takes a directory'],
    ['--verbose=yes', '--verbose'],
  ])('%s', (line, message) => {
    expect(() => readOptions(DEV.options, line.split(' '))).toThrow(message);
  });
});

test('refuses a command line without an option that it needs, but prints its help', () => {
  const options = { run: { value: 'RUN', about: 'the run', isRequired: true as const } };
  expect(() => readOptions(options, [])).toThrow('--run RUN is missing: the run');
  expect(readOptions(options, ['--run', '1'])).toEqual({ run: '1' });
  expect(readOptions(options, ['--help'])).toBeNull();
});

test('prints help that names every option', () => {
  expect(readOptions(DEV.options, ['--port', '8790', '--help'])).toBeNull();
  for (const name of ['port PORT', 'persist-to DIR', 'no-stand-ins', 'verbose', 'var', 'help']) {
    expect(scriptHelp(DEV)).toContain(`--${name}`);
  }
});

test('names the optional secrets in .dev.vars that wrangler ignores, and says what to do', () => {
  const required = 'OPERATOR_SECRETS="kfl_op_a"\n';
  expect(ignoredSecrets(required)).toBeNull();
  const file = `${required}RAIL_M_PESA_SANDBOX='{"a":"secret"}'\nRAIL_CBE_PRODUCTION={}\nALERT_TELEGRAM=secret\n`;
  const warning = ignoredSecrets(file);
  expect(warning).toContain('ignores ALERT_TELEGRAM, RAIL_CBE_PRODUCTION, RAIL_M_PESA_SANDBOX.');
  expect(warning).toContain('npm run dev -- --var "ALERT_TELEGRAM:$(cat FILE)"');
  expect(warning).not.toContain('secret');
});
