import { placementOf } from '../config.ts';
import type { Command } from '../domain/command.ts';
import type { Intent } from '../domain/intent.ts';
import type { Tenant } from '../domain/terms.ts';
import { errorText, log } from '../platform/log.ts';
import { methodsOf } from '../platform/object-call.ts';
import { objectsIn } from '../platform/objects.ts';
import type { PaymentIntentObject } from './payment-intent.ts';
import type { ExecuteResult, ExpressAnswers } from './protocol.ts';

/**
 * Waits between tries to store what a provider has already acted on. They fit within the 30 s that
 * a Worker may run after its response.
 */
const PERSISTENT_WAITS_MS = [200, 500, 1_000, 3_000, 6_000, 9_000];

function payments(env: Env) {
  return objectsIn(env.PAYMENT_INTENT, placementOf(env));
}

/**
 * The id of the object that owns a payment. Its name contains environment, merchant and unique id,
 * so that one tenant's key, link or query cannot name another tenant's object (docs/promises.md#8).
 * Merchant ids contain no slash.
 */
export function objectIdOf(env: Env, tenant: Tenant, uniqueId: string): string {
  const name = `${tenant.environment}/${tenant.merchantId}/${uniqueId}`;
  return payments(env).idFromName(name).toString();
}

export function intentByUniqueId(env: Env, tenant: Tenant, uniqueId: string): IntentClient {
  return new IntentClient(env, objectIdOf(env, tenant, uniqueId));
}

/**
 * Callers pass only ids from verified links and queue messages, because every id names an object.
 */
export function intentByObjectId(env: Env, objectId: string): IntentClient {
  return new IntentClient(env, objectId);
}

/** Calls a payment's object. Throws ObjectUnavailable. */
export class IntentClient {
  readonly objectId: string;
  readonly #env: Env;
  /** Retries are safe: the object recognizes repeated uuids, claims and resolved attempts. */
  readonly #method = methodsOf<PaymentIntentObject>(() => {
    const objects = payments(this.#env);
    return objects.get(objects.idFromString(this.objectId));
  });

  readonly create = this.#method('create');
  readonly probe = this.#method('probe');
  readonly history = this.#method('history');
  readonly events = this.#method('events');
  readonly eventRequestBody = this.#method('eventRequestBody');
  readonly resendEvent = this.#method('resendEvent');
  readonly claimDelivery = this.#method('claimDelivery');
  readonly chooseEndpoints = this.#method('chooseEndpoints');
  readonly reportDelivery = this.#method('reportDelivery');
  readonly republish = this.#method('republish');
  readonly restore = this.#method('restore');
  readonly restoreTo = this.#method('restoreTo');
  readonly restart = this.#method('restart');
  readonly retention = this.#method('retention');
  readonly setHold = this.#method('setHold');
  readonly erase = this.#method('erase');
  readonly exportRecords = this.#method('exportRecords');

  constructor(env: Env, objectId: string) {
    this.#env = env;
    this.objectId = objectId;
  }

  read(): Promise<Intent | null> {
    return this.#method('read')();
  }

  execute(
    commands: readonly Command[],
    answers: ExpressAnswers | null = null,
  ): Promise<ExecuteResult> {
    return this.#method('execute')(commands, answers);
  }

  /** `execute` for a provider's report, which the provider may not repeat. */
  executePersistently(
    commands: readonly Command[],
    answers: ExpressAnswers | null = null,
  ): Promise<ExecuteResult> {
    return this.#persistently(() => this.execute(commands, answers));
  }

  /** `read` before handling a provider's report, which the provider may not repeat. */
  readPersistently(): Promise<Intent | null> {
    return this.#persistently(() => this.read());
  }

  /** This retries any error for about 20 s, then throws. */
  async #persistently<T>(call: () => Promise<T>): Promise<T> {
    for (const waitMs of PERSISTENT_WAITS_MS) {
      try {
        return await call();
      } catch (error) {
        log('warn', 'intent_call_repeated', { objectId: this.objectId, error: errorText(error) });
        await scheduler.wait(waitMs);
      }
    }
    return call();
  }
}
