import type { ChannelName } from './config.ts';
import type { Notice } from './notice.ts';

/** The notices that wait for their channels. */

export const OUTBOX_TABLES = `
  CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY, channel TEXT NOT NULL, notice TEXT NOT NULL,
    tries INTEGER NOT NULL, due_at_ms INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS channel (
    name TEXT PRIMARY KEY, sent_at_ms INTEGER, error TEXT
  ) WITHOUT ROWID;`;

/** Waiting notices of one channel: the beginning and the latest of each subject, and a digest. */
const WAITING_MAX = 30;

export interface Waiting {
  readonly id: number;
  readonly channel: ChannelName;
  readonly notice: Notice;
  readonly tries: number;
}

export class Outbox {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Part of the transaction that decided to say it. The oldest make room. */
  add(channel: ChannelName, notice: Notice): void {
    // What the operator has not heard yet, and no longer needs to. Only the first may be on its way.
    this.#sql.exec(
      `DELETE FROM outbox WHERE channel = ?1
        AND (tries > 0 OR id > (SELECT MIN(id) FROM outbox WHERE channel = ?1)) AND CASE ?3
        WHEN 'digest' THEN notice ->> '$.kind' = 'digest'
        ELSE notice ->> '$.subjects[0].subject' IS ?2
          AND notice ->> '$.kind' NOT IN ('digest', iif(?3 = 'new', '', 'new')) END`,
      channel,
      notice.subjects[0]?.subject ?? null,
      notice.kind,
    );
    this.#sql.exec(
      'INSERT INTO outbox (channel, notice, tries, due_at_ms) VALUES (?, ?, 0, ?)',
      channel,
      JSON.stringify(notice),
      notice.atMs,
    );
    this.#sql.exec(
      `DELETE FROM outbox WHERE id IN (
        SELECT id FROM outbox WHERE channel = ? ORDER BY id DESC LIMIT -1 OFFSET ${WAITING_MAX})`,
      channel,
    );
  }

  /** The oldest notice of each channel, if it is due: a channel gets its notices in their order. */
  due(nowMs: number): readonly Waiting[] {
    const rows = this.#sql
      .exec<{ id: number; channel: ChannelName; notice: string; tries: number }>(
        `SELECT id, channel, notice, tries FROM outbox
          WHERE id IN (SELECT MIN(id) FROM outbox GROUP BY channel) AND due_at_ms <= ?`,
        nowMs,
      )
      .toArray();
    return rows.map((row) => ({ ...row, notice: JSON.parse(row.notice) }));
  }

  nextDueAtMs(): number | null {
    return this.#sql
      .exec<{ dueAtMs: number | null }>(
        `SELECT MIN(due_at_ms) AS dueAtMs FROM outbox
          WHERE id IN (SELECT MIN(id) FROM outbox GROUP BY channel)`,
      )
      .one().dueAtMs;
  }

  delay(id: number, dueAtMs: number): void {
    this.#sql.exec('UPDATE outbox SET tries = tries + 1, due_at_ms = ? WHERE id = ?', dueAtMs, id);
  }

  remove(id: number): void {
    this.#sql.exec('DELETE FROM outbox WHERE id = ?', id);
  }

  /** `error`: null when the channel took the message. */
  record(channel: ChannelName, error: string | null, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO channel (name, sent_at_ms, error) VALUES (?1, iif(?2 IS NULL, ?3, NULL), ?2)
        ON CONFLICT DO UPDATE SET error = ?2, sent_at_ms = iif(?2 IS NULL, ?3, sent_at_ms)`,
      channel,
      error,
      nowMs,
    );
  }

  stateOf(name: ChannelName) {
    const [known] = this.#sql
      .exec<{ sentAtMs: number | null; error: string | null }>(
        'SELECT sent_at_ms AS sentAtMs, error FROM channel WHERE name = ?',
        name,
      )
      .toArray();
    const { waiting } = this.#sql
      .exec<{ waiting: number }>('SELECT COUNT(*) AS waiting FROM outbox WHERE channel = ?', name)
      .one();
    return { name, waiting, sentAtMs: known?.sentAtMs ?? null, error: known?.error ?? null };
  }
}
