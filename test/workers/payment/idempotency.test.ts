import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { FAILURE_REASONS } from '../../../src/engine/domain/attempt.ts';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import type { StartResult } from '../../../src/engine/rails/rail.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { ObjectUnavailable } from '../../../src/kit/platform/object-call.ts';
import {
  ALPHA,
  type Answer,
  advance,
  allRows,
  answerOf,
  type Body,
  type CallOptions,
  CREATE_PATHS,
  call,
  cancelPath,
  clientOf,
  contentOf,
  type ExpressContent,
  execute,
  expressBody,
  fireAlarm,
  hostedBody,
  INTERRUPTIONS,
  intentOf,
  pathOf,
  postForm,
  SECOND_MS,
  SIMULATED_FAILURE,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/decisions.md#8, a merchant that repeats a request with its Idempotency-Key gets the
 * first answer byte for byte, also when the Worker died in between. Method: the same bytes are
 * posted again at every stage: after the answer, during the provider call, and after a Worker that
 * died before it answered (an adapter whose start throws leaves exactly the same state).
 */

useGateway();

const KEY = 'order-1/try-1';

type Kind = 'hosted' | 'express';
const BODY_OF = { hosted: hostedBody, express: expressBody };

function create(
  kind: Kind,
  options: { key?: string; changes?: Body; text?: string } & Pick<CallOptions, 'apiKey'> = {},
): Promise<Answer> {
  const { key = KEY, changes = {}, text, ...rest } = options;
  return answerOf(
    call(CREATE_PATHS[kind].sandbox, {
      ...rest,
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: text ?? BODY_OF[kind](changes),
    }),
  );
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.text).toBe(first.text);
  expect(answer.status).toBe(first.status);
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
}

const INTERACTIVE: Body = { testMode: { testModeType: 'ACTUAL_TEST' } };
const KINDS: Kind[] = ['hosted', 'express'];
const PAIRS = KINDS.flatMap((kind) =>
  (Object.keys(INTERRUPTIONS) as (keyof typeof INTERRUPTIONS)[]).map(
    (interruption) => [kind, interruption] as const,
  ),
);

test.each(PAIRS)(
  'decisions.md#8: the same key, id and body replays the first answer byte for byte (%s, %s)',
  async (kind, interruption) => {
    const first = await create(kind);
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const before = await allRows();
    await INTERRUPTIONS[interruption]();
    expectReplay(await create(kind), first);
    advance(365 * 24 * 3_600 * SECOND_MS);
    expectReplay(await create(kind), first);
    if (kind === 'hosted') {
      expect(await allRows()).toEqual(before);
    }
  },
);

test.each(KINDS)(
  'decisions.md#8: the same key and id with another body gets 422 (%s)',
  async (kind) => {
    const first = await create(kind);
    const before = await allRows();
    for (const changes of [{ amount: 100.51 }, { unknown: 1 }, { currency: 'XXX' }]) {
      const { status, envelope } = await create(kind, { changes });
      expect(status).toBe(422);
      expect(envelope).toMatchObject({
        status: 422,
        message: 'This Idempotency-Key was used with another request: its endpoint or body differs',
      });
    }
    // Bytes are compared, not their meaning.
    const spaced = await create(kind, { text: JSON.stringify(BODY_OF[kind](), null, 1) });
    expect(spaced.status).toBe(422);
    expect(await allRows()).toEqual(before);
    expectReplay(await create(kind), first);
  },
);

test.each(KINDS)(
  'decisions.md#8: a repeat without the header gets 409 naming the id (%s)',
  async (kind) => {
    await create(kind);
    const { status, envelope, headers } = await answerOf(
      call(CREATE_PATHS[kind].sandbox, { method: 'POST', body: BODY_OF[kind]() }),
    );
    expect(status).toBe(409);
    expect(envelope).toMatchObject({
      status: 409,
      message: 'Duplicate key: paymentIntentUniqueId "order-1" already exists',
    });
    expect(headers.get('retry-after')).toBeNull();
  },
);

test('decisions.md#8: the 409 shows the payment and its page, to a key that may read it', async () => {
  const { content: checkoutUrl } = (await create('hosted')).envelope;
  const payment = () => contentOf<Body>(call(statusPath('order-1')));
  expect(await payment()).toMatchObject({ status: 'OPEN', checkoutUrl });
  const duplicate = async () => (await create('hosted', { key: 'another' })).envelope.payment;
  expect(await duplicate()).toEqual(await payment());

  await call(cancelPath('order-1'), { method: 'POST' });
  expect(await payment()).toMatchObject({ status: 'CANCELED', checkoutUrl: null });
  expect(await duplicate()).toEqual(await payment());

  await env.DB.prepare(`UPDATE api_keys SET permissions = '["payments_create"]'`).run();
  forgetDirectory();
  const { status, envelope } = await create('hosted', { key: 'another' });
  expect([status, 'payment' in envelope]).toEqual([409, false]);
});

test.each([
  ['500', new Error('the Worker died')],
  ['503', new ObjectUnavailable('out of reach')],
])(
  'decisions.md#8: the status call names the transaction of an express payment that was answered %s',
  async (status, failure) => {
    vi.spyOn(simulator, 'start').mockRejectedValue(failure);
    const body = expressBody(INTERACTIVE);
    const answer = await answerOf(call(CREATE_PATHS.express.sandbox, { method: 'POST', body }));
    expect(String(answer.status)).toBe(status);
    const [attempt] = (await intentOf()).attempts;
    const { transaction, checkoutUrl } = await contentOf<Body>(call(statusPath('order-1')));
    expect(transaction).toMatchObject({ transactionId: attempt?.reference });
    expect(await leadsOn(String(checkoutUrl))).toBe(true);
  },
);

test.each(KINDS)(
  'decisions.md#8: another key for the same id and body gets 409 (%s)',
  async (kind) => {
    await create(kind);
    expect((await create(kind, { key: 'order-1/try-2' })).status).toBe(409);
  },
);

test('decisions.md#8: a key used with a payment that was created without one gets 409', async () => {
  await call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: hostedBody() });
  expect((await create('hosted')).status).toBe(409);
});

test('decisions.md#8: the key is scoped to the id, so the same key creates a payment with another id', async () => {
  const first = await create('hosted');
  const second = await create('hosted', { changes: { paymentIntentUniqueId: 'order-2' } });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.text).not.toBe(first.text);
  expect(second.headers.get('idempotent-replayed')).toBeNull();
});

test('decisions.md#8: 20 concurrent posts with one key make one payment and get one answer without an error', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create('hosted')));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  const fresh = answers.filter(({ headers }) => !headers.has('idempotent-replayed'));
  expect(fresh).toHaveLength(1);
});

test('decisions.md#8: a repeat during the express call gets 409 with Retry-After', async () => {
  let answerRail: () => void = () => undefined;
  const railAnswers = new Promise<void>((resolve) => {
    answerRail = resolve;
  });
  const start = simulator.start;
  const calls = vi.spyOn(simulator, 'start').mockImplementation(async (order) => {
    await railAnswers;
    return start(order);
  });
  const first = create('express');
  await expect.poll(() => calls).toHaveBeenCalledTimes(1);

  // The provider still has time to answer.
  advance(simulator.startTimeoutMs);
  const repeat = await create('express');
  expect(repeat.status).toBe(409);
  expect(repeat.envelope.status).toBe(409);
  expect(repeat.headers.get('retry-after')).toBe('1');
  expect((await create('express', { changes: { amount: 7 } })).status).toBe(422);

  answerRail();
  const answered = await first;
  expect(answered.status).toBe(200);
  expectReplay(await create('express'), answered);
  expect(calls).toHaveBeenCalledTimes(1);
});

test('decisions.md#8: an express call that outlasts its repeat gets the answer of the repeat', async () => {
  const asked = Promise.withResolvers<StartResult>();
  const calls = vi.spyOn(simulator, 'start').mockReturnValue(asked.promise);
  const first = create('express');
  await expect.poll(() => calls).toHaveBeenCalledTimes(1);
  advance(60 * SECOND_MS);
  const repeat = await create('express');
  expect(repeat.status).toBe(200);
  asked.resolve({ type: 'refused', reason: 'insufficient_funds' });
  const answered = await first;
  expect([answered.status, answered.text]).toEqual([200, repeat.text]);
  expectReplay(await create('express'), repeat);
});

test.each(
  (['SUCCESS', 'FAILED'] as const).flatMap((simulationStatus) =>
    (Object.keys(INTERRUPTIONS) as (keyof typeof INTERRUPTIONS)[]).flatMap((interruption) =>
      [false, true].map((isResolved) => ({ simulationStatus, interruption, isResolved })),
    ),
  ),
)(
  "decisions.md#8: after a Worker died before answering, a repeat gets 409, then the answer of the payment's state, which never changes: $simulationStatus, $interruption, resolved first: $isResolved",
  async ({ simulationStatus, interruption, isResolved }) => {
    const changes = simulationStatus === 'SUCCESS' ? {} : SIMULATED_FAILURE;
    const start = vi.spyOn(simulator, 'start').mockRejectedValue(new Error('the Worker died'));
    const died = await create('express', { changes });
    expect(died.status).toBe(500);
    expect(died.text).not.toContain('died');
    await INTERRUPTIONS[interruption]();

    const early = await create('express', { changes });
    expect(early.status).toBe(409);
    advance(60 * SECOND_MS);
    if (isResolved) {
      await fireAlarm();
      await INTERRUPTIONS[interruption]();
    }

    const synthesised = await create('express', { changes });
    expect(synthesised.status).toBe(200);
    expect(synthesised.headers.get('idempotent-replayed')).toBe('true');
    const [attempt] = (await clientOf().read())?.attempts ?? [];
    expect(synthesised.envelope).toEqual({
      status: 200,
      message: 'Payment intent saved successfully',
      content: {
        paymentUrl: simulationStatus === 'SUCCESS' ? expect.stringContaining('/checkout/') : null,
        transactionId: attempt?.reference,
        status: simulationStatus === 'SUCCESS' ? 'SUCCESS' : 'FAILURE',
        message: expect.any(String),
        failureReason: simulationStatus === 'SUCCESS' ? null : 'declined',
      },
    });

    // The answer stays the same when the payment changes later.
    await INTERRUPTIONS[interruption]();
    await fireAlarm();
    expectReplay(await create('express', { changes }), synthesised);
    // The charge was never repeated (docs/promises.md#4).
    expect(start).toHaveBeenCalledTimes(1);
  },
);

async function expectReplays(request: () => Promise<Answer>, first: Answer): Promise<void> {
  for (const interrupt of [INTERRUPTIONS.eviction, INTERRUPTIONS.abort]) {
    await interrupt();
    expectReplay(await request(), first);
  }
}

test.each(FAILURE_REASONS)(
  'decisions.md#8: a refusal is replayed byte for byte after the object lost its memory (%s)',
  async (reason) => {
    vi.spyOn(simulator, 'start').mockResolvedValue({ type: 'refused', reason });
    const ask = () => create('express', { changes: { unknown: 1 } });
    const first = await ask();
    const content = { paymentUrl: null, status: 'FAILURE', failureReason: reason };
    expect(first.envelope).toMatchObject({ content, warnings: [expect.any(String)] });
    await expectReplays(ask, first);
  },
);

test.each(FAILURE_REASONS)(
  'decisions.md#8: a failure that was reported after the Worker died is answered, and replayed byte for byte (%s)',
  async (reason) => {
    vi.spyOn(simulator, 'start').mockRejectedValue(new Error('the Worker died'));
    await create('express');
    const { id: attemptId = '', reference } = (await intentOf()).attempts[0] ?? {};
    await execute({ type: 'resolve_attempt', attemptId, outcome: { type: 'failed', reason } });
    advance(60 * SECOND_MS);
    const first = await create('express');
    const content = { status: 'FAILURE', failureReason: reason, transactionId: reference };
    expect(first.envelope).toMatchObject({ content });
    await expectReplays(() => create('express'), first);
  },
);

test('decisions.md#8: concurrent repeats after a crash all get the same answer', async () => {
  vi.spyOn(simulator, 'start').mockRejectedValue(new Error('the Worker died'));
  await create('express');
  advance(60 * SECOND_MS);
  const answers = await Promise.all(Array.from({ length: 10 }, () => create('express')));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
});

/** Whether this page offers the customer a next step: a link or a form. */
async function leadsOn(paymentUrl: string | null): Promise<boolean> {
  const response = await call(pathOf(paymentUrl ?? ''), { apiKey: null });
  const html = await response.text();
  return response.status === 200 && /\/simulator\/|<form/.test(html);
}

test('decisions.md#22: an interactive express charge leads the customer to the simulator', async () => {
  const { envelope } = await create('express', { changes: INTERACTIVE });
  expect(await leadsOn((envelope.content as ExpressContent).paymentUrl)).toBe(true);
});

test('decisions.md#8: an interactive express charge that died before its answer leads the customer to a next step', async () => {
  const start = vi.spyOn(simulator, 'start').mockRejectedValue(new Error('the Worker died'));
  await create('express', { changes: INTERACTIVE });
  start.mockRestore();
  advance(60 * SECOND_MS);
  const { envelope } = await create('express', { changes: INTERACTIVE });
  const { paymentUrl, status } = envelope.content as ExpressContent;
  expect(status).toBe('SUCCESS');
  expect(await leadsOn(paymentUrl)).toBe(true);
});

test('promises.md#4: a hosted customer whose Worker died during the provider call gets a next step', async () => {
  const checkoutUrl = String((await create('hosted')).envelope.content);
  const start = vi.spyOn(simulator, 'start').mockRejectedValue(new Error('the Worker died'));
  const choice = { method: 'TELE_BIRR', attempts: '0' };
  const died = await postForm(`${pathOf(checkoutUrl)}/attempts`, choice);
  await died.body?.cancel();
  start.mockRestore();
  expect((await intentOf()).status).toBe('processing');
  advance(60 * SECOND_MS);
  expect(await leadsOn(checkoutUrl)).toBe(true);
});

test.each<[string, Body]>([
  ['amount', { amount: -1 }],
  ['currency', { currency: 'EUR' }],
  ['expireIn', { expireIn: 'soon' }],
])('decisions.md#8: a taken id gets 409 even with an invalid %s', async (field, changes) => {
  const invalid = { ...hostedBody(), ...changes };
  const free = await answerOf(call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: invalid }));
  expect(free.status).toBe(400);
  expect(free.envelope.validationErrors).toHaveProperty(field);

  await create('hosted');
  for (const path of Object.values(CREATE_PATHS).map(({ sandbox }) => sandbox)) {
    const { status, envelope } = await answerOf(call(path, { method: 'POST', body: invalid }));
    expect(status).toBe(409);
    expect(envelope.message).toContain('"order-1"');
  }
});

test.each([
  ['empty', ''],
  ['256 characters', 'k'.repeat(256)],
  ['not ASCII', 'clé'],
  ['a tab inside', 'a\tb'],
])(
  'decisions.md#8: an Idempotency-Key that is %s gets a plain 400 and creates nothing',
  async (_name, key) => {
    const { status, envelope } = await create('hosted', { key });
    expect(status).toBe(400);
    expect(envelope.code).toBe('idempotency_key_invalid');
    expect(envelope.message).toContain('Idempotency-Key');
    expect(await clientOf().read()).toBeNull();
  },
);

test('decisions.md#8: accepts an Idempotency-Key of 255 characters with spaces inside', async () => {
  const key = `a ${'k'.repeat(253)}`;
  const first = await create('hosted', { key });
  expect(first.status).toBe(200);
  expectReplay(await create('hosted', { key }), first);
});

test('decisions.md#8: a key of one merchant replays nothing of another', async () => {
  await create('hosted', { apiKey: ALPHA.apiKeys.sandbox });
  const production = await answerOf(
    call(CREATE_PATHS.hosted.production, {
      method: 'POST',
      apiKey: ALPHA.apiKeys.production,
      headers: { 'idempotency-key': KEY },
      body: hostedBody(),
    }),
  );
  expect(production.headers.get('idempotent-replayed')).toBeNull();
  expect(production.status).toBe(400);
});

test.each(KINDS)(
  'decisions.md#8: the answer that was stored first stays when a second one is stored (%s)',
  async (kind) => {
    const first = await create(kind);
    await clientOf().execute([{ type: 'tick' }], {
      paymentUrl: 'https://another.example',
      warnings: ['another'],
    });
    expectReplay(await create(kind), first);
  },
);

test('decisions.md#8: the same bytes at the other endpoint count as another body', async () => {
  const text = JSON.stringify({
    ...hostedBody({ amount: 100 }),
    ...expressBody({ amount: 100 }),
  });
  expect((await create('hosted', { text })).status).toBe(200);
  const other = await create('express', { text });
  expect(other.status).toBe(422);
  expect(other.envelope.message).toContain('endpoint');
});

test('decisions.md#8: an answer stays after its settings have changed', async () => {
  const first = await create('express');
  const merchant = 'UPDATE merchant_methods SET enabled = 0 WHERE merchant_id = ?';
  await env.DB.prepare(merchant).bind(ALPHA.id).run();
  forgetDirectory();
  expectReplay(await create('express'), first);
  expect((await create('express', { key: 'another' })).status).toBe(409);
});
