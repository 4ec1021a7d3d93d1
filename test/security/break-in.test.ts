import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answer, answerCall } from '../../src/interface/answer.ts';
import { AREAS } from '../../src/interface/areas.ts';
import { playRails, TELEBIRR } from '../workers/rails-scenes.ts';
import { attemptNow, choose, configureRails, intentNow } from '../workers/rails-support.ts';
import {
  ALPHA,
  answerOf,
  CREATE_PATHS,
  call,
  clientOf,
  hostedBody,
  tenantOf,
  useGateway,
} from '../workers/support.ts';

/**
 * Goal: an intruder with every binding and secret of the back office gets no further than the
 * interface's own rules (SECURITY.md). Method: calls of the interface as an intruder makes them, as
 * operators of invented names. `interface-members.test.ts` does the same as a member;
 * `test/unit/planes.test.ts` holds the bindings.
 */

configureRails({ RAIL_TELE_BIRR_PRODUCTION: TELEBIRR });
useGateway();

const TENANT = tenantOf(ALPHA, 'production');
const PAYMENT = clientOf('order-1', TENANT);

beforeEach(() => {
  playRails();
});

function ask(area: string, name: string, ...args: readonly unknown[]): Promise<Answer> {
  return answerCall(env, { waitUntil: () => undefined }, [area, name], args);
}

/** A payment whose customer is at telebirr. */
async function atTelebirr(amount: number): Promise<void> {
  const body = hostedBody({
    paymentIntentUniqueId: 'order-1',
    methods: ['TELE_BIRR'],
    items: [],
    amount,
  });
  const { envelope } = await answerOf(
    call(CREATE_PATHS.hosted.production, {
      method: 'POST',
      apiKey: ALPHA.apiKeys.production,
      body,
    }),
  );
  await choose(new URL(String(envelope.content)).pathname, 'TELE_BIRR');
}

async function resolve(name: string, isProved: boolean, receipt = 'R-1'): Promise<Answer> {
  const { reference: attemptId } = await attemptNow(PAYMENT);
  return ask(
    'operations',
    'resolveAttempt',
    { kind: 'operator', id: name, name, isProved, address: null },
    { ...TENANT, uniqueId: 'order-1', attemptId },
    { outcome: 'succeeded', receipt, note: 'Seen', resolutionId: crypto.randomUUID() },
  );
}

const statusNow = async () => (await intentNow(PAYMENT)).status;

describe('a payment is recorded as paid', () => {
  test('by no name that is only claimed', async () => {
    await atTelebirr(100);
    expect(await resolve('Mallory', false)).toMatchObject({ code: 'operator_not_verified' });
    expect(await statusNow()).toBe('processing');
  });

  test('above the limit, by no single name, however it is spelled', async () => {
    await atTelebirr(900_000);
    expect(await resolve('mallory@x.et', true)).toMatchObject({ type: 'value' });
    expect(await resolve('Mallory+2@X.et', true)).toMatchObject({ code: 'second_operator_needed' });
    expect(await statusNow()).toBe('processing');
  });

  test('only with an entry in the audit log, before anything changes', async () => {
    await atTelebirr(100);
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: no audit log');
    });
    expect(await resolve('Mallory', true)).toMatchObject({ type: 'unavailable' });
    vi.restoreAllMocks();
    expect(await statusNow()).toBe('processing');
  });
});

const SECTION = { environment: 'production', limit: '5' };
const QUESTIONS = [[TENANT, 'order-1'], [TENANT, {}, null, 5], [ALPHA.id, {}, null], [SECTION]];

test('nothing that the interface answers to a bare question holds a secret', async () => {
  await atTelebirr(100);
  const names = [
    'LINK_SIGNING_KEYS',
    'DATA_ENCRYPTION_KEYS',
    'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
    'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
  ] as const;
  const secrets = [
    ...names.map((name) => env[name].replace(/^\w+:/, '')),
    ...Object.values(TELEBIRR).filter((value) => String(value).length > 20),
  ].map(String);
  const answers: string[] = [];
  for (const [area, load] of Object.entries(AREAS)) {
    for (const name of Object.keys(await load())) {
      for (const args of QUESTIONS) {
        const answer = await ask(area, name, ...args).catch(String);
        answers.push(JSON.stringify(answer));
      }
    }
  }
  const all = answers.join('\n');
  // So the payment and its merchant were read.
  expect(all).toContain('order-1');
  expect(all).toContain(ALPHA.name);
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  expect(await statusNow()).toBe('processing');
});
