import { abortAllDurableObjects, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, vi } from 'vitest';
import { MerchantBook } from '../../../src/connected-objects.ts';
import { forgetOutages } from '../../../src/engine/attempts/method-outages.ts';
import type { ResultMessage } from '../../../src/engine/attempts/provider-reports.ts';
import type { ProjectionMessage } from '../../../src/engine/intent/book-message.ts';
import type { DeliveryMessage } from '../../../src/engine/intent/protocol.ts';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import { forgetSwitchedOff } from '../../../src/engine/merchants/switched-off.ts';
import { forgetWebhookSettings } from '../../../src/engine/webhooks/settings.ts';
import { forgetRefusedRequests } from '../../../src/lists/api/record-refused.ts';
import { backOfficeEnv } from '../../support/gateway.ts';
import { DAY_MS } from './clock.ts';
import { prepareDatabases } from './merchants.ts';

/** Every test starts a day after the previous one, so that isolates' caches are outdated. */
let clockMs = Date.UTC(2090, 0, 1);

// For tests that call a part of the back office directly.
Object.assign(env, backOfficeEnv(env, { waitUntil: () => undefined }));

/** Messages that the objects have sent and the test has not delivered yet. */
export interface CaughtMessages {
  readonly webhooks: DeliveryMessage[];
  readonly retries: DeliveryMessage[];
  readonly projections: ProjectionMessage[];
  readonly reports: ResultMessage[];
}

/** Every log line of the running test. */
export const logged: string[] = [];

const LEVELS = ['info', 'warn', 'error'] as const;

/** A gateway with two merchants for each test of a file; everything is reset afterwards. */
export function useGateway(): CaughtMessages {
  const caught: CaughtMessages = { webhooks: [], retries: [], projections: [], reports: [] };
  catchLog();
  catchInto(env.WEBHOOKS, caught.webhooks);
  catchInto(env.WEBHOOK_RETRIES, caught.retries);
  catchInto(env.PROVIDER_REPORTS, caught.reports);
  beforeEach(async () => {
    clockMs += DAY_MS;
    vi.useFakeTimers({ toFake: ['Date'], now: clockMs });
    for (const level of LEVELS) {
      vi.spyOn(console, level);
    }
    for (const queue of [env.WEBHOOKS, env.WEBHOOK_RETRIES, env.PROVIDER_REPORTS]) {
      vi.spyOn(queue, 'send');
    }
    const { apply } = MerchantBook.prototype;
    vi.spyOn(MerchantBook.prototype, 'apply').mockImplementation(function (
      this: MerchantBook,
      message,
    ) {
      caught.projections.push(message);
      return apply.call(this, message);
    });
    forgetDirectory();
    forgetOutages();
    forgetRefusedRequests();
    forgetSwitchedOff();
    forgetWebhookSettings();
    await watchBackground();
    // A query that was under way during the reset can keep its database from it.
    await prepareDatabases().catch(async () => {
      await forgetEverything();
      await prepareDatabases();
    });
  });
  afterEach(async () => {
    await reportsAreSent();
    vi.restoreAllMocks();
    vi.useRealTimers();
    for (const messages of [...Object.values(caught), logged]) {
      messages.length = 0;
    }
    await forgetEverything();
  });
  return caught;
}

const reached = new Map<string, DurableObjectId>();
const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
env.PAYMENT_INTENT.get = (id, options) => {
  reached.set(String(id), id);
  return reach(id, options);
};

const reachedBooks = new Map<string, DurableObjectId>();
const reachBook = env.MERCHANT_BOOK.get.bind(env.MERCHANT_BOOK);
env.MERCHANT_BOOK.get = (id, options) => {
  reachedBooks.set(String(id), id);
  return reachBook(id, options);
};

const reachedRegisters = new Map<string, DurableObjectId>();
export const reachRegister = env.MERCHANT_REGISTER.get.bind(env.MERCHANT_REGISTER);
env.MERCHANT_REGISTER.get = (id, options) => {
  reachedRegisters.set(String(id), id);
  return reachRegister(id, options);
};

const reachedShards = new Map<string, DurableObjectId>();
const reachShard = env.RECEIPT_INDEX.get.bind(env.RECEIPT_INDEX);
env.RECEIPT_INDEX.get = (id, options) => {
  reachedShards.set(String(id), id);
  return reachShard(id, options);
};

/** Some tests replace it. */
const wait = scheduler.wait.bind(scheduler);
/** What objects do after they have answered, such as feeding the book. */
const background = new Set<Promise<unknown>>();
let isWatching = false;

/** Watches `waitUntil` of all objects. */
async function watchBackground(): Promise<void> {
  if (isWatching) {
    return;
  }
  isWatching = true;
  const { PAYMENT_INTENT: namespace } = env;
  await runInDurableObject(reach(namespace.idFromName('watched')), (_object, ctx) => {
    const prototype = Object.getPrototypeOf(ctx);
    const { waitUntil } = prototype;
    prototype.waitUntil = function (this: DurableObjectState, work: Promise<unknown>) {
      background.add(work);
      const end = () => background.delete(work);
      work.then(end, end);
      waitUntil.call(this, work);
    };
  });
}

/** Kills all objects, and what they do after their answers: such a promise never settles. */
export async function abortObjects(): Promise<void> {
  await abortAllDurableObjects();
  background.clear();
}

/** Waits until the objects have done what they do after their answers. */
export async function reportsAreSent(): Promise<void> {
  // The work of a single object that a test has killed does not end.
  for (let tries = 0; background.size > 0 && tries < 250; tries += 1) {
    await wait(2);
  }
  background.clear();
}

/** Every payment's object that the running test has reached, even only for a read. */
export function reachedObjects(): readonly DurableObjectId[] {
  return [...reached.values()];
}

/** For a test with more objects than a process can open at once: what they store stays. */
export function forgetReachedObjects(): void {
  reached.clear();
}

/** Every merchant's book that the running test has reached. */
export function reachedBookIds(): readonly DurableObjectId[] {
  return [...reachedBooks.values()];
}

/** Every merchant's register that the running test has reached. */
export function reachedRegisterIds(): readonly DurableObjectId[] {
  return [...reachedRegisters.values()];
}

/** Every shard of the index of receipts that the running test has reached, below the spies. */
export function reachedShardStubs() {
  return [...reachedShards.values()].map((id) => reachShard(id));
}

/**
 * `reset` skips an object that an eviction or abort has removed from memory, so it is woken first.
 */
export async function forgetEverything(): Promise<void> {
  await Promise.all([env.DB, env.BACK_OFFICE_DB].map((one) => one.prepare('SELECT 1').run()));
  for (const id of reachedObjects()) {
    await runInDurableObject(reach(id), () => undefined);
  }
  for (const id of reachedRegisters.values()) {
    await runInDurableObject(reachRegister(id), () => undefined);
  }
  reached.clear();
  for (const id of reachedBooks.values()) {
    await runInDurableObject(reachBook(id), () => undefined);
  }
  for (const shard of reachedShardStubs()) {
    await runInDurableObject(shard, () => undefined);
  }
  reachedBooks.clear();
  reachedRegisters.clear();
  reachedShards.clear();
  await reset();
}

/** Below the spies: a test that restores all mocks must not send to the real queue. */
function catchInto<Body>(queue: Queue, messages: Body[]): void {
  queue.send = async (body) => {
    messages.push(structuredClone(body) as Body);
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  };
}

/** Below the spies, too: objects may log after the test has restored all mocks. */
function catchLog(): void {
  for (const level of LEVELS) {
    console[level] = (line) => {
      logged.push(String(line));
    };
  }
}
