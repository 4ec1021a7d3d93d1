import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, type Mock, test, vi } from 'vitest';
import { DIGEST_AT_MS } from '../../../src/control/alerts/decide.ts';
import type { LookAround } from '../../../src/control/alerts/looks.ts';
import { OpenAlerts } from '../../../src/control/alerts/open-alerts.ts';
import { lookAround } from '../../../src/control/watch/look-around.ts';
import { REPEAT_EVERY_MS } from '../../../src/engine/alerts/subjects.ts';
import { businessDay, businessDayStartMs } from '../../../src/kit/ethiopian-time.ts';
import { advance, HOUR_MS, MINUTE_MS, useGateway } from '../support.ts';

/**
 * Goal: docs/decisions.md#63: what the operator is told, how often, and that it arrives although
 * the object dies or a channel is down. Method: the object's code on the storage of a real object;
 * the operator's receiver verifies each message by the Standard Webhooks library.
 */

useGateway();

const RECEIVER = 'https://pager.example.com/kefel';
const HEARTBEAT = 'https://monitor.example.com/beat';
const SECRET = `whsec_${btoa('a secret of thirty-two characters')}`;

interface Message {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let messages: Message[];
let beats: number;
/** What the monitor answers. */
let monitorAnswers: () => number;
/** What the receiver answers; null: the connection breaks. */
let answers: () => number | null;

beforeEach(() => {
  messages = [];
  beats = 0;
  monitorAnswers = () => 200;
  answers = () => 200;
  const fetcher: Mock<typeof fetch> = vi.spyOn(globalThis, 'fetch');
  fetcher.mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (request.url === HEARTBEAT) {
      beats += 1;
      return new Response(null, { status: monitorAnswers() });
    }
    expect(request.url).toBe(RECEIVER);
    const text = await request.text();
    const status = answers();
    if (status === null) {
      throw new TypeError('connection failed');
    }
    if (status === 200) {
      const event = new Webhook(SECRET).verify(text, Object.fromEntries(request.headers));
      messages.push(event as Message);
    }
    return new Response(null, { status });
  });
});

/** A process with the object's code. Another one on the same storage is the object after a crash. */
function withAlerts<Result>(
  use: (alerts: OpenAlerts) => Promise<Result>,
  look: LookAround = lookAround,
): Promise<Result> {
  const stub = env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway'));
  return runInDurableObject(stub, async (_instance, { storage }) => {
    const sends: Promise<unknown>[] = [];
    const ctx = {
      id: stub.id,
      storage,
      waitUntil: (work: Promise<unknown>) => void sends.push(work),
    };
    const bindings = {
      ...env,
      ALERT_WEBHOOK: `${RECEIVER} ${SECRET}`,
      ALERT_HEARTBEAT_URL: HEARTBEAT,
    };
    const result = await use(new OpenAlerts(ctx, bindings, look));
    await Promise.all(sends);
    return result;
  });
}

const wake = () => withAlerts((alerts) => alerts.alarm());

const unresolved = (merchant: string, count: number) =>
  withAlerts((alerts) =>
    alerts.stand(
      `book/production/${merchant}/0`,
      count === 0
        ? []
        : [{ subject: 'unresolved_attempts', count, sinceAtMs: Date.now(), detail: null }],
    ),
  );

const types = () => messages.map(({ type }) => type);

test('a flood of 1,000 faults is one message, then one an hour, then one end', async () => {
  const merchants = Array.from({ length: 1_000 }, (_, index) => `merchant-${index}`);
  await withAlerts(async (alerts) => {
    for (const merchant of merchants) {
      await alerts.stand(`book/production/${merchant}/0`, [
        { subject: 'unresolved_attempts', count: 3, sinceAtMs: Date.now(), detail: null },
      ]);
    }
  });
  await wake();
  expect(types()).toEqual(['alert.new']);
  advance(REPEAT_EVERY_MS);
  await wake();
  expect(messages[1]).toMatchObject({
    type: 'alert.repeat',
    data: { count: 3_000, merchants: 1_000 },
  });
  advance(REPEAT_EVERY_MS);
  await wake();
  expect(messages).toHaveLength(2);
  await withAlerts(async (alerts) => {
    for (const merchant of merchants) {
      await alerts.stand(`book/production/${merchant}/0`, []);
    }
  });
  await wake();
  expect(types()).toEqual(['alert.new', 'alert.repeat', 'alert.resolved']);
});

test('the same report twice says nothing twice', async () => {
  await unresolved('abebe', 1);
  await unresolved('abebe', 1);
  advance(REPEAT_EVERY_MS);
  await wake();
  expect(types()).toEqual(['alert.new']);
});

test('a fault that flickers is told twice an hour at most', async () => {
  for (let minutes = 0; minutes < 60; minutes += 5) {
    await unresolved('abebe', 1);
    await unresolved('abebe', 0);
    await wake();
    advance(5 * MINUTE_MS);
  }
  expect(types()).toEqual(['alert.new', 'alert.resolved']);
});

test('the object dies while it sends: the next one sends the same message', async () => {
  const stub = env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway'));
  let dead: () => void = () => undefined;
  const hangs = new Promise<never>((_resolve, reject) => {
    dead = () => reject(new TypeError('the process is gone'));
  });
  const fetcher = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(() => hangs);
  await runInDurableObject(stub, async (_instance, { storage }) => {
    const ctx = { id: stub.id, storage, waitUntil: () => undefined };
    const bindings = { ...env, ALERT_WEBHOOK: `${RECEIVER} ${SECRET}` };
    await new OpenAlerts(ctx, bindings, lookAround).stand('book/production/abebe/0', [
      { subject: 'unresolved_attempts', count: 1, sinceAtMs: Date.now(), detail: null },
    ]);
    // A process that is gone commits nothing more.
    expect(await storage.getAlarm()).not.toBeNull();
  });
  await expect.poll(() => fetcher.mock.calls.length).toBeGreaterThan(0);
  await wake();
  expect(types()).toEqual(['alert.new']);
  dead();
});

test.each<[string, number | null]>([
  ['answers 500', 500],
  ['is out of reach', null],
])('a channel that %s gets its messages later, in their order', async (_, status) => {
  answers = () => status;
  await unresolved('abebe', 1);
  await unresolved('abebe', 0);
  expect(messages).toEqual([]);
  answers = () => 200;
  advance(MINUTE_MS);
  await wake();
  expect(types()).toEqual(['alert.new', 'alert.resolved']);
});

test('a message that its channel refuses does not hold up the next one for long', async () => {
  answers = () => 404;
  await unresolved('abebe', 1);
  for (let tries = 0; tries < 5; tries += 1) {
    advance(5 * MINUTE_MS);
    await wake();
  }
  answers = () => 200;
  await unresolved('abebe', 0);
  expect(types()).toEqual(['alert.resolved']);
});

test('each morning says what is open, or that all is well', async () => {
  await wake();
  const morningMs = (days: number) =>
    businessDayStartMs(businessDay(Date.now() - DIGEST_AT_MS) + days) + DIGEST_AT_MS;
  vi.setSystemTime(morningMs(1) - MINUTE_MS);
  await wake();
  expect(messages).toEqual([]);
  advance(MINUTE_MS);
  await wake();
  await wake();
  await unresolved('abebe', 2);
  vi.setSystemTime(morningMs(1));
  await wake();
  expect(types()).toEqual(['alert.digest', 'alert.new', 'alert.digest']);
  expect(messages[0]?.data).toMatchObject({ subjects: [] });
  expect(messages[2]?.data).toMatchObject({
    subjects: [{ subject: 'unresolved_attempts', count: 2 }],
  });
});

test('the heartbeat beats hourly', async () => {
  for (let minutes = 0; minutes < 120; minutes += 5) {
    await wake();
    advance(5 * MINUTE_MS);
  }
  expect(beats).toBe(2);
});

test('a monitor that fails once is called again at once, not an hour later', async () => {
  monitorAnswers = () => 503;
  await wake();
  monitorAnswers = () => 200;
  advance(5 * MINUTE_MS);
  await wake();
  advance(5 * MINUTE_MS);
  await wake();
  expect(beats).toBe(2);
});

test('an object that slept through a morning waits for the next one', async () => {
  await wake();
  const startMs = businessDayStartMs(businessDay(Date.now()) + 2);
  vi.setSystemTime(startMs + 3 * HOUR_MS);
  await wake();
  expect(types()).toEqual(['alert.digest']);
  const stub = env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway'));
  const atMs = await runInDurableObject(stub, (_instance, { storage }) => storage.getAlarm());
  expect(atMs).toBe(Date.now() + 5 * MINUTE_MS);
});

test('a look does not undo what a source says meanwhile', async () => {
  const letters = [
    { subject: 'dead_letters' as const, count: 1, sinceAtMs: Date.now(), detail: null },
  ];
  let hear = async (): Promise<void> => undefined;
  await withAlerts(
    async (alerts) => {
      hear = () => alerts.stand('dead_letters', letters);
      await alerts.alarm();
    },
    async () => {
      await hear();
      return [{ source: 'dead_letters', standings: [] }];
    },
  );
  expect(types()).toEqual(['alert.new']);
});

test('a channel that was away hears how each subject began, and how it is now', async () => {
  answers = () => 500;
  for (const count of [1, 2, 3, 4]) {
    await unresolved('abebe', count);
    advance(REPEAT_EVERY_MS);
    await wake();
  }
  answers = () => 200;
  advance(HOUR_MS);
  await wake();
  await wake();
  const alerts = messages.filter(({ type }) => type !== 'alert.digest');
  expect(alerts.map(({ type, data }) => [type, data.count])).toEqual([
    ['alert.new', 1],
    ['alert.repeat', 4],
  ]);
});
