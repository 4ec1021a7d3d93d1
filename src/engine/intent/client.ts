import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { objectClient } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { placementOf } from '../config.ts';
import type { Command } from '../domain/command.ts';
import type { Intent } from '../domain/intent.ts';
import type { PaymentIntentObject } from './payment-intent.ts';
import type { ExecuteResult, ExpressFacts } from './protocol.ts';

/**
 * Waits between tries to store what a provider has already acted on. They fit within the 30 s that
 * a Worker may run after its response.
 */
const PERSISTENT_WAITS_MS = [200, 500, 1_000, 3_000, 6_000, 9_000];

function payments(env: Env) {
  return objectsIn(env.PAYMENT_INTENT, placementOf(env));
}

export async function intentByUniqueId(
  env: Env,
  tenant: Tenant,
  uniqueId: string,
): Promise<IntentClient> {
  return new IntentClient(env, await objectNameOf({ ...tenant, uniqueId }));
}

/**
 * Callers pass only names from verified links and queue messages, because every name has an object.
 */
export function intentByName(env: Env, objectName: string): IntentClient {
  return new IntentClient(env, objectName);
}

/**
 * Has a payment sent to its book again, by the id under which Cloudflare lists its object: a list of
 * a namespace has no names.
 */
export function republishById(env: Env, objectId: string): Promise<boolean> {
  const objects = payments(env);
  const byId = () => objects.get(objects.idFromString(objectId));
  return objectClient<PaymentIntentObject>(byId).republish();
}

/** Calls a payment's object. Throws ObjectUnavailable. */
export class IntentClient {
  readonly objectName: string;
  readonly #env: Env;
  /** Retries are safe: the object recognizes repeated uuids, claims and resolved attempts. */
  readonly #object = objectClient<PaymentIntentObject>(() => {
    const objects = payments(this.#env);
    return objects.get(objects.idFromName(this.objectName));
  });

  readonly create = this.#object.create;
  readonly probe = this.#object.probe;
  readonly history = this.#object.history;
  readonly events = this.#object.events;
  readonly eventRequestBody = this.#object.eventRequestBody;
  readonly resendEvent = this.#object.resendEvent;
  readonly claimDelivery = this.#object.claimDelivery;
  readonly chooseEndpoints = this.#object.chooseEndpoints;
  readonly reportDelivery = this.#object.reportDelivery;
  readonly republish = this.#object.republish;
  readonly restore = this.#object.restore;
  readonly restoreTo = this.#object.restoreTo;
  readonly retention = this.#object.retention;
  readonly setHold = this.#object.setHold;
  readonly erase = this.#object.erase;
  readonly exportRecords = this.#object.exportRecords;

  constructor(env: Env, objectName: string) {
    this.#env = env;
    this.objectName = objectName;
  }

  read(): Promise<Intent | null> {
    return this.#object.read();
  }

  execute(commands: readonly Command[], facts: ExpressFacts | null = null): Promise<ExecuteResult> {
    return this.#object.execute(commands, facts);
  }

  /** Aborts the object, so the call always throws. A retry would abort the restored object again. */
  async restart(): Promise<void> {
    const objects = payments(this.#env);
    await objects.get(objects.idFromName(this.objectName)).restart();
  }

  /** `execute` for a provider's report, which the provider may not repeat. */
  executePersistently(
    commands: readonly Command[],
    facts: ExpressFacts | null = null,
  ): Promise<ExecuteResult> {
    return this.#persistently(() => this.execute(commands, facts));
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
        log('warn', 'intent_call_repeated', {
          objectName: this.objectName,
          error: errorText(error),
        });
        await scheduler.wait(waitMs);
      }
    }
    return call();
  }
}
