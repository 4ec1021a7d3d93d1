import type { KeyRing } from '../config.ts';
import { seal, unseal } from '../crypto/sealed.ts';
import { prepare, type SqlStatement } from '../database.ts';
import { OBJECT_ID } from '../domain/identifiers.ts';
import { type List, when } from '../paging.ts';
import type { MessageQueue } from './queues.ts';

/** A message that its queue stopped retrying, as the operator sees it. */
export interface DeadLetter {
  readonly id: string;
  /** The queue to which it was sent. */
  readonly queue: MessageQueue;
  /** `result`, `start`, `delivery`, `projection`, or `unknown`. */
  readonly kind: string;
  readonly objectId: string | null;
  readonly sentAtMs: number;
  readonly storedAtMs: number;
  readonly status: 'waiting' | 'retried' | 'discarded';
  /** How often the operator sent it back to its queue. */
  readonly retries: number;
  readonly handledAtMs: number | null;
  readonly handledBy: string | null;
}

export interface StoredDeadLetter extends DeadLetter {
  readonly sealedBody: string;
}

const COLUMNS = `id, queue, kind, object_id AS objectId, sent_at_ms AS sentAtMs,
  stored_at_ms AS storedAtMs, status, retries, handled_at_ms AS handledAtMs,
  handled_by AS handledBy`;

/** Stores a message, once. Throws ConfigError on an unusable ring. */
export async function insertDeadLetter(
  keys: KeyRing,
  queue: MessageQueue,
  message: Pick<Message, 'id' | 'timestamp' | 'body'>,
  nowMs: number,
): Promise<SqlStatement> {
  const { id, timestamp, body } = message;
  return {
    sql: `INSERT INTO dead_letters (id, queue, kind, object_id, sealed_body, sent_at_ms, stored_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO NOTHING`,
    params: [
      id,
      queue,
      kindOf(queue, body),
      objectIdIn(body),
      await seal(keys, JSON.stringify(body), contextOf(id)),
      timestamp.getTime(),
      nowMs,
    ],
  };
}

/** The message, or null when the data key that sealed it was removed. */
export async function bodyOf(keys: KeyRing, letter: StoredDeadLetter): Promise<unknown> {
  const json = await unseal(keys, letter.sealedBody, contextOf(letter.id));
  return json === null ? null : JSON.parse(json);
}

function contextOf(id: string): string {
  return `dead_letter/${id}`;
}

function kindOf(queue: MessageQueue, body: unknown): string {
  if (queue !== 'kefel-rail-starts') {
    return queue === 'kefel-projections' ? 'projection' : 'delivery';
  }
  const type = fieldOf(body, 'type');
  return type === 'result' || type === 'start' ? type : 'unknown';
}

function objectIdIn(body: unknown): string | null {
  const objectId = fieldOf(body, 'objectId');
  return typeof objectId === 'string' && OBJECT_ID.test(objectId) ? objectId : null;
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** Oldest first, so that the operator handles the longest-waiting letter first. */
export function deadLetters(
  status: DeadLetter['status'],
  queue: MessageQueue | null,
): List<DeadLetter> {
  return {
    columns: COLUMNS,
    table: 'dead_letters',
    index: 'dead_letters_by_status',
    timeColumn: 'stored_at_ms',
    idColumn: 'id',
    isOldestFirst: true,
    conditions: [{ sql: 'status = ?', params: [status] }, ...when('queue = ?', queue)],
    placeOf: ({ storedAtMs, id }) => ({ atMs: storedAtMs, id }),
  };
}

export function readStored(db: D1Database, id: string): Promise<StoredDeadLetter | null> {
  const sql = `SELECT ${COLUMNS}, sealed_body AS sealedBody FROM dead_letters WHERE id = ?1`;
  return prepare(db, { sql, params: [id] }).first<StoredDeadLetter>();
}

/** The number of waiting letters by queue. */
export async function countWaiting(
  db: D1Database,
): Promise<Readonly<Partial<Record<MessageQueue, number>>>> {
  const sql = `SELECT queue, count(*) AS letters FROM dead_letters
      INDEXED BY dead_letters_by_status
    WHERE status = 'waiting' GROUP BY queue`;
  const { results } = await prepare(db, { sql, params: [] }).all<{
    queue: MessageQueue;
    letters: number;
  }>();
  return Object.fromEntries(results.map(({ queue, letters }) => [queue, letters]));
}

/** A retried letter may be retried again, because its message may have been lost again. */
export function markRetried(id: string, handledBy: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE dead_letters SET status = 'retried', retries = retries + 1, handled_at_ms = ?2,
        handled_by = ?3
      WHERE id = ?1`,
    params: [id, nowMs, handledBy],
  };
}

/** Changes only a waiting letter, and deletes its message. */
export function markDiscarded(id: string, handledBy: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE dead_letters SET status = 'discarded', handled_at_ms = ?2, handled_by = ?3,
        sealed_body = ''
      WHERE id = ?1 AND status = 'waiting'`,
    params: [id, nowMs, handledBy],
  };
}
