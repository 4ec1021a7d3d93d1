import type { DurableObject } from 'cloudflare:workers';
import type { Command, Tenant } from '../domain/intent.ts';
import { errorText, log } from '../log.ts';
import { Unavailable } from '../unavailable.ts';
import type { PaymentIntentObject } from './payment-intent.ts';
import type {
  ClaimResult,
  CreateRequest,
  CreateResult,
  DeliveryReport,
  DeliveryStatus,
  EventSummary,
  ExecuteResult,
  ExpressAnswers,
  HistoryEntry,
  IdempotencyClaim,
  ProbeResult,
  ReadResult,
} from './protocol.ts';

/** The object could not be reached, or is overloaded: nobody knows whether the call was done. */
export class IntentUnavailable extends Unavailable {
  override readonly name = 'IntentUnavailable';
}

/**
 * The object's methods as a caller meets them: plain clones of plain values. The generated stub type
 * promises disposable proxies instead, which only hand out functions and streams need.
 */
type PaymentIntentRpc = {
  [Name in Exclude<keyof PaymentIntentObject, keyof DurableObject>]: (
    ...args: Parameters<PaymentIntentObject[Name]>
  ) => Promise<Awaited<ReturnType<PaymentIntentObject[Name]>>>;
};

/** Every call may safely be repeated: the object recognizes its own uuid, claims and resolved attempts. */
const CALLS_MAX = 3;
const CALL_BACK_OFF_MS = 50;

/**
 * Waits between tries to store what the world has acted on already: within the 30 s that a Worker
 * may go on after its answer.
 */
const PERSISTENT_WAITS_MS = [200, 500, 1_000, 3_000, 6_000, 9_000];

/**
 * The id of the object that owns a payment. The name holds environment, merchant and unique id, so
 * no key, link or query of one tenant can name another's object (docs/promises.md#8). Merchant ids
 * contain no slash.
 */
export function objectIdOf(env: Env, tenant: Tenant, uniqueId: string): string {
  const name = `${tenant.environment}/${tenant.merchantId}/${uniqueId}`;
  return env.PAYMENT_INTENT.idFromName(name).toString();
}

export function intentByUniqueId(env: Env, tenant: Tenant, uniqueId: string): IntentClient {
  return new IntentClient(env, objectIdOf(env, tenant, uniqueId));
}

/** For ids out of verified links and queue messages only: any id names an object. */
export function intentByObjectId(env: Env, objectId: string): IntentClient {
  return new IntentClient(env, objectId);
}

/** A payment's object from outside, with the retries that its RPC errors ask for. */
export class IntentClient {
  readonly objectId: string;
  readonly #env: Env;

  constructor(env: Env, objectId: string) {
    this.#env = env;
    this.objectId = objectId;
  }

  create(request: CreateRequest): Promise<CreateResult> {
    return this.#call((stub) => stub.create(request));
  }

  probe(idempotency: IdempotencyClaim | null): Promise<ProbeResult> {
    return this.#call((stub) => stub.probe(idempotency));
  }

  read(): Promise<ReadResult> {
    return this.#call((stub) => stub.read());
  }

  execute(
    commands: readonly Command[],
    answers: ExpressAnswers | null = null,
  ): Promise<ExecuteResult> {
    return this.#call((stub) => stub.execute(commands, answers));
  }

  /** `execute` for what a rail has said, which it cannot be asked to say again. */
  executePersistently(
    commands: readonly Command[],
    answers: ExpressAnswers | null = null,
  ): Promise<ExecuteResult> {
    return this.#persistently(() => this.execute(commands, answers));
  }

  /** `read` for a rail that is about to say something, perhaps for the only time. */
  readPersistently(): Promise<ReadResult> {
    return this.#persistently(() => this.read());
  }

  /** An object that is out of reach is tried for some 20 s, whatever the reason. Throws after that. */
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

  history(): Promise<HistoryEntry[]> {
    return this.#call((stub) => stub.history());
  }

  events(): Promise<EventSummary[]> {
    return this.#call((stub) => stub.events());
  }

  eventRequestBody(sequence: number): Promise<string | null> {
    return this.#call((stub) => stub.eventRequestBody(sequence));
  }

  resendEvent(sequence: number, from: readonly DeliveryStatus[] | null = null): Promise<boolean> {
    return this.#call((stub) => stub.resendEvent(sequence, from));
  }

  claimDelivery(sequence: number): Promise<ClaimResult> {
    return this.#call((stub) => stub.claimDelivery(sequence));
  }

  reportDelivery(report: DeliveryReport): Promise<void> {
    return this.#call((stub) => stub.reportDelivery(report));
  }

  reportProjection(version: number): Promise<void> {
    return this.#call((stub) => stub.reportProjection(version));
  }

  /** Sends what is stored to the read model once more. False when there is no such payment. */
  republish(): Promise<boolean> {
    return this.#call((stub) => stub.republish());
  }

  /** A new stub for each try: one that has thrown stays broken. Overload is never retried. */
  async #call<T>(method: (stub: PaymentIntentRpc) => Promise<T>): Promise<T> {
    const namespace = this.#env.PAYMENT_INTENT;
    for (let calls = 1; ; calls += 1) {
      try {
        const stub = namespace.get(namespace.idFromString(this.objectId));
        return await method(stub as unknown as PaymentIntentRpc);
      } catch (error) {
        if (isOverloaded(error)) {
          throw new IntentUnavailable('overloaded', { cause: error });
        }
        if (!isRetryable(error)) {
          throw error;
        }
        if (calls >= CALLS_MAX) {
          throw new IntentUnavailable('unreachable', { cause: error });
        }
        await scheduler.wait(CALL_BACK_OFF_MS * 2 ** calls * Math.random());
      }
    }
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}

function isOverloaded(error: unknown): boolean {
  return error instanceof Error && 'overloaded' in error && error.overloaded === true;
}
