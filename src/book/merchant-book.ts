import { DurableObject } from 'cloudflare:workers';
import type { Tenant } from '../domain/intent.ts';
import type { Applied, ProjectionMessage } from '../intent/protocol.ts';
import { applyMessage } from './apply.ts';
import { createTables, hasTables } from './schema.ts';

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
  /** Stores what a payment's object says. A repeated or late message changes nothing. */
  apply(message: ProjectionMessage): Applied {
    const { sql } = this.ctx.storage;
    const { confirmed, othersWithReceipt } = this.ctx.storage.transactionSync(() => {
      this.#claim(message);
      return applyMessage(sql, message, Date.now());
    });
    return { confirmed, othersWithReceipt };
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
    const book = sql
      .exec<{ environment: string; merchant_id: string; volume: number }>('SELECT * FROM book')
      .one();
    const isOwn =
      book.environment === environment &&
      book.merchant_id === merchantId &&
      book.volume === bookVolume;
    if (!isOwn) {
      throw new Error('message for another book');
    }
  }
}
