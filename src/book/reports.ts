import type { Tenant } from '../domain/intent.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import { batch } from '../platform/database.ts';
import { errorText, log } from '../platform/log.ts';
import { BookAttention } from './attention.ts';
import { DIGEST_AGAIN_MS, digestOf, digestStatement } from './digest.ts';
import { hasTables } from './schema.ts';

interface Identity {
  readonly tenant: Tenant;
  readonly volume: number;
}

/** What a book reports to D1 about itself, for the operator's pages about all merchants. */
export class BookReports {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  #attention: BookAttention | null = null;
  /** When the next digest is due; null: nothing changed, or the object was evicted since. */
  #digestDueAtMs: number | null = null;

  constructor(storage: DurableObjectStorage, env: Env) {
    this.#storage = storage;
    this.#env = env;
  }

  /** A payment has changed. Part of the transaction that changed it. */
  note(paymentId: number, message: ProjectionMessage, nowMs: number): void {
    this.#ofBook().noteChange(paymentId, message, nowMs);
  }

  /** After the commit of a change. Never throws. */
  async send(): Promise<void> {
    await this.#attention?.send();
    if (this.#digestDueAtMs === null) {
      const dueAtMs = Date.now() + DIGEST_AGAIN_MS;
      this.#digestDueAtMs = dueAtMs;
      const armedAtMs = await this.#storage.getAlarm();
      if (armedAtMs === null || armedAtMs > dueAtMs) {
        await this.#storage.setAlarm(dueAtMs);
      }
    }
  }

  /** The alarm's work. Never throws. */
  async work(nowMs: number): Promise<void> {
    const attention = this.#ofBook();
    this.#storage.transactionSync(() => attention.look(nowMs));
    await attention.send();
    if (nowMs >= (this.#digestDueAtMs ?? 0)) {
      await this.writeDigest().catch((error: unknown) => {
        log('warn', 'digest_not_written', { error: errorText(error) });
        this.#digestDueAtMs = nowMs + DIGEST_AGAIN_MS;
      });
    }
  }

  wakeAtMs(nowMs: number): number | null {
    const times = [this.#digestDueAtMs, this.#ofBook().wakeAtMs(nowMs)].filter(
      (time) => time !== null,
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Throws when D1 does not answer. Writes nothing for a book without payments. */
  async writeDigest(): Promise<void> {
    if (!hasTables(this.#storage.sql)) {
      return;
    }
    const { tenant, volume } = this.#identity();
    const nowMs = Date.now();
    // Before the await: a change that comes meanwhile makes a next one due.
    this.#digestDueAtMs = null;
    const digest = digestOf(this.#storage.sql, tenant, nowMs);
    await batch(this.#env.DB, [digestStatement(tenant, volume, digest, nowMs)]);
  }

  #ofBook(): BookAttention {
    this.#attention ??= new BookAttention(this.#storage, this.#env.DB, this.#identity().tenant);
    return this.#attention;
  }

  #identity(): Identity {
    const { volume, ...tenant } = this.#storage.sql
      .exec<Record<string, SqlStorageValue>>(
        'SELECT environment, merchant_id AS merchantId, volume FROM book',
      )
      .one() as unknown as Tenant & { readonly volume: number };
    return { tenant, volume };
  }
}
