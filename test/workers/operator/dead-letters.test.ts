import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, test, vi } from 'vitest';
import type { ResultMessage } from '../../../src/engine/attempts/provider-reports.ts';
import worker from '../../support/gateway.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  advance,
  clientOf,
  consume,
  createHosted,
  DAY_MS,
  execute,
  fateOf,
  fireAlarm,
  HOUR_MS,
  intentOf,
  logged,
  MINUTE_MS,
  payHosted,
  resolveAttempt,
  startRedirect,
  useGateway,
} from '../support.ts';
import { content, operateApi } from './support.ts';

/**
 * Goal: no dead letter is lost: each leaves its queue once D1 holds it and not before, can be sent
 * again until its payment has it, and leaves the list only when an operator discards it or after its
 * time. Letters of one thing are one row. Method: batches for the Worker's consumer, a failing D1,
 * requests to the API.
 */

const caught = useGateway();

type DeadQueue =
  | 'kefel-provider-reports-dead'
  | 'kefel-webhooks-dead'
  | 'kefel-webhook-retries-dead';

async function die(queue: DeadQueue, bodies: readonly unknown[], attempts = 1, round = '') {
  const messages = bodies.map((body, index) => ({
    id: `dead-${index}${round}`,
    timestamp: new Date(1_000),
    attempts,
    body,
  }));
  const batch = createMessageBatch(queue, messages);
  const ctx = createExecutionContext();
  const retry = vi.fn();
  for (const message of batch.messages) {
    const original = message.retry.bind(message);
    vi.spyOn(message, 'retry').mockImplementation((options) => {
      retry(options?.delaySeconds);
      original(options);
    });
  }
  await worker.queue(batch, env, ctx);
  return { fate: fateOf(await getQueueResult(batch, ctx), bodies.length), retry };
}

/** A provider's answer for the attempt `a1` of `order-1`, as the queue carries it. */
async function railMessage(): Promise<ResultMessage> {
  await createHosted();
  await execute(startRedirect('a1'));
  const { objectName } = clientOf();
  return {
    type: 'result',
    objectName,
    commands: [resolveAttempt('a1', 'succeeded')],
    facts: null,
  };
}

interface Letter {
  readonly id: string;
  readonly queue: string;
  readonly kind: string;
  readonly status: string;
  readonly retries: number;
  readonly timesGivenUp: number;
}

async function letters(query = ''): Promise<readonly Letter[]> {
  return (await content<{ items: Letter[] }>(operateApi(`/dead-letters${query}`))).items;
}

describe('a dead letter', () => {
  it.each<[DeadQueue, unknown, string]>([
    ['kefel-provider-reports-dead', { type: 'result', objectName: 'a'.repeat(64) }, 'result'],
    ['kefel-provider-reports-dead', { type: 'other', objectName: 'a'.repeat(64) }, 'unknown'],
    ['kefel-provider-reports-dead', null, 'unknown'],
    ['kefel-webhooks-dead', { objectName: 'a'.repeat(64), sequence: 2 }, 'delivery'],
    ['kefel-webhook-retries-dead', { objectName: 'a'.repeat(64), sequence: 2 }, 'delivery'],
  ])('of %s is stored once, sealed, and listed', async (queue, body, kind) => {
    expect((await die(queue, [body])).fate).toBe('acked');
    expect((await die(queue, [body])).fate).toBe('acked');
    expect(await letters()).toMatchObject([
      { id: 'dead-0', queue: queue.replace(/-dead$/, ''), kind, status: 'waiting', retries: 0 },
    ]);
    const row = await env.DB.prepare('SELECT sealed_body FROM dead_letters').first<string>(
      'sealed_body',
    );
    expect(row).toMatch(/^t1\./);
    expect(await content(operateApi('/dead-letters/dead-0'))).toMatchObject({ body });
    expect(logged.join()).toContain('dead_letters_kept');
  });

  test('stays in its queue, with growing delays, while D1 does not store it', async () => {
    const message = await railMessage();
    const batch = vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1 is down'));
    const prepare = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down');
    });
    const first = await die('kefel-provider-reports-dead', [message]);
    expect([first.fate, first.retry.mock.calls]).toEqual(['retried', [[60]]]);
    const late = await die('kefel-provider-reports-dead', [message], 99);
    expect([late.fate, late.retry.mock.calls]).toEqual(['retried', [[3_600]]]);
    batch.mockRestore();
    prepare.mockRestore();
    expect((await die('kefel-provider-reports-dead', [message])).fate).toBe('acked');
    expect(await letters()).toMatchObject([{ kind: 'result' }]);
  });

  test('that D1 never stores does not block others', async () => {
    const prepare = env.DB.prepare.bind(env.DB);
    vi.spyOn(env.DB, 'prepare').mockImplementation((sql) => {
      const statement = prepare(sql);
      const bind = statement.bind.bind(statement);
      return Object.assign(statement, {
        bind: (...values: unknown[]) => {
          // A row that D1's own check rejects.
          return bind(...(values[0] === 'dead-1' ? ['', ...values.slice(1)] : values));
        },
      });
    });
    const { fate } = await die('kefel-provider-reports-dead', [
      { version: 1 },
      { version: 2 },
      { version: 3 },
    ]);
    expect(fate).toBe('mixed');
    vi.mocked(env.DB.prepare).mockRestore();
    expect((await letters()).map(({ id }) => id)).toEqual(['dead-0', 'dead-2']);
  });

  test('of an unknown queue stays where it is', async () => {
    const batch = createMessageBatch('kefel-unknown', []);
    await expect(
      (async () => worker.queue(batch, env, createExecutionContext()))(),
    ).rejects.toThrow('no consumer for kefel-unknown');
  });
});

describe('letters of one thing', () => {
  test('count as one letter when the queue fails the same message again', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `order-${index}`);
    for (const paymentIntentUniqueId of ids) {
      await payHosted({ paymentIntentUniqueId });
    }
    for (let round = 1; round <= 4; round++) {
      const deliveries = [...caught.webhooks.splice(0), ...caught.retries.splice(0)];
      expect(deliveries).toHaveLength(ids.length);
      const queue = round % 2 === 0 ? 'webhooks' : 'webhook-retries';
      await die(`kefel-${queue}-dead`, deliveries, 1, `-delivery-${round}`);
      const kinds = (await letters('?limit=100')).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'delivery')).toHaveLength(ids.length);
      // By then each object sends again what no consumer has confirmed.
      advance(HOUR_MS);
      for (const id of ids) {
        await fireAlarm(id);
      }
    }
    for (const { kind, timesGivenUp } of await letters('?limit=100')) {
      expect([kind, timesGivenUp]).toEqual([kind, kind === 'delivery' ? 4 : expect.any(Number)]);
    }
  });

  test('are two if a provider reported twice', async () => {
    const success = await railMessage();
    const failure = { ...success, commands: [resolveAttempt('a1', 'failed')] };
    for (const round of ['-1', '-2']) {
      await die('kefel-provider-reports-dead', [success, failure], 1, round);
    }
    expect(await letters()).toMatchObject(
      ['result', 'result'].map((kind) => ({ kind, timesGivenUp: 2 })),
    );
  });

  test.each(['retry', 'discard'])('wait again after %s', async (handling) => {
    const message = await railMessage();
    await die('kefel-provider-reports-dead', [message]);
    await operateApi(`/dead-letters/${handling}`, {
      ids: ['dead-0'],
      ...(handling === 'discard' ? { reason: 'x' } : {}),
    });
    // The queue delivers what was given up before once more: not news.
    await die('kefel-provider-reports-dead', [message]);
    expect(await letters()).toEqual([]);
    advance(MINUTE_MS);
    await die('kefel-provider-reports-dead', [message], 1, '-again');
    expect(await letters()).toMatchObject([
      { id: 'dead-0', timesGivenUp: 2, storedAtMs: Date.now(), handledBy: null },
    ]);
    expect(await content(operateApi('/dead-letters/dead-0'))).toMatchObject({ body: message });
  });

  test('expire once the operator had time: hints after 30 days, reports after 400', async () => {
    const message = await railMessage();
    const { objectName } = message;
    await die('kefel-provider-reports-dead', [message]);
    await die('kefel-webhooks-dead', [{ objectName, sequence: 1, position: 0 }], 1, '-hint');
    const kindsAfter = async (days: number) => {
      advance(days * DAY_MS);
      await worker.scheduled(createScheduledController(), env, createExecutionContext());
      return (await letters()).map(({ kind }) => kind);
    };
    expect(await kindsAfter(29)).toEqual(['result', 'delivery']);
    expect(await kindsAfter(1)).toEqual(['result']);
    expect(logged.join()).toContain('dead_letters_expired');
    expect(await letters('?status=expired')).toMatchObject([{ id: 'dead-0-hint' }]);
    expect(await content(operateApi('/dead-letters/dead-0-hint'))).toMatchObject({ body: null });
    expect(await content(operateApi('/dead-letters/retry', { ids: ['dead-0-hint'] }))).toEqual({
      outcomes: { 'dead-0-hint': 'not_waiting' },
    });
    expect(await kindsAfter(369)).toEqual(['result']);
    expect(await kindsAfter(1)).toEqual([]);
    expect(await letters('?status=expired')).toHaveLength(2);
    await kindsAfter(400);
    expect(await letters('?status=expired')).toEqual([]);
  });
});

describe('sending again', () => {
  const retry = (...ids: string[]) =>
    content<{ outcomes: Record<string, string> }>(operateApi('/dead-letters/retry', { ids }));

  test("stores a provider's answer in its payment once, even when repeated", async () => {
    await die('kefel-provider-reports-dead', [await railMessage()]);
    expect((await intentOf()).status).toBe('processing');
    expect((await retry('dead-0')).outcomes).toEqual({ 'dead-0': 'sent' });
    expect(await letters()).toEqual([]);
    expect(await letters('?status=retried')).toMatchObject([{ id: 'dead-0', retries: 1 }]);
    await retry('dead-0');
    expect(caught.reports).toHaveLength(2);
    await consume('kefel-provider-reports', caught.reports.splice(0));
    const intent = await intentOf();
    expect([intent.status, intent.anomalies]).toEqual(['succeeded', []]);
    expect((await auditLog()).map(({ action, target }) => [action, target])).toEqual([
      ['dead_letter.retried', 'dead-0'],
      ['dead_letter.retried', 'dead-0'],
    ]);
  });

  test('leaves a letter unmarked that could not be sent', async () => {
    await die('kefel-provider-reports-dead', [await railMessage()]);
    vi.spyOn(env.PROVIDER_REPORTS, 'send').mockRejectedValue(new Error('queues are down'));
    expect((await retry('dead-0', 'none')).outcomes).toEqual({
      'dead-0': 'not_sent',
      none: 'not_found',
    });
    expect(await letters()).toMatchObject([{ id: 'dead-0', retries: 0 }]);
    const entry = { action: 'dead_letter.retried', target: 'dead-0' };
    expect(await auditLog()).toMatchObject([
      { ...entry, detail: expect.not.stringContaining('refused') },
      { ...entry, detail: expect.stringContaining('"refused":"not_sent"') },
    ]);
  });

  test('of a letter sealed by a lost data key is rejected with a reason', async () => {
    await die('kefel-provider-reports-dead', [{ version: 1 }]);
    await env.DB.prepare("UPDATE dead_letters SET sealed_body = 'gone.AAAA'").run();
    expect((await retry('dead-0')).outcomes).toEqual({ 'dead-0': 'unreadable' });
    expect(await content(operateApi('/dead-letters/dead-0'))).toMatchObject({ body: null });
  });
});

describe('discarding', () => {
  const discard = (body: unknown) => operateApi('/dead-letters/discard', body);

  test('removes letters from the list for good, and logs the reason', async () => {
    await die('kefel-provider-reports-dead', [{ version: 1 }, { version: 2 }]);
    advance(1_000);
    const answer = await content(discard({ ids: ['dead-0', 'none'], reason: 'D1 was down' }));
    expect(answer).toEqual({ outcomes: { 'dead-0': 'discarded', none: 'not_found' } });
    expect(await letters()).toMatchObject([{ id: 'dead-1' }]);
    const [entry] = await auditLog();
    expect(entry).toMatchObject({ action: 'dead_letter.discarded', target: 'dead-0' });
    // Its content is deleted too.
    const kept = env.DB.prepare("SELECT sealed_body FROM dead_letters WHERE id = 'dead-0'");
    expect(await kept.first('sealed_body')).toBe('');
    expect(JSON.parse(entry?.detail ?? '')).toMatchObject({
      kind: 'unknown',
      reason: 'D1 was down',
    });
    expect(await content(discard({ ids: ['dead-0'], reason: 'again' }))).toEqual({
      outcomes: { 'dead-0': 'not_waiting' },
    });
    expect(await content(operateApi('/dead-letters/retry', { ids: ['dead-0'] }))).toEqual({
      outcomes: { 'dead-0': 'not_waiting' },
    });
    expect(await auditLog()).toHaveLength(1);
  });
});

describe('the list', () => {
  test('is read page by page, and counts as needing attention', async () => {
    await die('kefel-provider-reports-dead', [{ version: 1 }, { version: 2 }, { version: 3 }]);
    for (const path of ['/dead-letters', '/attention']) {
      let query = '?limit=2';
      let seen = 0;
      for (let pages = 0; pages < 5 && query !== ''; pages += 1) {
        const page: { items: unknown[]; nextCursor: string | null } = await content(
          operateApi(`${path}${query}`),
        );
        seen += page.items.length;
        query = page.nextCursor === null ? '' : `?limit=2&cursor=${page.nextCursor}`;
      }
      expect([path, seen]).toEqual([path, 3]);
    }
    expect(await letters('?queue=kefel-webhooks')).toEqual([]);
    const { deadLetters } = await content<{ deadLetters: unknown }>(operateApi('/health'));
    expect(deadLetters).toEqual({ 'kefel-provider-reports': 3 });
  });
});
