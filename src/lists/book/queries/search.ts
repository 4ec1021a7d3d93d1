import { INTENT_NUMBER, referenceTimeMs } from '../../../engine/domain/identifiers.ts';
import { normalizedReceipt } from '../../../engine/domain/receipt.ts';
import { idSearchKey, receiptSearchKey } from '../../../engine/domain/search-key.ts';
import { eventTimeMs } from '../../../kit/crypto/event-id.ts';
import { uuidV7TimeMs } from '../../../kit/crypto/uuid-v7.ts';
import { IDS_PER_MS } from '../schema.ts';
import { endSearchKey, plainIdOf, quotedTerm, searchTerm } from '../search-terms.ts';
import { SCANNED_ROWS_MAX } from './page.ts';
import {
  type BookedPayment,
  endedIds,
  hasKeys,
  hasKeysOf,
  IS_OPEN,
  idsOf,
  paymentsById,
  quotedKeys,
  type Wanted,
} from './payment-source.ts';

/** Finds payments by an id, its beginning or end, or by digests of personal data. */

/** A payment link or a phone number may have many payments. The search returns the newest. */
export const SEARCH_ROWS_MAX = 50;

/** A shorter beginning or end of an id would match many payments. */
const PART_LENGTH_MIN = 3;

function isLongEnough(part: string): boolean {
  return part.length >= PART_LENGTH_MIN;
}

/** With more, the search scans the newest payments: the index would read an entry for each term. */
const TERMS_MAX = 50;

export interface SearchQuestion {
  /** Trimmed, and no longer than an id. */
  readonly text: string;
  /** A payment matches if it has all keys of one group. */
  readonly groups: readonly (readonly string[])[];
  /** The same by what many payments share, the end of a phone number. */
  readonly partGroups: readonly (readonly string[])[];
}

export interface FoundRows {
  readonly exact: readonly BookedPayment[];
  /** The payments that the beginning or the end of an id finds, or the end of a phone number. */
  readonly byPart: readonly BookedPayment[];
}

/** At most SEARCH_ROWS_MAX of each. */
export function search(
  sql: SqlStorage,
  question: SearchQuestion,
  withDetails: boolean = false,
): FoundRows {
  const { exact, byPart } = rowsFor(sql, question);
  const shown = (rows: readonly BookedPayment[]) =>
    withDetails ? paymentsById(sql, new Set(rows.map(({ id }) => id)), true) : rows;
  return { exact: shown(exact), byPart: shown(byPart) };
}

function rowsFor(sql: SqlStorage, { text, groups, partGroups }: SearchQuestion): FoundRows {
  const wantedOf = (all: SearchQuestion['groups']): Wanted[] =>
    all.map((keys) => keys.map((key) => [key]));
  const withKeys = (wanted: readonly Wanted[]) => [
    ...wanted.flatMap((keys) => endedWithKeys(sql, keys)),
    ...openWith(sql, text, wanted),
  ];
  return {
    exact: [
      ...paymentsById(sql, byTime(sql, text)),
      ...withKeys([[[idSearchKey(text)]], ...wantedOf(groups)]),
    ],
    byPart: [
      ...(partGroups.length === 0 ? [] : withKeys(wantedOf(partGroups))),
      ...(isLongEnough(text) ? byPart(sql, text) : []),
    ],
  };
}

function endedWithKeys(sql: SqlStorage, wanted: Wanted): BookedPayment[] {
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  // The unique id and the number are terms, but no search keys.
  const [[id = ''] = []] = wanted;
  return paymentsById(sql, endedIds(sql, wanted, false, range, SEARCH_ROWS_MAX)).filter(
    (row) => hasKeysOf(wanted, row) || ownIds(row).some((own) => idSearchKey(own) === id),
  );
}

/** The newest open payments with this unique id or number, or with the keys of one of several. */
function openWith(sql: SqlStorage, text: string, wanted: readonly Wanted[]): BookedPayment[] {
  const statement = `SELECT id FROM (SELECT id, unique_id, number, search_keys ${OPEN}
        ORDER BY id DESC LIMIT ${SCANNED_ROWS_MAX})
      WHERE unique_id = ?1 OR CAST(number AS TEXT) = ?1
        OR EXISTS (SELECT 1 FROM json_each(?2) AS one WHERE ${hasKeys('one.value')})
      LIMIT ${SEARCH_ROWS_MAX}`;
  return paymentsById(sql, idsOf(sql, statement, text, JSON.stringify(wanted.map(quotedKeys))));
}

/** The payments with an attempt of one of these references. */
export function ofReferences(sql: SqlStorage, references: readonly string[]) {
  return references.flatMap((reference) =>
    paymentsById(sql, byReference(sql, reference)).map(({ uniqueId }) => ({ reference, uniqueId })),
  );
}

/** The unique id of the payment with this uuid or integer id, or null. */
export function uniqueIdOf(sql: SqlStorage, id: string): string | null {
  const rows = INTENT_NUMBER.test(id)
    ? [...endedWithKeys(sql, [[idSearchKey(id)]]), ...openWith(sql, id, [])].filter(
        ({ number }) => String(number) === id,
      )
    : paymentsById(sql, byUuid(sql, id));
  return rows[0]?.uniqueId ?? null;
}

/** The row of the payment with this unique id, or null. */
export function paymentOf(sql: SqlStorage, uniqueId: string): BookedPayment | null {
  return paymentsOf(sql, [uniqueId])[0] ?? null;
}

/** The rows of the payments with these unique ids. Reads all open payments once, if one is open. */
export function paymentsOf(
  sql: SqlStorage,
  uniqueIds: readonly string[],
): readonly BookedPayment[] {
  const ended = uniqueIds.flatMap((uniqueId) =>
    endedWithKeys(sql, [[idSearchKey(uniqueId)]]).filter((row) => row.uniqueId === uniqueId),
  );
  const found = new Set(ended.map(({ uniqueId }) => uniqueId));
  const others = uniqueIds.filter((uniqueId) => !found.has(uniqueId));
  const statement = `SELECT id ${OPEN} AND unique_id IN (SELECT value FROM json_each(?))`;
  return others.length === 0
    ? ended
    : [...ended, ...paymentsById(sql, idsOf(sql, statement, JSON.stringify(others)))];
}

/** When an operator last held or released the payment; null: never. Holds are few. */
export function holdChangedAtMs(sql: SqlStorage, uniqueId: string): number | null {
  const query = `SELECT MAX(changed_at_ms) AS atMs FROM payment_hold
    CROSS JOIN payment ON payment.id = payment_id WHERE unique_id = ?`;
  return sql.exec<{ atMs: number | null }>(query, uniqueId).one().atMs;
}

/** Finds a payment by a uuid, an event or an attempt: their ids carry a time. */
function byTime(sql: SqlStorage, text: string): number[] {
  return [...byUuid(sql, text), ...byEvent(sql, text), ...byReference(sql, text)];
}

function byUuid(sql: SqlStorage, text: string): number[] {
  const uuid = text.toLowerCase();
  const atMs = uuidV7TimeMs(uuid);
  return atMs === null ? [] : createdIn(sql, atMs, 1, 'uuid = ?', uuid);
}

function createdIn(
  sql: SqlStorage,
  atMs: number,
  ms: number,
  condition: string,
  ...params: string[]
): number[] {
  const statement = `SELECT id FROM payment WHERE id >= ? AND id < ? AND ${condition}
    ORDER BY id DESC LIMIT ${SEARCH_ROWS_MAX}`;
  return idsOf(sql, statement, atMs * IDS_PER_MS, (atMs + ms) * IDS_PER_MS, ...params);
}

function byEvent(sql: SqlStorage, eventId: string): number[] {
  const atMs = eventTimeMs(eventId);
  const statement =
    'SELECT payment_id AS id FROM delivery WHERE created_at_ms = ? AND delivery_id = ?';
  return atMs === null ? [] : idsOf(sql, statement, atMs, `${eventId}.0`);
}

/** Sorts after every text that begins with the prefix before it. */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * Finds an attempt's reference or its start by its second, which has few payments. The purge leaves
 * only the reference of the reported attempt.
 */
function byReference(sql: SqlStorage, start: string): number[] {
  const atMs = referenceTimeMs(start);
  const prefix = idSearchKey('');
  return atMs === null
    ? []
    : createdIn(
        sql,
        atMs,
        1_000,
        `(transaction_id BETWEEN ?3 AND ?4 OR EXISTS (SELECT 1 FROM json_each(search_keys)
          WHERE value BETWEEN '${prefix}' || ?3 AND '${prefix}' || ?4))`,
        start,
        start + LAST_CHARACTER,
      );
}

/** The full-text index has only ended payments, so open ones are scanned. */
const OPEN = `FROM payment INDEXED BY payment_by_state WHERE ${IS_OPEN}`;
const NEWEST = 'FROM payment';

/** The newest payments of a scope that contain a text and match. */
function scanned(
  sql: SqlStorage,
  scope: typeof OPEN | typeof NEWEST,
  texts: readonly string[],
  matches: (row: BookedPayment) => boolean,
): readonly BookedPayment[] {
  // Search keys are JSON.
  const escaped = texts.map((text) => JSON.stringify(text).slice(1, -1));
  const contains = texts.map(
    () => 'instr(unique_id, ?) OR instr(number, ?) OR instr(search_keys, ?)',
  );
  const ids = sql.exec<{ id: number }>(
    `SELECT id FROM (SELECT id, unique_id, number, search_keys ${scope}
        ORDER BY id DESC LIMIT ${SCANNED_ROWS_MAX})
      WHERE ${contains.join(' OR ')} LIMIT ${CANDIDATES_MAX}`,
    ...texts.flatMap((text, index) => [text, text, escaped[index] ?? text]),
  );
  return matching(sql, ids, matches);
}

/** More than the rows of the answer, because some candidates contain the text in their middle. */
const CANDIDATES_MAX = 4 * SEARCH_ROWS_MAX;

/** Loads no more rows than it needs. */
function matching(
  sql: SqlStorage,
  ids: Iterable<{ readonly id: number }>,
  matches: (row: BookedPayment) => boolean,
): readonly BookedPayment[] {
  const rows: BookedPayment[] = [];
  for (const { id } of ids) {
    rows.push(...paymentsById(sql, [id]).filter(matches));
    if (rows.length === SEARCH_ROWS_MAX) {
      break;
    }
  }
  return rows;
}

/** A receipt loses its dashes, so it may be too short to look for. */
function partsIn(text: string): readonly string[] {
  return [...new Set([text, normalizedReceipt(text)])].filter(isLongEnough);
}

/** Whether a search for the text finds an id by its beginning or its end. */
export function partFinder(text: string): (id: string) => boolean {
  const parts = partsIn(text);
  return (id) => parts.some((part) => id.startsWith(part) || id.endsWith(part));
}

/** The newest payments with an id or a receipt that begins or ends with the text. */
function byPart(sql: SqlStorage, text: string): readonly BookedPayment[] {
  const parts = partsIn(text);
  const hasPart = partFinder(text);
  const isFound = (row: BookedPayment) =>
    ownIds(row).some(hasPart) ||
    (JSON.parse(row.searchKeys) as string[]).flatMap(plainIdOf).some(hasPart);
  const terms = parts.flatMap((part) => [
    idSearchKey(part),
    receiptSearchKey(part),
    endSearchKey(part),
  ]);
  if (terms.some((key) => hasManyTerms(sql, key))) {
    return scanned(sql, NEWEST, parts, isFound);
  }
  const ids = sql.exec<{ id: number }>(
    `SELECT rowid AS id FROM payment_search WHERE payment_search MATCH ?
      ORDER BY rowid DESC LIMIT ${CANDIDATES_MAX}`,
    terms.map((key) => `${quotedTerm(key)} *`).join(' OR '),
  );
  return [...matching(sql, ids, isFound), ...scanned(sql, OPEN, parts, isFound)];
}

/** Whether more than TERMS_MAX terms of the index begin with a key. */
function hasManyTerms(sql: SqlStorage, key: string): boolean {
  const term = searchTerm(key).toLowerCase();
  const rows = sql.exec(
    'SELECT 1 FROM payment_search_term WHERE term >= ? AND term < ? LIMIT ?',
    term,
    term + LAST_CHARACTER,
    TERMS_MAX + 1,
  );
  return rows.toArray().length > TERMS_MAX;
}

function ownIds({ uniqueId, number }: BookedPayment): readonly string[] {
  return [uniqueId, String(number)];
}
