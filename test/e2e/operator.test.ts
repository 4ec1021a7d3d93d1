import { expect, test } from 'vitest';
import { operate as operateAt, runOperator } from '../support/e2e-operator.ts';
import { hostedBody, untilInForce, useScene } from '../support/e2e-scene.ts';

/**
 * Goal: the operator's command line creates and suspends a merchant on the gateway that
 * `npm run dev` starts, without further setup. Method: the commands as a person types them.
 */

/** A change takes effect everywhere within this time (docs/decisions.md#9). */
const IN_FORCE_WITHIN_MS = 10_000;

const scene = await useScene('operator');

const operate = (...args: string[]) => operateAt(scene.gateway.baseUrl, ...args);

test('creates a merchant, invites its owner, and lists both', async () => {
  const created = await operate(
    ...['merchant', 'create', '--name', 'Abebe Coffee', '--id', 'abebe'],
    ...['--commission', 'TELE_BIRR=2.5+1.00'],
  );
  expect(created).toMatch(/TELE_BIRR +yes +yes +2\.50% +1\.00/);
  expect(created).toContain('owner invite abebe');
  const invited = await operate('owner', 'invite', 'abebe', '--name', 'Abebe Kebede');
  expect(invited).toMatch(/http:\/\/localhost:\d+\/dashboard\/join\?token=[A-Za-z0-9_-]{43}\n/);
  expect(await operate('merchant', 'list')).toMatch(/^abebe +Abebe Coffee +active +0 /m);
  expect(await operate('member', 'list', 'abebe')).toContain('Abebe Kebede');
  const listed = JSON.parse(await operate('merchant', 'list', '--json'));
  const ids = listed.items.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(expect.arrayContaining(['abebe', 'demo']));
});

test('refuses a suspended merchant within 10 s, and accepts it again after reactivation', async () => {
  const { merchant, sandbox } = scene;
  const untilStatus = (wanted: number) =>
    untilInForce(
      IN_FORCE_WITHIN_MS,
      () => sandbox.hosted(hostedBody()),
      ({ status }) => status === wanted,
    );
  await untilStatus(200);
  await operate('merchant', 'suspend', merchant.id, '--reason', 'A test');
  await untilStatus(401);
  await operate('merchant', 'reactivate', merchant.id, '--reason', 'The test is over');
  await untilStatus(200);
});

test('describes a payment, health and rails in text', async () => {
  const { merchant, sandbox } = scene;
  const body = hostedBody();
  await sandbox.hosted(body);
  const id = String(body.paymentIntentUniqueId);
  const shown = await operate('payment', 'show', 'sandbox', merchant.id, id);
  expect(shown).toMatch(/^Status +open$/m);
  expect(await operate('health')).toMatch(/^kefel-webhooks +/m);
  expect(await operate('rails')).toMatch(/production +TELE_BIRR +not_configured/);
});

test('decisions.md#48: checks every part of both Workers, by their own queues and alarms', async () => {
  const checked = await operate('check');
  expect(checked).not.toMatch(/^(?:wrong|waiting)/m);
  for (const part of [
    'kefel-webhook-retries',
    'payment',
    'event',
    'book',
    'back-office-database',
  ]) {
    expect(checked).toMatch(new RegExp(`^ok +${part} `, 'm'));
  }
});

test.each(['/health', '/dashboard/health'])(
  'decisions.md#61: a monitor reads %s on a host that both Workers share',
  async (path) => {
    const response = await fetch(`${scene.gateway.baseUrl}${path}`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  },
);

test.each<[string, readonly string[], Readonly<Record<string, string>>, number, string]>([
  [
    'an unknown payment',
    ['payment', 'show', 'production', 'demo', 'nothing'],
    {},
    2,
    'does not have what this command names. Check the environment (sandbox or production)',
  ],
  [
    'a taken id',
    ['merchant', 'create', '--name', 'X', '--id', 'demo'],
    {},
    2,
    '409: The merchant demo already exists',
  ],
  [
    'a bad field',
    ['merchant', 'create', '--name', 'X', '--id', 'a/b'],
    {},
    2,
    '400: id: must be 1 to 64 letters',
  ],
  [
    'a wrong secret',
    ['bank', 'list'],
    { KEFEL_OPERATOR_SECRET: `kfl_op_${'x'.repeat(43)}` },
    2,
    '401: Invalid secret',
  ],
  ['no server', ['bank', 'list', '--url', 'http://localhost:1'], {}, 2, 'cannot be reached'],
  ['no verb', ['merchant', 'fly'], {}, 2, '"merchant" has the verbs list, show'],
])('explains the refusal of %s', async (_name, args, environment, code, message) => {
  const ran = await runOperator(scene.gateway.baseUrl, args, environment);
  expect([ran.exitCode, ran.output]).toEqual([code, '']);
  expect(ran.errors).toContain(message);
  expect(ran.errors).not.toMatch(/kfl_op_|\n\s+at /);
});
