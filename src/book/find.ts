import { eventTimeMs } from '../crypto/event-id.ts';
import { uuidV7TimeMs } from '../crypto/uuid-v7.ts';
import { referenceTimeMs } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import { idSearchKey } from '../domain/search-key.ts';
import { paymentAt } from './attention-items.ts';
import type { PaymentRow } from './rows.ts';
import { IDS_PER_MS } from './schema.ts';
import { quotedTerm } from './search-terms.ts';

/** Exact look-ups for the operator, who asks the books of all merchants. */

/** Payments with one key. A merchant may use an id at most once, a provider may repeat its own. */
const FOUND_MAX = 20;
const SECOND_MS = 1_000;
/** Open payments are not in the full text, so they are read one by one. */
const OPEN_PAYMENTS_MAX = 20_000;

/** A payment that one of the wanted keys finds. */
export interface KeyedPayment {
  readonly key: string;
  readonly uniqueId: string;
  readonly uuid: string;
}

/** The payments with one of these search keys, for each key the newest. */
export function paymentsWithKeys(sql: SqlStorage, keys: readonly string[]): KeyedPayment[] {
  return matches(sql, keys).map(({ key, uuid, uniqueId }) => ({ key, uuid, uniqueId }));
}

/**
 * Payments with exactly this paymentIntentUniqueId, uuid, attempt's or provider's reference or
 * event's id, or with one of the further keys.
 */
export function findExactly(
  sql: SqlStorage,
  tenant: Tenant,
  text: string,
  further: readonly string[],
): PaymentRow[] {
  const ids = new Set([
    ...matches(sql, [idSearchKey(text), ...further]).map(({ id }) => id),
    ...withUuid(sql, text),
    ...withReference(sql, text),
    ...ofEvent(sql, text),
  ]);
  return [...ids].flatMap((id) => paymentAt(sql, tenant, id) ?? []);
}

type Match = { id: number; uuid: string; uniqueId: string; searchKeys: string };

const COLUMNS = 'id, uuid, unique_id AS uniqueId, search_keys AS searchKeys';

function matches(sql: SqlStorage, keys: readonly string[]): (Match & { readonly key: string })[] {
  const open = sql
    .exec<Match>(
      `SELECT ${COLUMNS} FROM payment INDEXED BY payment_by_state
        WHERE status IN ('open', 'processing') ORDER BY id DESC LIMIT ${OPEN_PAYMENTS_MAX}`,
    )
    .toArray();
  return keys.flatMap((key) => {
    const ended = sql.exec<Match>(
      `SELECT ${COLUMNS} FROM payment_search CROSS JOIN payment ON id = payment_search.rowid
        WHERE payment_search MATCH ? ORDER BY payment_search.rowid DESC LIMIT ${FOUND_MAX}`,
      quotedTerm(key),
    );
    // The full text does not distinguish upper and lower case.
    const own = [...open, ...ended.toArray()].filter(
      ({ uniqueId, searchKeys }) =>
        idSearchKey(uniqueId) === key || (JSON.parse(searchKeys) as string[]).includes(key),
    );
    return own.map((match) => ({ ...match, key }));
  });
}

function withUuid(sql: SqlStorage, uuid: string): readonly number[] {
  const atMs = uuidV7TimeMs(uuid);
  const query = 'SELECT id FROM payment WHERE id >= ? AND id < ? AND uuid = ?';
  return atMs === null ? [] : idsOf(sql, query, atMs * IDS_PER_MS, (atMs + 1) * IDS_PER_MS, uuid);
}

/** A reference carries its second. The purge leaves only the reported attempt's. */
function withReference(sql: SqlStorage, reference: string): readonly number[] {
  const atMs = referenceTimeMs(reference);
  const query = `SELECT id FROM payment WHERE id >= ?1 AND id < ?2 AND (transaction_id = ?3
    OR EXISTS (SELECT 1 FROM json_each(search_keys) WHERE value = ?4))`;
  return atMs === null
    ? []
    : idsOf(
        sql,
        query,
        atMs * IDS_PER_MS,
        (atMs + SECOND_MS) * IDS_PER_MS,
        reference,
        idSearchKey(reference),
      );
}

function ofEvent(sql: SqlStorage, eventId: string): readonly number[] {
  const atMs = eventTimeMs(eventId);
  const query = 'SELECT payment_id AS id FROM delivery WHERE created_at_ms = ? AND delivery_id = ?';
  return atMs === null ? [] : idsOf(sql, query, atMs, `${eventId}.0`);
}

function idsOf(sql: SqlStorage, query: string, ...params: (string | number)[]): readonly number[] {
  return sql
    .exec<{ id: number }>(query, ...params)
    .toArray()
    .map(({ id }) => id);
}
