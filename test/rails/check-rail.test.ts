import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { probeLive, queryLive } from '../../scripts/check-rail/live.ts';
import { formLines, probeLines } from '../../scripts/check-rail/probe-text.ts';
import { redacted } from '../../scripts/check-rail/redact.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { startCbeBirrStandIn } from '../../scripts/stand-ins/cbe-birr.ts';
import { startEbirrStandIn } from '../../scripts/stand-ins/ebirr.ts';
import { jsonReply, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { startTelebirrH5StandIn } from '../../scripts/stand-ins/telebirr-h5.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { RailScene } from '../support/rails/scene.ts';

/** `npm run operator -- rail check … --live`: what it prints, without secrets, and its exit codes. */

const QUERY = {
  method: 'E_BIRR',
  environment: 'production',
  reference: undefined,
  railReference: undefined,
  amountMinor: 150_000,
  resultUrl: 'https://kefel.invalid/rails/check',
} as const;

test('asks about one payment and prints the answer and its meaning', async () => {
  const scene = await RailScene.start(PLAYERS.ebirr);
  const { rail } = scene;
  const { settings } = scene.standIn;
  const order = scene.order({ act: 'pays', callback: 'never' });
  await rail.start(order);
  const { reference } = order.attempt;
  const lines = await queryLive(
    rail,
    { ...QUERY, reference, amountMinor: order.chargedMinor },
    settings,
  );
  expect(lines).toEqual([
    expect.stringMatching(/^POST http:\/\/localhost:\d+\/asm answered 200:\n\{.*"APPROVED".*\}$/),
    'Kefel understands: paid',
  ]);
  expect(lines[0]).toContain(reference);
  const calls = scene.standIn.calls.length;
  expect(await queryLive(rail, QUERY, settings)).toEqual([
    expect.stringContaining('RCS_TRAN_NOT_FOUND'),
    'Kefel understands: nothing that would change a payment',
  ]);
  expect(scene.standIn.calls).toHaveLength(calls + 1);
  await expect(
    queryLive(scene.railWith({ statusQuery: undefined }), QUERY, settings),
  ).rejects.toThrow(ConfigError);
  await scene.stop();
  expect(await queryLive(rail, QUERY, settings)).toEqual([
    expect.stringMatching(/ did not answer: /),
    'Kefel understands: nothing that would change a payment',
  ]);
});

test('asks M-PESA by its own id of the push, and says where that is missing', async () => {
  const scene = await RailScene.start(PLAYERS.mpesa);
  const { rail } = scene;
  const { settings } = scene.standIn;
  const query = { ...QUERY, method: 'M_PESA' } as const;
  expect(await queryLive(rail, query, settings)).toEqual([
    expect.stringContaining('--provider-id'),
    'Kefel understands: nothing that would change a payment',
  ]);
  const { callbackUrl: resultUrl } = scene.order();
  const railReference = 'ws_CO_0904202610385911234567';
  const lines = await queryLive(rail, { ...query, railReference, resultUrl }, settings);
  expect(lines).toEqual([
    expect.stringMatching(/\/v1\/token\/generate answered 200:\n.*"access_token":"\[redacted\]"/),
    expect.stringMatching(/\/query answered 200:\n.*"ResponseCode":"0"/),
    'Kefel understands: nothing that would change a payment',
  ]);
  await expect.poll(() => scene.reports).toBe(1);
  await scene.stop();
});

test('prints what a probe sent and got, its outcome and what it could not try', async () => {
  const scene = await RailScene.start(PLAYERS.mpesa);
  const { statusQuery, settings } = scene.standIn;
  const rail = scene.railWith({ refunds: undefined });
  const { result, lines } = await probeLive(rail, QUERY.resultUrl, { ...settings, statusQuery });
  expect(result.outcome).toBe('accepted');
  expect(lines).toEqual([
    expect.stringMatching(/\/v1\/token\/generate answered 200:\n.*"access_token":"\[redacted\]"/),
    expect.stringMatching(/\/query answered 200:\n.*"ResponseCode":"0"/),
    'ACCEPTED: the provider accepts the credentials (transactionstatus: HTTP 200, code 0).',
    'Not tried: shortcode, passkey, statusQuery',
  ]);
  await scene.stop();
});

test('says which of telebirr’s forms are on, and what its code about them means', async () => {
  const scene = await RailScene.start(PLAYERS.telebirrInApp);
  expect(formLines(scene.rail)).toEqual([
    "In telebirr's app: IN_APP on, MINI_APP off.",
    expect.stringMatching(/^No probe tries them, .* with 60200098\.$/),
  ]);
  expect(formLines(scene.railWith({ inApp: false }))).toEqual([
    "In telebirr's app: IN_APP off, MINI_APP off.",
  ]);
  await scene.stop();
  expect(formLines({})).toEqual([]);
  const probed = { outcome: 'refused', call: 'queryOrder', status: 400, settings: [] } as const;
  expect(probeLines({ ...probed, providerCode: '60200098' })).toEqual([
    expect.stringContaining('code 60200098'),
    expect.stringMatching(/^60200098: the account is not subscribed /),
  ]);
});

describe('exit codes', () => {
  interface Ended {
    readonly code: number;
    readonly output: string;
  }

  function run(script: string, args: readonly string[], input: string): Promise<Ended> {
    const env = { ...process.env, KEFEL_OPERATOR_SECRET: 'a secret of the test' };
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [script, ...args],
        { cwd: PROJECT_DIRECTORY, env },
        (error, out, errors) => resolve({ code: Number(error?.code ?? 0), output: out + errors }),
      );
      child.stdin?.end(input);
    });
  }

  const railCheck = (args: readonly string[], secret: object) =>
    run('scripts/operator.ts', ['rail', 'check', ...args], JSON.stringify(secret));

  test.each([
    [0, 'accepted'],
    [3, 'reached'],
    [4, 'refused'],
    [5, 'unreachable'],
  ])('are %i for `operator rail probe` when the provider is %s', async (code, outcome) => {
    const answer = { outcome, call: 'login', status: 200, providerCode: null, settings: [] };
    const content = { ...answer, through: 'VPC_ETHIO' };
    const gateway = await StandInServer.start(async () =>
      jsonReply(200, { status: 200, message: 'Probed', content }),
    );
    const words = ['rail', 'probe', 'M_PESA', 'production', '--url', gateway.baseUrl];
    const ends = [words, [...words, '--json']].map((args) => run('scripts/operator.ts', args, ''));
    const [text, json] = await Promise.all(ends);
    await gateway.stop();
    expect(text).toEqual({
      code,
      output: expect.stringMatching(`${outcome.toUpperCase()}: .*HTTP 200, through VPC_ETHIO\\)`),
    });
    expect(json).toEqual({ code, output: `${JSON.stringify(content)}\n` });
  });

  test('differ for each outcome, an invalid secret and an invalid command', async () => {
    const [ebirr, cbe, telebirr] = await Promise.all([
      startEbirrStandIn(),
      startCbeBirrStandIn(),
      startTelebirrH5StandIn(),
    ]);
    const { settings } = ebirr;
    const live = ['E_BIRR', 'production', '--live'];
    const runs: readonly (readonly [number, RegExp, readonly string[], object])[] = [
      [0, /is valid: rail ebirr, ETB\.\n$/, ['E_BIRR', 'production'], settings],
      [0, /\nACCEPTED: /, live, settings],
      [
        0,
        /^RAIL_\w+ is valid: rail ebirr, ETB, through VPC_ETHIO\.\n(?:.*\n)*Sent from this machine, not through VPC_ETHIO, /,
        live,
        { ...settings, through: 'VPC_ETHIO' },
      ],
      [
        0,
        /is valid: rail telebirr-h5, ETB\.\nIn telebirr's app: IN_APP off, MINI_APP on\.\n/,
        ['TELE_BIRR', 'production'],
        { ...telebirr.settings, miniApp: true },
      ],
      // Its cipher needs MD5, which Node's Web Crypto has not.
      [0, /\nACCEPTED: /, ['CBE', 'production', '--live'], cbe.settings],
      // Once, and not in a log line, too.
      [1, /^RAIL_E_BIRR_PRODUCTION: apiKey: must be [^\n]*\n$/, live, { ...settings, apiKey: '' }],
      [2, /^there is no method "ebirr": did you mean E_BIRR\?\n$/, ['ebirr', 'production'], {}],
      [2, /^Unknown option '--fast'/, [...live, '--fast'], settings],
      [3, /\nREACHED: /, live, { ...settings, merchantUid: 'M1' }],
      [
        4,
        /\nREFUSED: .*\nSettings to check: merchantUid, /,
        live,
        { ...settings, apiKey: 'API-another-key' },
      ],
      [5, /\nUNREACHABLE: /, live, { ...settings, baseUrl: 'http://localhost:9' }],
    ];
    const ended = await Promise.all(runs.map(([, , args, secret]) => railCheck(args, secret)));
    await Promise.all([ebirr.stop(), cbe.stop(), telebirr.stop()]);
    for (const [index, [code, output]] of runs.entries()) {
      expect(ended[index]).toEqual({ code, output: expect.stringMatching(output) });
      expect(ended[index]?.output).not.toContain(settings.apiKey);
    }
  });
});

describe('what it prints', () => {
  const settings = {
    baseUrl: 'https://rail.test',
    apiKey: 'API-secret',
    nested: { credential: 'c2VjcmV0' },
    paidStates: ['APPROVED'],
    currency: 'ETB',
  };

  test.each([
    ['{"key":"API-secret"}', '{"key":"[redacted]"}'],
    ['<a>c2VjcmV0</a>', '<a>[redacted]</a>'],
    ['{"state":"APPROVED","currency":"ETB"}', '{"state":"APPROVED","currency":"ETB"}'],
    ['{"access_token" : "abc\\"def","x":1}', '{"access_token" : "[redacted]","x":1}'],
    ['{"accountNo":2519}', '{"accountNo":"[redacted]"}'],
    ['{"DebitPartyName":"Almaz B."}', '{"DebitPartyName":"[redacted]"}'],
    [
      '<com:DebitPartyPublicName>Almaz</com:DebitPartyPublicName>',
      '<com:DebitPartyPublicName>[redacted]</com:DebitPartyPublicName>',
    ],
    ['+251911234567 0711234567 911234567', '[redacted] [redacted] [redacted]'],
    ['ws_CO_0904202610385911234567', 'ws_CO_0904202610385[redacted]'],
    [
      '"amount":"150.50","tranDate":"20260131123456"',
      '"amount":"150.50","tranDate":"20260131123456"',
    ],
  ])('%s becomes %s', (text, expected) => {
    expect(redacted(text, settings)).toBe(expected);
  });
});
