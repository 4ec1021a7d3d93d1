import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { CREATION_SHOWN_WITHIN_MS } from '../../../src/engine/domain/schedule.ts';
import { intentByUniqueId } from '../../../src/engine/intent/client.ts';
import type { CreateRequest } from '../../../src/engine/intent/protocol.ts';
import { uuidV7TimeMs } from '../../../src/kit/crypto/uuid-v7.ts';
import { someTerms, startAttempt } from '../../support/intents.ts';
import {
  ALPHA,
  advance,
  allRows,
  answerOf,
  BETA,
  booksAreFed,
  CREATE_PATHS,
  call,
  clientOf,
  expressBody,
  fireAlarm,
  hostedBody,
  intentOf,
  postExpress,
  postHosted,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/promises.md#1: concurrent creates of one id make one payment, and no merchant blocks
 * another merchant's id. Method: many requests through the whole Worker at the same time, then a
 * look into the object's own tables.
 */

const caught = useGateway();
const CONCURRENT = 50;

test.each([
  ['hosted', () => postHosted()],
  ['express', () => postExpress()],
  ['hosted and express mixed', (index: number) => (index % 2 === 0 ? postHosted() : postExpress())],
])(
  'promises.md#1: of 50 concurrent creates of one id one wins and 49 get 409 (%s)',
  async (_name, create) => {
    const answers = await Promise.all(
      Array.from({ length: CONCURRENT }, (_none, index) => answerOf(create(index))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = answers.filter(({ status }) => status !== 200);
    expect(losers).toHaveLength(CONCURRENT - 1);
    for (const { status, envelope } of losers) {
      expect(status).toBe(409);
      expect(envelope).toMatchObject({
        status: 409,
        message: 'Duplicate key: paymentIntentUniqueId "order-1" already exists',
      });
    }

    expect((await allRows()).record).toHaveLength(1);
    const history = await clientOf().history();
    expect(history.filter(({ command }) => command === 'create')).toHaveLength(1);
    expect(history.map(({ version }) => version)).toEqual(
      history.map((_entry, index) => index + 1),
    );
    advance(CREATION_SHOWN_WITHIN_MS);
    await fireAlarm();
    const fed = await booksAreFed(caught);
    expect(new Set(fed.map(({ row }) => row.uuid)).size).toBe(1);
  },
);

test.each([
  ['hosted', () => postHosted()],
  ['express', () => postExpress()],
])('the uuid of an %s payment carries the time of its creation', async (_kind, create) => {
  await create();
  const { terms } = await intentOf();
  expect(uuidV7TimeMs(terms.uuid)).toBe(terms.createdAtMs);
});

test("promises.md#1: the losing create changes nothing of the winner's payment", async () => {
  await postHosted({ amount: 100 });
  const before = await allRows();
  expect((await postHosted({ amount: 999, currency: 'USD' })).status).toBe(409);
  expect((await postExpress({ amount: 5 })).status).toBe(409);
  expect(await allRows()).toEqual(before);
});

test.each([
  ['ended', [{ type: 'cancel' as const }]],
  ['open', []],
])('decisions.md#8: an id stays taken while its payment is %s', async (_name, commands) => {
  await postHosted();
  await clientOf().execute(commands);
  expect((await postHosted()).status).toBe(409);
});

test('decisions.md#8: an id is free for each merchant, hosted or express', async () => {
  expect((await postHosted()).status).toBe(200);
  expect((await postExpress({}, { apiKey: BETA.apiKeys.sandbox })).status).toBe(200);
  expect((await postHosted({}, { apiKey: BETA.apiKeys.sandbox })).status).toBe(409);
});

test.each(['hosted', 'express'] as const)(
  "decisions.md#8: the sandbox's id is free in production (%s)",
  async (kind) => {
    expect((await postHosted()).status).toBe(200);
    // No production method is enabled yet, so validation answers, never 409.
    const { status, envelope } = await answerOf(
      call(CREATE_PATHS[kind].production, {
        method: 'POST',
        apiKey: ALPHA.apiKeys.production,
        body: kind === 'hosted' ? hostedBody() : expressBody(),
      }),
    );
    expect({ status, fields: Object.keys(envelope.validationErrors ?? {}) }).toEqual({
      status: 400,
      fields: [kind === 'hosted' ? 'methods' : 'method'],
    });
    const production = clientOf('order-1', tenantOf(ALPHA, 'production'));
    const created = await production.create(request('production', 'uuid-production'));
    expect(created.type).toBe('created');
  },
);

/** A hosted create as the API sends it to the object. */
function request(environment: 'sandbox' | 'production', uuid: string): CreateRequest {
  const createdAtMs = Date.now();
  const terms = someTerms({
    ...tenantOf(ALPHA, environment),
    uuid,
    createdAtMs,
    expiresAtMs: createdAtMs + 3_600_000,
  });
  return { terms, idempotency: null, attempt: null, answer: '{}', answerWithinMs: 0 };
}

test('promises.md#1: a create repeated over RPC gets the first answer, another uuid is a duplicate', async () => {
  const intent = await intentByUniqueId(env, tenantOf(ALPHA), 'order-1');
  const own = request('sandbox', 'uuid-1');
  const first = await intent.create(own);
  expect(first).toEqual({ type: 'created', attempt: null, answer: '{}' });
  const before = await allRows();
  expect(await intent.create(own)).toEqual(first);
  expect(await intent.create(request('sandbox', 'uuid-2'))).toEqual({ type: 'duplicate' });
  expect(await allRows()).toEqual(before);
  expect(caught.projections).toHaveLength(1);
});

test('a create that takes long to reach its object still starts the first attempt', async () => {
  const intent = await intentByUniqueId(env, tenantOf(ALPHA), 'order-1');
  const own = request('sandbox', 'uuid-1');
  const { attempt } = startAttempt('a0', { deadlineAtMs: own.terms.expiresAtMs });
  vi.setSystemTime(own.terms.expiresAtMs + 1);
  const created = { type: 'created', attempt: { id: 'a0', status: 'processing' } };
  expect(await intent.create({ ...own, attempt })).toMatchObject(created);
  expect((await intent.history()).map(({ command }) => command)).toContain('start_attempt');
});

test.each(['a/b', 'ключ-ፍየል', '../order-1', 'order 1', '%2e%2e', "x'; DROP TABLE intent;--"])(
  'decisions.md#7: the id %s is kept exactly and finds the payment again',
  async (paymentIntentUniqueId) => {
    expect((await postHosted({ paymentIntentUniqueId })).status).toBe(200);
    const path = `${CREATE_PATHS.hosted.sandbox}/${encodeURIComponent(paymentIntentUniqueId)}`;
    const { status, envelope } = await answerOf(call(path));
    expect(status).toBe(200);
    expect(envelope.content).toMatchObject({ uniqueId: paymentIntentUniqueId });
    expect((await postHosted({ paymentIntentUniqueId })).status).toBe(409);
  },
);
