import { configOf } from '../config.ts';
import { idDigest, phoneDigest } from '../crypto/phone-digest.ts';
import { prepare, type SqlStatement } from '../database.ts';
import { INTENT_NUMBER, UUID } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import { phoneFrom } from '../domain/phone.ts';
import {
  hashedIdSearchKey,
  idSearchKey,
  mayContainPhone,
  phoneOwner,
  phoneSearchKey,
  SEARCH_ID_LENGTH_MAX,
} from '../domain/search-key.ts';
import { PAYMENT_COLUMNS, type PaymentRow, paymentRow, type StoredPayment } from './payment-row.ts';

/** A payment link or a phone number may have many payments. The search returns the newest. */
export const SEARCH_ROWS_MAX = 50;

export const EVENT_ID = /^evt_[0-9a-f]{32}$/;

/**
 * A tenant's payments with exactly this id or phone number, newest first, at most SEARCH_ROWS_MAX.
 * Finds paymentIntentUniqueId, uuid, integer id, transactionId, a rail's reference or receipt,
 * paymentLinkUniqueId, an event's id, and a mobile number in any common notation. Ignores
 * surrounding spaces. Text longer than any id finds nothing.
 */
export async function searchPayments(
  env: Env,
  tenant: Tenant,
  text: string,
): Promise<readonly PaymentRow[]> {
  // First, because it bounds the work of all later steps.
  const wanted = text.length > 2 * SEARCH_ID_LENGTH_MAX ? '' : text.trim();
  if (wanted === '' || wanted.length > SEARCH_ID_LENGTH_MAX) {
    return [];
  }
  const statements = searchStatements(tenant, wanted, await keysOf(env, tenant, wanted));
  const results = await env.DB.batch<StoredPayment>(
    statements.map((statement) => prepare(env.DB, statement)),
  );
  const found = new Map(results.flatMap((result) => result.results.map((row) => [row.uuid, row])));
  return [...found.values()]
    .sort((one, other) => other.createdAtMs - one.createdAtMs)
    .slice(0, SEARCH_ROWS_MAX)
    .map(paymentRow);
}

/** Uses every key of the ring, to find numbers that were stored before a key rotation. */
async function keysOf(env: Env, tenant: Tenant, text: string): Promise<readonly string[]> {
  const phone = phoneFrom(text);
  const isHashed = mayContainPhone(text);
  const ring = phone === null && !isHashed ? [] : configOf(env).dataEncryptionKeys;
  const owner = phoneOwner(tenant);
  const keys = ring.map(async (key) => [
    ...(isHashed ? [hashedIdSearchKey(await idDigest(key, owner, text))] : []),
    ...(phone === null ? [] : [phoneSearchKey(await phoneDigest(key, owner, phone))]),
  ]);
  return [...(isHashed ? [] : [idSearchKey(text)]), ...(await Promise.all(keys)).flat()];
}

/** One statement for each kind of id that the text can be. Each reads only matching rows. */
export function searchStatements(
  { merchantId, environment }: Tenant,
  text: string,
  keys: readonly string[],
): readonly SqlStatement[] {
  const owner = 'payment.merchant_id = ? AND payment.environment = ?';
  const one = (source: string, condition: string, value: string | number): SqlStatement => ({
    sql: `SELECT ${PAYMENT_COLUMNS} FROM ${source} WHERE ${owner} AND ${condition}
      LIMIT ${SEARCH_ROWS_MAX}`,
    params: [merchantId, environment, value],
  });
  return [
    one('payment INDEXED BY payment_unique_id', 'unique_id = ?', text),
    ...keys.map((key) => byKey(merchantId, environment, key)),
    ...(UUID.test(text) ? [one('payment INDEXED BY payment_by_uuid', 'uuid = ?', text)] : []),
    ...(INTENT_NUMBER.test(text)
      ? [one('payment INDEXED BY payment_number', 'number = ?', Number(text))]
      : []),
    ...(EVENT_ID.test(text)
      ? [
          one(
            `webhook_event INDEXED BY webhook_event_by_id
              CROSS JOIN payment INDEXED BY payment_by_uuid ON payment.uuid = payment_uuid`,
            'webhook_event.event_id = ?',
            text,
          ),
        ]
      : []),
  ];
}

/** CROSS JOIN makes SQLite read the keys first and then their payments. */
function byKey(merchantId: string, environment: string, key: string): SqlStatement {
  return {
    sql: `SELECT ${PAYMENT_COLUMNS}
      FROM payment_search_key AS found
        CROSS JOIN payment INDEXED BY payment_by_uuid ON payment.uuid = found.uuid
      WHERE found.merchant_id = ?1 AND found.environment = ?2 AND found.key = ?3
        AND payment.merchant_id = ?1 AND payment.environment = ?2
      ORDER BY found.created_at_ms DESC, found.uuid DESC LIMIT ${SEARCH_ROWS_MAX}`,
    params: [merchantId, environment, key],
  };
}
