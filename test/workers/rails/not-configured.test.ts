import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { readHealth } from '../../../src/control/health/health.ts';
import type { IntentClient } from '../../../src/engine/intent/client.ts';
import { forgetRails } from '../../../src/engine/rails/settings.ts';
import {
  ALPHA,
  advance,
  type Body,
  CREATE_PATHS,
  expressBody,
  hostedBody,
  reportsAreSent,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { cbeReport, playRails, SCENE_SECRETS, SCENES, send } from './scenes.ts';
import {
  alarmNow,
  alarmsUntil,
  attemptNow,
  callbackPath,
  choose,
  configureRails,
  dyingBeforeClaims,
  ebirrPaid,
  ebirrReport,
  envWith,
  everythingStored,
  fireAlarmOf,
  intentNow,
  loggedEvents,
  NBG_IN_PRODUCTION,
  noRail,
  openHosted,
  PHONE,
  payExpress,
  railServer,
  run,
  secretsOf,
} from './support.ts';

/**
 * Goal: an operator who removes, replaces or mistypes a secret loses no payment of that rail and
 * does not disturb other rails. Method: payments that were started with good settings, and a Worker
 * whose settings have changed since.
 */

configureRails(SCENE_SECRETS);
useGateway();

const eventTypes = async (payment: IntentClient) =>
  (await payment.events()).map(({ type }) => type);

// ---------------------------------------------------------------------------------------------
// Removed or replaced

const [EBIRR_SCENE, MPESA_SCENE, CARDS_SCENE, NBG_SCENE, CBE_SCENE] = SCENES;

interface Change {
  readonly name: string;
  readonly scene: (typeof SCENES)[number] | undefined;
  readonly changes: Readonly<Record<string, string | undefined>>;
  readonly method?: 'GET';
}

const CARDS_NOW = secretsOf({ RAIL_ETS_SWITCH_SANDBOX: SCENE_SECRETS.RAIL_ETS_SWITCH_PRODUCTION });

const CHANGES: readonly Change[] = [
  { name: 'eBirr’s gone', scene: EBIRR_SCENE, changes: { RAIL_E_BIRR_PRODUCTION: undefined } },
  { name: 'eBirr’s empty', scene: EBIRR_SCENE, changes: { RAIL_E_BIRR_PRODUCTION: '' } },
  { name: 'M-PESA’s gone', scene: MPESA_SCENE, changes: { RAIL_M_PESA_PRODUCTION: undefined } },
  {
    name: 'the card gateway’s removed',
    scene: CARDS_SCENE,
    changes: { RAIL_ETS_SWITCH_PRODUCTION: undefined },
    method: 'GET',
  },
  {
    name: 'the card gateway’s replaced by NBG’s',
    scene: CARDS_SCENE,
    changes: secretsOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG_IN_PRODUCTION }),
    method: 'GET',
  },
  { name: 'NBG’s exchanged for the card gateway’s', scene: NBG_SCENE, changes: CARDS_NOW },
  { name: 'CBE’s gone', scene: CBE_SCENE, changes: { RAIL_CBE_PRODUCTION: undefined } },
];

test.each(CHANGES)(
  'answers 503 and informs the operator while settings are wrong, and accepts the callback afterwards: $name',
  async ({ scene, changes, method }) => {
    if (scene === undefined) {
      throw new Error('there is no such rail');
    }
    const { railId, payment, begin, report } = scene;
    playRails();
    await begin();
    const calls = noRail();
    const before = await intentNow(payment());
    const path = await callbackPath(railId, payment());
    const words = method === 'GET' ? `?orderNumber=${before.attempts[0]?.reference}` : '';
    const changed = envWith(changes);
    for (let times = 0; times < 3; times += 1) {
      const body = method === 'GET' ? undefined : { any: 'thing' };
      expect(await send(changed, path + words, { body })).toMatchObject({
        status: 503,
        text: 'Not available',
      });
    }
    const { uuid } = before.terms;
    const line = { event: 'rail_callback_refused', uuid, rail: railId };
    expect(loggedEvents('rail_callback_refused')).toEqual(
      Array(3).fill({ ...line, suspicion: 'not_configured' }),
    );
    const { id: attemptId } = await attemptNow(payment());
    const anomalies = [{ kind: 'refused_callback', attemptId, atMs: Date.now() }];
    expect(await intentNow(payment())).toEqual({
      ...before,
      anomalies,
      version: before.version + 1,
      updatedAtMs: Date.now(),
    });
    expect(await eventTypes(payment())).toEqual([]);
    expect(calls).toEqual([]);
    playRails();
    expect((await report('paid')).status).toBe(200);
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded' });
    expect(await eventTypes(payment())).toEqual(['payment_succeeded']);
  },
);

test.each([
  ['the rail that is configured now', 'ethswitch-nbg', 'POST', 404],
  ['the rail that is configured now, which rejects GET', 'ethswitch-nbg', 'GET', 405],
  ['the method’s old name', 'ethswitch', 'POST', 404],
  ['the simulator', 'simulator', 'POST', 404],
])(
  'rejects a callback at the address of another rail than the attempt’s: %s',
  async (_name, railId, method, status) => {
    playRails();
    await CARDS_SCENE?.begin();
    const before = await everythingStored();
    const changed = envWith(secretsOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG_IN_PRODUCTION }));
    const body = method === 'POST' ? { status: 'PAID' } : undefined;
    expect((await send(changed, await callbackPath(railId), { method, body })).status).toBe(status);
    expect(await everythingStored()).toEqual(before);
    expect(loggedEvents('rail_callback_refused')).toEqual([]);
  },
);

test('an attempt of a rail that is no longer configured is not queried, but stays scheduled', async () => {
  const calls = playRails();
  await openHosted({ methods: ['ETS_SWITCH'] });
  // As an NBG attempt would be stored, if NBG had a status query.
  await run({
    type: 'start_attempt',
    attempt: {
      id: 'nbg-attempt',
      reference: 'H7K2M9QX4T0B8ZC3VN5D',
      method: 'ETS_SWITCH',
      phone: null,
      railId: 'ethswitch-nbg',
      startClaim: 'not_needed',
      flow: 'redirect',
      deadlineAtMs: Date.now() + 600 * SECOND_MS,
      windowIsFinal: false,
      checkAtMs: Date.now() + SECOND_MS,
    },
  });
  advance(SECOND_MS);
  await fireAlarmOf();
  expect(calls).toEqual([]);
  expect(loggedEvents('rail_query_failed')).toEqual([]);
  const checkAtMs = Date.now() + 5 * SECOND_MS;
  expect(await attemptNow()).toMatchObject({ status: 'processing', checks: 1, checkAtMs });
  expect(await alarmNow()).toBeLessThanOrEqual(checkAtMs);
});

// ---------------------------------------------------------------------------------------------
// Mistyped

const MISTYPED = envWith({ RAIL_M_PESA_PRODUCTION: '{' });
const create = (kind: 'hosted' | 'express', environment: 'sandbox' | 'production', changes: Body) =>
  send(MISTYPED, CREATE_PATHS[kind][environment], {
    apiKey: ALPHA.apiKeys[environment],
    body: (kind === 'hosted' ? hostedBody : expressBody)({ phoneNumber: PHONE, ...changes }),
  });

test('a mistyped secret disables its own method, and affects no other create', async () => {
  noRail();
  const hosted = await create('hosted', 'production', { methods: ['E_BIRR', 'M_PESA'] });
  expect(hosted.status).toBe(400);
  expect(JSON.parse(hosted.text)).toMatchObject({
    validationErrors: { 'methods[1]': 'M_PESA is not enabled for this merchant.' },
  });
  const express = await create('express', 'production', { method: 'M_PESA' });
  expect(express.status).toBe(400);
  expect(await everythingStored()).toEqual({});
  for (const [index, kind] of (['hosted', 'express'] as const).entries()) {
    const given = { hosted: { methods: ['E_BIRR'] }, express: { method: 'E_BIRR' } }[kind];
    const paymentIntentUniqueId = `order-${index + 1}`;
    const { status } = await create(kind, 'production', { ...given, paymentIntentUniqueId });
    expect(status).toBe(200);
  }
  expect(loggedEvents('api_failed')).toEqual([]);
});

test('a mistyped secret is logged once, and shows in the operator’s health', async () => {
  noRail();
  const mistypedOnce = envWith({ RAIL_M_PESA_PRODUCTION: '{' });
  const problem = 'RAIL_M_PESA_PRODUCTION must be JSON';
  for (let times = 0; times < 3; times += 1) {
    await send(mistypedOnce, CREATE_PATHS.hosted.production, {
      apiKey: ALPHA.apiKeys.production,
      body: hostedBody({ methods: ['E_BIRR'] }),
    });
  }
  expect(loggedEvents('rail_misconfigured')).toEqual([
    { event: 'rail_misconfigured', secret: 'RAIL_M_PESA_PRODUCTION', problem },
  ]);
  const { misconfiguredRails } = await readHealth({ env: mistypedOnce, nowMs: Date.now() });
  expect(misconfiguredRails).toMatchObject([{ method: 'M_PESA', problem }]);
});

test('does not affect the other environment', async () => {
  noRail();
  for (const [index, kind] of (['hosted', 'express'] as const).entries()) {
    const paymentIntentUniqueId = `order-${index + 1}`;
    const { status } = await create(kind, 'sandbox', { method: 'M_PESA', paymentIntentUniqueId });
    expect(status).toBe(200);
  }
});

test('the rail’s own callbacks get 503, and change nothing', async () => {
  playRails();
  await MPESA_SCENE?.begin();
  const before = await everythingStored();
  const path = await callbackPath('stk-push');
  expect((await send(MISTYPED, path, { body: { any: 'thing' } })).status).toBe(503);
  expect(loggedEvents('rail_callback_refused')).toMatchObject([{ suspicion: 'not_configured' }]);
  expect(await everythingStored()).toEqual(before);
  expect((await MPESA_SCENE?.report('paid'))?.status).toBe(200);
});

const OTHERS: readonly [string, () => Promise<unknown>][] = [
  [
    'another rail’s callback counts',
    async () =>
      send(MISTYPED, await callbackPath('ebirr'), { body: ebirrReport(await attemptNow()) }),
  ],
  [
    'another rail’s start is called',
    async () => {
      railServer((asked) => new Response(ebirrPaid(asked)));
      Object.assign(env, { RAIL_M_PESA_PRODUCTION: '{' });
      forgetRails();
      await alarmsUntil((await attemptNow()).checkAtMs ?? 0);
      await reportsAreSent();
      Object.assign(env, secretsOf(SCENE_SECRETS));
      forgetRails();
    },
  ],
];

test.each(OTHERS)('a mistyped secret of M-PESA: %s', async (_name, happens) => {
  noRail();
  await dyingBeforeClaims(() => payExpress({ method: 'E_BIRR' }));
  await happens();
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

test.each([
  ['another rail’s secret is mistyped', MISTYPED],
  ['its own rail’s secret is gone', envWith({ RAIL_E_BIRR_PRODUCTION: undefined })],
])('the page of a payment in flight works although %s', async (_name, changed) => {
  noRail();
  const path = await openHosted({ methods: ['E_BIRR', 'M_PESA'] });
  await choose(path, 'E_BIRR');
  expect((await send(changed, path)).status).toBe(200);
  expect((await send(changed, `${path}/status`)).status).toBe(200);
});

// ---------------------------------------------------------------------------------------------
// CBE's single address, where both environments' secrets are tried

/** Bindings in which one secret has an invalid base URL. */
function mistyped(name: keyof typeof SCENE_SECRETS): Env {
  return envWith({ [name]: JSON.stringify({ ...SCENE_SECRETS[name], baseUrl: 7 }) });
}

async function reportOfPaid(bindings: Env) {
  const again = await CBE_SCENE?.prepareReport('paid');
  const { railReference } = await attemptNow();
  const sent = await send(bindings, '/rails/cbe-birr', {
    body: await cbeReport(railReference ?? ''),
  });
  return { sent, again };
}

test.each([
  ['RAIL_CBE_SANDBOX', 1],
  ['RAIL_ETS_SWITCH_SANDBOX', 0],
  ['RAIL_E_BIRR_PRODUCTION', 0],
] as const)('accepts CBE’s report to production although %s is mistyped', async (name, lines) => {
  playRails();
  await CBE_SCENE?.begin();
  const { sent } = await reportOfPaid(mistyped(name));
  expect(sent).toMatchObject({ status: 200, text: 'OK' });
  expect(await intentNow()).toMatchObject({ status: 'succeeded', anomalies: [] });
  expect(loggedEvents('rail_misconfigured')).toHaveLength(lines);
  expect(loggedEvents('rail_callback_refused')).toEqual([]);
});

test('answers CBE’s reports with 503 while its own secret is mistyped, because it cannot read them', async () => {
  playRails();
  await CBE_SCENE?.begin();
  const before = await everythingStored();
  const { sent, again } = await reportOfPaid(mistyped('RAIL_CBE_PRODUCTION'));
  expect(sent).toMatchObject({ status: 503, text: 'Not available' });
  expect(await everythingStored()).toEqual(before);
  expect(loggedEvents('rail_misconfigured')).toMatchObject([
    { problem: expect.stringMatching(/^RAIL_CBE_PRODUCTION: baseUrl: \S/) },
  ]);
  expect(loggedEvents('rail_callback_refused')).toEqual([
    { event: 'rail_callback_refused', rail: 'cbe-birr', suspicion: 'not_configured' },
  ]);
  expect(await again?.()).toMatchObject({ status: 200 });
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});
