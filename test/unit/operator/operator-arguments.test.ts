import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  defaultOperatorsFile,
  writeOperatorsFile,
} from '../../../scripts/deployment/operators-file.ts';
import { optionsOf, parseCommandLine } from '../../../scripts/operator/arguments.ts';
import { gatewayOf, inBatches } from '../../../scripts/operator/client.ts';
import { UsageError } from '../../../scripts/operator/command.ts';
import { COMMANDS } from '../../../scripts/operator/commands.ts';
import { helpText } from '../../../scripts/operator/help.ts';
import { facts, plain, table } from '../../../scripts/operator/text.ts';

/**
 * Goal: a command line becomes exactly one request, or is rejected with a reason before anything is
 * sent; the secret comes from the environment or a file, never from the command line. Method: tables of command lines.
 */

function requestOf(line: string) {
  const parsed = parseCommandLine(words(line));
  if ('help' in parsed) {
    throw new Error('help');
  }
  return parsed.command.request(parsed.given);
}

/** Splits at spaces outside double quotes. */
function words(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

describe('requests', () => {
  test.each<[string, string, unknown]>([
    ['merchant list', '/merchants', undefined],
    ['merchant list --status suspended', '/merchants?status=suspended', undefined],
    ['merchant show a', '/merchants/a', undefined],
    [
      'merchant create --name "Abebe Coffee" --id abebe --methods CBE,M_PESA --commission M_PESA=1.5+2 --commission CBE=0.25',
      '/merchants',
      {
        name: 'Abebe Coffee',
        id: 'abebe',
        methods: ['CBE', 'M_PESA'],
        commissions: [
          { method: 'M_PESA', basisPoints: 150, fixedMinor: 200 },
          { method: 'CBE', basisPoints: 25, fixedMinor: 0 },
        ],
      },
    ],
    ['merchant create --name A --methods none', '/merchants', { name: 'A', methods: [] }],
    ['merchant suspend a --reason "as agreed"', '/merchants/a/suspend', { reason: 'as agreed' }],
    ['owner invite a --name B', '/merchants/a/invitations', { name: 'B', role: 'owner' }],
    [
      'member invite a --name B --role viewer',
      '/merchants/a/invitations',
      { name: 'B', role: 'viewer' },
    ],
    ['member revoke-link a inv_1', '/merchants/a/invitations/inv_1/revoke', {}],
    [
      'member remove a mem_1 --reason Left',
      '/merchants/a/members/mem_1/remove',
      { reason: 'Left' },
    ],
    [
      'key revoke a 0f --environment production --reason Leaked',
      '/merchants/a/production/keys/0f/revoke',
      { reason: 'Leaked' },
    ],
    [
      'statement export --period 2026-11 --environment production --to f',
      '/statements/production/export',
      { period: '2026-11' },
    ],
    ['audit export 2026-11 --to f', '/audit/export', { month: '2026-11' }],
    ['merchant close a --reason Over', '/merchants/a/close', { reason: 'Over' }],
    ['member recover a mem_1', '/merchants/a/members/mem_1/recovery', {}],
    [
      'method withdraw a CBE --environment production',
      '/merchants/a/production/methods/CBE/offer',
      { offered: false },
    ],
    [
      'commission set a CBE --environment=sandbox --percent 100 --fixed 0.05',
      '/merchants/a/sandbox/methods/CBE/commission',
      { basisPoints: 10_000, fixedMinor: 5 },
    ],
    [
      'limit set a ETB --environment production --amount none',
      '/merchants/a/production/limits/ETB',
      { amountMinorMax: null },
    ],
    [
      'limit set a USD --environment production --amount 999999999.99',
      '/merchants/a/production/limits/USD',
      { amountMinorMax: 99_999_999_999 },
    ],
    [
      'merchant app-schemes a --set myshop,com.example.shop',
      '/merchants/a/app-schemes',
      { schemes: ['myshop', 'com.example.shop'] },
    ],
    ['merchant app-schemes a --set none', '/merchants/a/app-schemes', { schemes: [] }],
    [
      'merchant refund-limits a --days 90 --daily 50000.5',
      '/merchants/a/refund-limits',
      { refundAgeDaysMax: 90, refundDailyMaxMinor: 5_000_050 },
    ],
    [
      'merchant refund-limits a --days 400 --daily none',
      '/merchants/a/refund-limits',
      { refundAgeDaysMax: 400, refundDailyMaxMinor: null },
    ],
    ['bank set X --withdrawal no', '/banks/X', { supportsWithdrawal: false }],
    ['attention --environment sandbox', '/attention?environment=sandbox', undefined],
    ['payment show sandbox a "a/b ü"', '/payments/sandbox/a/a%2Fb%20%C3%BC', undefined],
    ['payment review sandbox a p --note x', '/payments/sandbox/a/p/review', { note: 'x' }],
    ['attention review 1 2 --note x', '/attention/review', { ids: ['1', '2'], note: 'x' }],
    ['attention resend 1', '/attention/resend', { ids: ['1'] }],
    ['dead-letter retry 1 2', '/dead-letters/retry', { ids: ['1', '2'] }],
    ['dead-letter discard 1 --reason x', '/dead-letters/discard', { ids: ['1'], reason: 'x' }],
    ['rebuild objects --object aa --object bb', '/books/rebuild', { objectIds: ['aa', 'bb'] }],
  ])('%s', (line, path, body) => {
    expect(requestOf(line)).toEqual(body === undefined ? { path } : { path, body });
  });

  test.each([
    ['--returned --reference RF9', { outcome: 'returned', reference: 'RF9' }],
    ['--not-returned', { outcome: 'not_returned' }],
  ])('refund resolve %s', (options, outcome) => {
    const line = `refund resolve production a p "r/1" ${options} --note x`;
    const [first, second] = [requestOf(line), requestOf(line)];
    const resolutionId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(first).toEqual({
      path: '/payments/production/a/p/refunds/r%2F1/resolve',
      body: { ...outcome, note: 'x', resolutionId },
    });
    expect(first.body?.resolutionId).not.toBe(second.body?.resolutionId);
  });

  test('refund request', () => {
    const line =
      'refund request production a p --amount-minor 10050 --attempt REF --id c-1 --reason x';
    expect(requestOf(line)).toEqual({
      path: '/payments/production/a/p/refunds',
      body: { refundUniqueId: 'c-1', amountMinor: 10_050, transactionId: 'REF', reason: 'x' },
    });
    const all = requestOf('refund request production a p --reason x');
    const refundUniqueId = expect.stringMatching(/^op_[0-9a-f-]{36}$/);
    expect(all.body).toEqual({ refundUniqueId, reason: 'x' });
  });

  test.each([
    [50, [50]],
    [101, [50, 50, 1]],
  ])('sends %i ids in requests that the gateway takes', (count, sizes) => {
    const ids = Array.from({ length: count }, (_, index) => `dead${index}`);
    const requests = inBatches(requestOf(`dead-letter discard ${ids.join(' ')} --reason x`));
    const sent = requests.map(({ body }) => body?.ids as readonly string[]);
    expect(sent.map(({ length }) => length)).toEqual(sizes);
    expect(sent.flat()).toEqual(ids);
    expect(new Set(requests.map(({ path, body }) => `${path} ${body?.reason}`))).toEqual(
      new Set(['/dead-letters/discard x']),
    );
  });

  test('each manual resolution has its own id', () => {
    const line = 'payment resolve sandbox a p REF --succeeded --receipt R --note x';
    const [first, second] = [requestOf(line), requestOf(line)];
    expect(first).toMatchObject({
      path: '/payments/sandbox/a/p/attempts/REF/resolve',
      body: { outcome: 'succeeded', receipt: 'R', note: 'x' },
    });
    expect(first.body?.resolutionId).not.toBe(second.body?.resolutionId);
  });
});

describe('rejects', () => {
  test.each([
    ['fly', 'unknown command "fly"'],
    ['--as Hana payment show', 'the noun and the verb come before the options'],
    [
      'merchant',
      '"merchant" has the verbs list, show, create, rename, app-schemes, refund-limits, suspend',
    ],
    ['merchant show', 'merchant show needs MERCHANT'],
    ['merchant show a b', 'merchant show does not take "b"'],
    ['merchant create', 'merchant create needs --name TEXT'],
    ['merchant create --name A --name B', '--name can be given only once'],
    ['merchant create --nmae A', "Unknown option '--nmae'"],
    ['merchant create --name A --methods CASH', 'the method must be one of TELE_BIRR'],
    ['merchant create --name A --commission CBE', '--commission must be METHOD=PERCENT'],
    ['merchant create --name A --commission CBE=2.555', 'at most two decimals'],
    ['merchant create --name A --secret x', "Unknown option '--secret'"],
    ['merchant list --all --all', '--all can be given only once'],
    ['commission set a CBE --environment live --percent 1', 'the environment must be one of'],
    ['commission set a CBE --environment sandbox --percent 100.01', '0 to 100 percent'],
    ['commission set a CBE --environment sandbox --percent 1e1', '0 to 100 percent'],
    ['limit set a ETB --environment sandbox --amount 1,000', 'an amount must have'],
    ['merchant refund-limits a --days 1.5 --daily none', '--days must be a whole number of days'],
    ['merchant refund-limits a --days 9 --daily 1e3', 'an amount must have'],
    ['merchant refund-limits a --days 9', 'merchant refund-limits needs --daily'],
    ['bank set X', 'nothing to change'],
    ['payment resolve sandbox a p R --note x', 'give either --succeeded'],
    ['payment resolve sandbox a p R --succeeded --failed --note x', 'give either --succeeded'],
    ['payment resolve sandbox a p R --succeeded --note x', '--succeeded needs --receipt'],
    ['payment resolve sandbox a p R --failed --note x', '--failed needs --reason'],
    ['refund request sandbox a p', 'refund request needs --reason'],
    ['refund request sandbox a p --amount 50 --reason x', 'use --amount-minor, in minor units'],
    ['refund request sandbox a p --amount-minor 50.5 --reason x', 'a whole number of minor units'],
    ['refund resolve sandbox a p r --note x', 'give either --returned'],
    ['refund resolve sandbox a p r --returned --not-returned --note x', 'give either --returned'],
    ['refund resolve sandbox a p r --returned --note x', '--returned needs --reference'],
    [
      'refund resolve sandbox a p r --not-returned --reference X --note x',
      '--reference is only for --returned',
    ],
    ['refund resolve sandbox a p r --not-returned', 'refund resolve needs --note'],
    ['dead-letter retry', 'dead-letter retry needs ID…'],
  ])('%s', (line, message) => {
    expect(() => requestOf(line)).toThrow(UsageError);
    expect(() => requestOf(line)).toThrow(message);
  });
});

describe('help', () => {
  test.each(COMMANDS.map((command) => [command.name, command] as const))('%s', (name, command) => {
    const parsed = parseCommandLine([...name.split(' '), '--help']);
    expect(parsed).toEqual({ help: [command] });
    const text = helpText([command]);
    for (const option of Object.keys(optionsOf(command))) {
      expect(text).toContain(`--${option}`);
    }
  });

  test.each(COMMANDS.flatMap(({ examples }) => examples))('the example "%s" works', (line) => {
    expect(requestOf(line).path).toMatch(/^\//);
  });

  test('lists every command and the environment', () => {
    const parsed = parseCommandLine([]);
    const text = 'help' in parsed ? helpText(parsed.help) : '';
    for (const { name } of COMMANDS) {
      expect(text).toContain(name);
    }
    expect(text).toContain('KEFEL_OPERATOR_SECRET');
    expect(text).toContain('Exit codes');
  });
});

describe('the gateway', () => {
  const secret = `kfl_op_${'x'.repeat(43)}`;

  describe('of a deployment', () => {
    const options = { url: undefined, operatorName: undefined, deployment: 'staging' };
    let home: string;

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'kefel-home-'));
      vi.stubEnv('HOME', home);
      const own = { url: 'https://office.example.com', name: 'Sara', secret };
      await writeOperatorsFile(defaultOperatorsFile('staging'), own);
      return async () => {
        vi.unstubAllEnvs();
        await rm(home, { recursive: true });
      };
    });

    test('has the address and the secret that setup left on this machine', async () => {
      const gateway = await gatewayOf(options, { KEFEL_URL: 'https://elsewhere.example.com' });
      expect(gateway).toEqual({
        origin: 'https://office.example.com',
        headers: { authorization: `Bearer ${secret}`, 'x-operator': 'Sara' },
      });
    });

    test('takes commands of no second operator', async () => {
      await expect(gatewayOf({ ...options, operatorName: 'Dawit' }, {})).rejects.toThrow(
        'this machine has the secret of Sara, and none of Dawit',
      );
    });

    test('is asked for by its setup when this machine does not know it', async () => {
      await rm(defaultOperatorsFile('staging'));
      await expect(gatewayOf(options, {})).rejects.toThrow(
        /there is no .*kefel-staging-operators\.json/,
      );
    });
  });

  test('gets secret, name and service token in headers', async () => {
    const gateway = await gatewayOf(
      { url: 'https://pay.example.com/x', operatorName: 'አበበ' },
      {
        KEFEL_OPERATOR_SECRET: secret,
        CF_ACCESS_CLIENT_ID: 'id.access',
        CF_ACCESS_CLIENT_SECRET: 'token',
      },
    );
    expect(gateway).toEqual({
      origin: 'https://pay.example.com',
      headers: {
        authorization: `Bearer ${secret}`,
        'x-operator': '%E1%8A%A0%E1%89%A0%E1%89%A0',
        'cf-access-client-id': 'id.access',
        'cf-access-client-secret': 'token',
      },
    });
  });

  test.each<[string, string, NodeJS.ProcessEnv, string]>([
    ['no secret', 'https://pay.example.com', {}, 'KEFEL_OPERATOR_SECRET is not set'],
    ['no encryption', 'http://pay.example.com', { KEFEL_OPERATOR_SECRET: secret }, 'use https'],
    ['no URL', 'pay.example.com', { KEFEL_OPERATOR_SECRET: secret }, '--url must be a URL'],
  ])('rejects %s', async (_name, url, environment, message) => {
    await expect(gatewayOf({ url, operatorName: undefined }, environment)).rejects.toThrow(message);
  });
});

test('text from outside cannot move the cursor', () => {
  expect(plain('a\u001b[2Jb\nc\u202e')).toBe('a [2Jb c ');
  expect(table(['A', 'B'], [['x\ny', 1]], '-')).toEqual(['A    B', 'x y  1']);
  expect(
    facts([
      ['Long label', 'v'],
      ['X', '\u0007'],
    ]),
  ).toEqual(['Long label  v', 'X            ']);
});
