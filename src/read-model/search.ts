import { configOf, type NamedKey } from '../config.ts';
import { eventTimeMs } from '../crypto/event-id.ts';
import { type DigestKind, keyedDigest } from '../crypto/keyed-digest.ts';
import { uuidV7TimeMs } from '../crypto/uuid-v7.ts';
import { INTENT_NUMBER, referenceTimeMs } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import { phoneFrom } from '../domain/phone.ts';
import { normalizedReceipt } from '../domain/receipt.ts';
import {
  digestOwner,
  emailFrom,
  emailSearchKey,
  hashedIdSearchKey,
  idSearchKey,
  isFoundByDigest,
  nameSearchKey,
  nameWords,
  phoneSearchKey,
  receiptSearchKey,
  SEARCH_ID_LENGTH_MAX,
} from '../domain/search-key.ts';
import { receiptKeys } from '../intent/receipt-keys.ts';
import { batch, type SqlStatement } from '../platform/database.ts';
import { EVENTS_BY_TIME, firstDeliveryOf } from './events-list.ts';
import {
  CREATED_IN_SECOND_WITH_REFERENCE,
  PAYMENT_COLUMNS,
  PAYMENTS_BY_TIME,
  type PaymentRow,
  paymentRow,
  type StoredPayment,
  samePayment,
} from './payment-row.ts';

/** A payment link or a phone number may have many payments. The search returns the newest. */
export const SEARCH_ROWS_MAX = 50;

/** The start of an id must be this long: a shorter one would match many, and find the newest. */
const PREFIX_LENGTH_MIN = 3;
/**
 * The start of a receipt must be longer: receipts are in one order for all merchants. The search
 * reads at most these many that begin with it.
 */
const RECEIPT_START_LENGTH_MIN = 6;
const RECEIPTS_READ_MAX = 500;
/** Sorts behind every text that begins with the prefix before it. */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * A tenant's payments with this id, phone number, e-mail address or name, or with an id that begins
 * with the text; newest first, at most SEARCH_ROWS_MAX. Finds paymentIntentUniqueId, uuid, integer
 * id, transactionId, a rail's reference or receipt, paymentLinkUniqueId, an event's id, and a mobile
 * number in any common notation. A name is found by any of its words. Ignores surrounding spaces.
 * Text longer than any id finds nothing.
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
  const statements = searchStatements(
    tenant,
    wanted,
    await keysOf(env, tenant, wanted),
    await receiptKeys(env, tenant.environment, wanted),
  );
  const results = await batch<StoredPayment>(env.DB, statements);
  const found = new Map(results.flatMap((result) => result.results.map((row) => [row.uuid, row])));
  // Exact matches come first, so that many other ids with this start do not displace them.
  return [...found.values()]
    .slice(0, SEARCH_ROWS_MAX)
    .sort((one, other) => other.createdAtMs - one.createdAtMs)
    .map(paymentRow);
}

/** Groups of keys: a payment is found by all keys of one group. */
export type SearchKeys = readonly (readonly string[])[];

/** Uses every key of the ring, to find what was stored before a key rotation. */
async function keysOf(env: Env, tenant: Tenant, text: string): Promise<SearchKeys> {
  const phone = phoneFrom(text);
  const email = emailFrom(text);
  const words = email === null && /\p{L}/u.test(text) ? nameWords(text) : [];
  const isHashed = isFoundByDigest(text);
  const owner = digestOwner(tenant);
  const ofKey = async (key: NamedKey): Promise<SearchKeys> => {
    const digest = (kind: DigestKind, of: string) => keyedDigest(key, owner, kind, of);
    return [
      ...(isHashed ? [[hashedIdSearchKey(await digest('id', text))]] : []),
      ...(phone === null ? [] : [[phoneSearchKey(await digest('phone', phone))]]),
      ...(email === null ? [] : [[emailSearchKey(await digest('email', email))]]),
      ...(words.length === 0
        ? []
        : [
            await Promise.all(words.map(async (word) => nameSearchKey(await digest('name', word)))),
          ]),
    ];
  };
  const hashed = await Promise.all(configOf(env).dataEncryptionKeys.map(ofKey));
  return [...(isHashed ? [] : [[idSearchKey(text)]]), ...hashed.flat()];
}

/** One statement for each kind of id that the text can be. Each reads only matching rows. */
export function searchStatements(
  tenant: Tenant,
  text: string,
  keys: SearchKeys,
  receipts: readonly string[] = [],
): readonly SqlStatement[] {
  const { merchantId, environment } = tenant;
  const owner = 'payment.merchant_id = ? AND payment.environment = ?';
  const one = (
    source: string,
    condition: string,
    ...values: readonly (string | number)[]
  ): SqlStatement => ({
    sql: `SELECT ${PAYMENT_COLUMNS} FROM ${source} WHERE ${owner} AND ${condition}
      LIMIT ${SEARCH_ROWS_MAX}`,
    params: [merchantId, environment, ...values],
  });
  const createdAtMs = uuidV7TimeMs(text);
  const eventAtMs = eventTimeMs(text);
  const referenceAtMs = referenceTimeMs(text);
  return [
    one('payment INDEXED BY payment_unique_id', 'unique_id = ?', text),
    ...keys.map((group) => byKeys(tenant, group)),
    ...receipts.map((key) => byReceipt(tenant, key)),
    ...(createdAtMs === null
      ? []
      : [
          one(
            `payment INDEXED BY ${PAYMENTS_BY_TIME}`,
            'created_at_ms = ? AND uuid = ?',
            createdAtMs,
            text,
          ),
        ]),
    ...(INTENT_NUMBER.test(text)
      ? [one('payment INDEXED BY payment_number', 'number = ?', Number(text))]
      : []),
    ...(eventAtMs === null ? [] : [byEvent(tenant, text, eventAtMs)]),
    ...(referenceAtMs === null ? [] : [byReference(tenant, text, referenceAtMs)]),
    ...(text.length >= PREFIX_LENGTH_MIN ? byPrefix(tenant, text) : []),
    ...byReceiptStart(tenant, normalizedReceipt(text)),
  ];
}

function byReceipt({ merchantId, environment }: Tenant, key: string): SqlStatement {
  return {
    sql: `SELECT ${PAYMENT_COLUMNS} FROM receipts AS found
        CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('found')}
      WHERE found.environment = ?1 AND found.key = ?2 AND found.merchant_id = ?3
      LIMIT ${SEARCH_ROWS_MAX}`,
    params: [environment, key, merchantId],
  };
}

/** Those of the merchant among the largest receipts that begin with the text. */
function byReceiptStart(
  { merchantId, environment }: Tenant,
  start: string,
): readonly SqlStatement[] {
  if (start.length < RECEIPT_START_LENGTH_MIN) {
    return [];
  }
  const key = receiptSearchKey(start);
  return [
    {
      sql: `SELECT ${PAYMENT_COLUMNS} FROM receipts AS found
        CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('found')}
        WHERE found.environment = ?1 AND found.key < ?3 AND found.merchant_id = ?4
          AND found.key > COALESCE((SELECT key FROM receipts
            WHERE environment = ?1 AND key > ?2 AND key < ?3
            ORDER BY key DESC LIMIT 1 OFFSET ${RECEIPTS_READ_MAX}), ?2)
        ORDER BY found.key DESC LIMIT ${SEARCH_ROWS_MAX}`,
      params: [environment, key, key + LAST_CHARACTER, merchantId],
    },
  ];
}

function byEvent(
  { merchantId, environment }: Tenant,
  eventId: string,
  createdAtMs: number,
): SqlStatement {
  return {
    sql: `SELECT ${PAYMENT_COLUMNS} FROM webhook_event AS event INDEXED BY ${EVENTS_BY_TIME}
        CROSS JOIN payment INDEXED BY payment_unique_id ON payment.unique_id = event.unique_id
      WHERE event.merchant_id = ?1 AND event.environment = ?2 AND event.created_at_ms = ?3
        AND event.delivery_id = ?4
        AND payment.merchant_id = ?1 AND payment.environment = ?2`,
    params: [merchantId, environment, createdAtMs, firstDeliveryOf(eventId)],
  };
}

/** A reference of an attempt, or its start. */
function byReference(
  { merchantId, environment }: Tenant,
  start: string,
  createdAtMs: number,
): SqlStatement {
  return {
    sql: `SELECT ${PAYMENT_COLUMNS} FROM payment INDEXED BY ${PAYMENTS_BY_TIME}
      WHERE ${CREATED_IN_SECOND_WITH_REFERENCE} AND merchant_id = ?4 AND environment = ?5
      ORDER BY created_at_ms DESC, uuid DESC LIMIT ${SEARCH_ROWS_MAX}`,
    params: [createdAtMs, start, start + LAST_CHARACTER, merchantId, environment],
  };
}

/** The largest ids that begin with the text: ids that count upwards come newest first. */
function byPrefix({ merchantId, environment }: Tenant, text: string): readonly SqlStatement[] {
  const params = (start: string) => [merchantId, environment, start, start + LAST_CHARACTER];
  return [
    {
      sql: `SELECT ${PAYMENT_COLUMNS} FROM payment INDEXED BY payment_unique_id
        WHERE merchant_id = ? AND environment = ? AND unique_id > ? AND unique_id < ?
        ORDER BY unique_id DESC LIMIT ${SEARCH_ROWS_MAX}`,
      params: params(text),
    },
    {
      sql: `SELECT ${PAYMENT_COLUMNS}
        FROM payment_search_key AS found
          CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('found')}
        WHERE found.merchant_id = ?1 AND found.environment = ?2 AND found.key > ?3
          AND found.key < ?4
        ORDER BY found.key DESC LIMIT ${SEARCH_ROWS_MAX}`,
      params: params(idSearchKey(text)),
    },
  ];
}

/** CROSS JOIN makes SQLite read the first key's rows first, then each other key, then payments. */
function byKeys({ merchantId, environment }: Tenant, keys: readonly string[]): SqlStatement {
  const others = keys.slice(1).map(
    (_, index) => `CROSS JOIN payment_search_key AS other${index}
        ON other${index}.merchant_id = ?1 AND other${index}.environment = ?2
          AND other${index}.key = ?${index + 4}
          AND other${index}.created_at_ms = found.created_at_ms AND other${index}.uuid = found.uuid`,
  );
  return {
    sql: `SELECT ${PAYMENT_COLUMNS}
      FROM payment_search_key AS found
        ${others.join(' ')}
        CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('found')}
      WHERE found.merchant_id = ?1 AND found.environment = ?2 AND found.key = ?3
      ORDER BY found.created_at_ms DESC, found.uuid DESC LIMIT ${SEARCH_ROWS_MAX}`,
    params: [merchantId, environment, ...keys],
  };
}
