import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { ObjectUnavailable } from '../../../src/kit/platform/object-call.ts';
import { clientOf, createHosted, useGateway } from '../support.ts';

/**
 * Goal: an object that is briefly unreachable loses no payment. Method: a namespace that fails the
 * first calls as the platform does, in front of the real one.
 */

useGateway();

interface Fault {
  readonly retryable?: boolean;
  readonly overloaded?: boolean;
  readonly durableObjectReset?: boolean;
  readonly message?: string;
}

/** A client whose first calls fail with `faults`, and how many calls it made. */
function faultyClient(faults: readonly Fault[]) {
  const { objectName } = clientOf();
  const counted = { calls: 0 };
  const namespace = new Proxy(env.PAYMENT_INTENT, {
    get(target, name) {
      if (name !== 'get') {
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      }
      return (id: DurableObjectId) => {
        const fault = faults[counted.calls];
        counted.calls += 1;
        const failing = () => Promise.reject(Object.assign(new Error('away'), fault));
        return fault === undefined ? target.get(id) : { execute: failing, read: failing };
      };
    },
  });
  return { client: new IntentClient({ ...env, PAYMENT_INTENT: namespace }, objectName), counted };
}

const RETRYABLE: Fault = { retryable: true };
const OVERLOADED: Fault = { retryable: true, overloaded: true };

/** What the platform throws without `retryable`. */
const RESETS: readonly Fault[] = [
  { durableObjectReset: true },
  ...[
    'Durable Object reset because its code was updated.',
    "The Durable Object's code has been updated, this version can no longer access storage.",
    'Durable Object storage operation exceeded timeout which caused object to be reset.',
    'Internal error in Durable Object storage write caused object to be reset.',
    "Durable Object's isolate exceeded its memory limit and was reset.",
    'Durable Object exceeded its CPU time limit and was reset.',
    'out of memory: SQLITE_NOMEM',
    'This Durable Object is no longer active.',
    'cannot access storage because object has moved to a different machine',
    'internal error; reference = 0',
  ].map((message) => ({ message })),
];

test('retries with a new stub after a broken connection', async () => {
  await createHosted();
  const { client, counted } = faultyClient([RETRYABLE, RETRYABLE]);
  expect(await client.read()).not.toBeNull();
  expect(counted.calls).toBe(3);
});

test.each([
  ['gives up at once when the object is overloaded', [OVERLOADED], 1],
  [
    'gives up after three calls when the object is unreachable',
    [RETRYABLE, RETRYABLE, RETRYABLE],
    3,
  ],
])('%s', async (_name, faults, calls) => {
  const { client, counted } = faultyClient(faults);
  const thrown = await client.read().then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ObjectUnavailable);
  expect(counted.calls).toBe(calls);
});

test.each(RESETS)(
  'calls a reset object once more, then counts it as unreachable: %o',
  async (reset) => {
    await createHosted();
    const lucky = faultyClient([reset]);
    expect(await lucky.client.read()).not.toBeNull();
    expect(lucky.counted.calls).toBe(2);

    const { client, counted } = faultyClient([reset, reset]);
    await expect(client.read()).rejects.toBeInstanceOf(ObjectUnavailable);
    expect(counted.calls).toBe(2);
  },
);

test('does not retry after a bug', async () => {
  const { client, counted } = faultyClient([{}]);
  expect(await client.read().then(() => null, String)).toContain('away');
  expect(counted.calls).toBe(1);
});

test("promises.md#4: stores a provider's answer although the object is unreachable for a while", async () => {
  await createHosted();
  vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined);
  const { client, counted } = faultyClient([
    ...[OVERLOADED, RETRYABLE, RETRYABLE, RETRYABLE, OVERLOADED],
  ]);
  const stored = await client.executePersistently([{ type: 'tick' }]);
  expect(stored).toMatchObject({ type: 'done', rejection: null });
  expect(counted.calls).toBe(6);
});

test('waits briefly before it calls again, and about 20 s in all for what a provider may not repeat', async () => {
  const waits = vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined);
  const waitedMs = () => waits.mock.calls.splice(0).map(([waitMs]) => waitMs);
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  await createHosted();
  await faultyClient([RETRYABLE, RETRYABLE]).client.read();
  expect(waitedMs()).toEqual([50, 100]);

  const { client, counted } = faultyClient(Array(9).fill(OVERLOADED));
  await expect(client.readPersistently()).rejects.toBeInstanceOf(ObjectUnavailable);
  expect(counted.calls).toBe(7);
  expect(waitedMs()).toEqual([200, 500, 1_000, 3_000, 6_000, 9_000]);
});
