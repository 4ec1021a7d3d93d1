import { DurableObject } from 'cloudflare:workers';
import type { Tenant } from '../domain/intent.ts';
import type { Environment } from '../domain/method.ts';
import type { Applied, ProjectionMessage } from '../intent/protocol.ts';
import { applyMessage } from './apply.ts';
import { PURGE_AGAIN_MS, purgeBatch } from './purge.ts';
import { createTables, hasTables } from './schema.ts';

/** Before it works, the alarm sets the next one this far ahead, so that a failure cannot lose it. */
const ALARM_SAFETY_MS = 60_000;

/**
 * The name of a book's object. Environments and merchant ids contain no slash, so two tenants never
 * share a name.
 */
export function bookName({ environment, merchantId }: Tenant, volume: number): string {
  return `${environment}/${merchantId}/${volume}`;
}

/**
 * The copy for reading of one merchant's payments, refunds and events in one environment, or of one
 * volume of them. The payments' objects feed it and can rebuild it. No method takes a tenant, so no
 * question can reach another tenant's rows.
 */
export class MerchantBook extends DurableObject<Env> {
  /** The alarm is set; false: unknown. */
  #isArmed = false;

  /** Stores what a payment's object says. A repeated or late message changes nothing. */
  apply(message: ProjectionMessage): Applied {
    const nowMs = Date.now();
    const { storage } = this.ctx;
    const { confirmed, othersWithReceipt } = storage.transactionSync(() => {
      this.#claim(message);
      return applyMessage(storage.sql, message, nowMs);
    });
    if (!this.#isArmed) {
      this.ctx.waitUntil(this.#arm(nowMs));
    }
    return { confirmed, othersWithReceipt };
  }

  /** A book with payments always has an alarm, which purges. */
  async #arm(nowMs: number): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) === null) {
      await storage.setAlarm(nowMs + PURGE_AGAIN_MS);
    }
    this.#isArmed = true;
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const nowMs = Date.now();
    await storage.setAlarm(nowMs + ALARM_SAFETY_MS);
    const wakeAtMs = storage.transactionSync(() => purgeBatch(storage.sql, nowMs));
    if (wakeAtMs === null) {
      this.#isArmed = false;
      await storage.deleteAlarm();
    } else {
      await storage.setAlarm(wakeAtMs);
    }
  }

  /** The book belongs to its first payment's tenant. Throws for a message of another one. */
  #claim({ row: { environment, merchantId }, bookVolume }: ProjectionMessage): void {
    const { sql } = this.ctx.storage;
    const name = bookName({ environment, merchantId }, bookVolume);
    if (name !== (this.ctx.id.name ?? name)) {
      throw new Error('message for another book');
    }
    if (!hasTables(sql)) {
      createTables(sql);
      sql.exec('INSERT INTO book VALUES (1, ?, ?, ?, 0)', environment, merchantId, bookVolume);
      return;
    }
    const book = sql.exec<Identity>('SELECT environment, merchant_id, volume FROM book').one();
    if (bookName({ ...book, merchantId: book.merchant_id }, book.volume) !== name) {
      throw new Error('message for another book');
    }
  }
}

type Identity = { environment: Environment; merchant_id: string; volume: number };
