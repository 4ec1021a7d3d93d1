import { DAY_MS } from '../../engine/domain/schedule.ts';
import type { KeyRing } from '../../kit/crypto/key-ring.ts';
import { seal, unseal } from '../../kit/crypto/sealed.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { type List, when } from '../../kit/platform/paging.ts';
import type { MessageQueue } from './queues.ts';
import { type LetterKind, subjectOf } from './subject.ts';

/** A message that its queue stopped retrying, as the operator sees it. */
export interface DeadLetter {
  readonly id: string;
  /** The queue to which it was sent. */
  readonly queue: MessageQueue;
  readonly kind: LetterKind;
  readonly objectName: string | null;
  readonly sentAtMs: number;
  /** When it began to wait. */
  readonly storedAtMs: number;
  /** When a queue last gave up a message about the same thing, and how often queues have. */
  readonly givenUpAtMs: number;
  readonly timesGivenUp: number;
  readonly status: LetterStatus;
  /** How often the operator sent it back to its queue. */
  readonly retries: number;
  readonly handledAtMs: number | null;
  readonly handledBy: string | null;
}

export const LETTER_STATUSES = ['waiting', 'retried', 'discarded', 'expired'] as const;
export type LetterStatus = (typeof LETTER_STATUSES)[number];

export interface StoredDeadLetter extends DeadLetter {
  readonly subject: string;
  readonly sealedBody: string;
}

const COLUMNS = `id, queue, kind, object_name AS objectName, sent_at_ms AS sentAtMs,
  stored_at_ms AS storedAtMs, given_up_at_ms AS givenUpAtMs, times_given_up AS timesGivenUp,
  status, retries, handled_at_ms AS handledAtMs,
  handled_by AS handledBy`;

/**
 * How long a letter waits for the operator. By then the object has sent these messages again, so
 * the letters only show a past failure.
 */
const HINT_WAITS_MS = 30 * DAY_MS;

/**
 * How long each kind waits. What a provider reported waits as long as its payment's data is kept
 * (docs/decisions.md#24).
 */
function waitsOf(retentionMs: number): Readonly<Record<LetterKind, number>> {
  return {
    delivery: HINT_WAITS_MS,
    result: retentionMs,
    // It may be a report that this version cannot read.
    unknown: retentionMs,
  };
}

/**
 * Stores a message. A letter about the same subject is replaced and waits again; the same message
 * twice changes nothing. Throws ConfigError on an unusable ring.
 */
export async function insertDeadLetter(
  keys: KeyRing,
  queue: MessageQueue,
  message: Pick<Message, 'id' | 'timestamp' | 'body'>,
  nowMs: number,
): Promise<SqlStatement> {
  const { id, timestamp, body } = message;
  const { kind, objectName, subject } = await subjectOf(queue, id, body);
  return {
    sql: `INSERT INTO dead_letters (id, message_id, queue, kind, object_name, subject, sealed_body,
        sent_at_ms, stored_at_ms, given_up_at_ms)
      VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
      ON CONFLICT (subject) DO UPDATE SET
        message_id = excluded.message_id, queue = excluded.queue,
        sealed_body = excluded.sealed_body, sent_at_ms = excluded.sent_at_ms,
        stored_at_ms = CASE status WHEN 'waiting' THEN stored_at_ms ELSE excluded.stored_at_ms END,
        given_up_at_ms = excluded.given_up_at_ms, times_given_up = times_given_up + 1,
        status = 'waiting', handled_at_ms = NULL, handled_by = NULL
      WHERE message_id <> excluded.message_id`,
    params: [
      id,
      queue,
      kind,
      objectName,
      subject,
      await seal(keys, JSON.stringify(body), contextOf(subject)),
      timestamp.getTime(),
      nowMs,
    ],
  };
}

/** Whether the letter's message was deleted. */
export function isGone({ status }: DeadLetter): boolean {
  return status === 'discarded' || status === 'expired';
}

/** The message, or null when the data key that sealed it was removed. */
export async function bodyOf(keys: KeyRing, letter: StoredDeadLetter): Promise<unknown> {
  const json = await unseal(keys, letter.sealedBody, contextOf(letter.subject));
  return json === null ? null : JSON.parse(json);
}

function contextOf(subject: string): string {
  return `dead_letter/${subject}`;
}

/** Oldest first, so that the operator handles the longest-waiting letter first. */
export function deadLetters(status: LetterStatus, queue: MessageQueue | null): List<DeadLetter> {
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
  const sql = `SELECT ${COLUMNS}, subject, sealed_body AS sealedBody FROM dead_letters WHERE id = ?1`;
  return prepare(db, { sql, params: [id] }).first<StoredDeadLetter>();
}

/** Letters of one queue that wait for the operator. */
export interface WaitingLetters {
  readonly queue: MessageQueue;
  readonly letters: number;
  readonly oldestAtMs: number;
}

/** The waiting letters of each queue that has any. */
export async function waitingByQueue(db: D1Database): Promise<readonly WaitingLetters[]> {
  const sql = `SELECT queue, count(*) AS letters, min(stored_at_ms) AS oldestAtMs FROM dead_letters
      INDEXED BY dead_letters_by_status
    WHERE status = 'waiting' GROUP BY queue`;
  return (await prepare(db, { sql, params: [] }).all<WaitingLetters>()).results;
}

/** The number of waiting letters by queue. */
export async function countWaiting(
  db: D1Database,
): Promise<Readonly<Partial<Record<MessageQueue, number>>>> {
  const waiting = await waitingByQueue(db);
  return Object.fromEntries(waiting.map(({ queue, letters }) => [queue, letters]));
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

/**
 * Statements that expire up to ?2 letters of a kind whose queue gave up its last message ?1 or
 * earlier, with the time that each kind waits. Their messages are deleted.
 */
export function expiries(retentionMs: number) {
  return Object.entries(waitsOf(retentionMs)).map(([kind, waitsMs]) => ({
    kind,
    waitsMs,
    sql: `UPDATE dead_letters SET status = 'expired', handled_at_ms = ?1 + ${waitsMs}, sealed_body = ''
    WHERE id IN (
      SELECT id FROM dead_letters INDEXED BY dead_letters_by_status
      WHERE status = 'waiting' AND kind = '${kind}' AND stored_at_ms <= ?1 AND given_up_at_ms <= ?1
      LIMIT ?2)`,
  }));
}
