import type { Source, Standing } from '../../engine/alerts/standing.ts';
import { SUBJECT_IDS, type SubjectId } from '../../engine/alerts/subjects.ts';
import type { Told } from './decide.ts';
import { NAMES_MAX, type NoticeSubject } from './notice.ts';

/** What the sources say stands now, and what the operator was told of it. */

export const LEDGER_TABLES = `
  CREATE TABLE IF NOT EXISTS standing (
    source TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL,
    count INTEGER NOT NULL, since_at_ms INTEGER NOT NULL,
    PRIMARY KEY (source, subject, detail)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS standing_by_subject ON standing (subject, since_at_ms);
  CREATE TABLE IF NOT EXISTS told (
    subject TEXT PRIMARY KEY, is_open INTEGER NOT NULL, said_at_ms INTEGER, has_more INTEGER NOT NULL
  ) WITHOUT ROWID;`;

/** Standings of one source. A source has a few; a wrong one must not fill the object. */
const STANDINGS_MAX = 100;

type Row = { subject: SubjectId; detail: string; count: number };

export class Ledger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Replaces what a source says. Part of a transaction. Returns the subjects that it concerns. */
  replace(source: Source, standings: readonly Standing[]): readonly SubjectId[] {
    const before = this.#sql
      .exec<Row>('SELECT subject, detail, count FROM standing WHERE source = ?', source)
      .toArray();
    const now = standings.filter(({ count }) => count > 0).slice(0, STANDINGS_MAX);
    for (const { subject, detail } of before) {
      if (!now.some((one) => one.subject === subject && (one.detail ?? '') === detail)) {
        this.#sql.exec(
          'DELETE FROM standing WHERE source = ? AND subject = ? AND detail = ?',
          source,
          subject,
          detail,
        );
      }
    }
    for (const { subject, detail, count, sinceAtMs } of now) {
      const key = detail ?? '';
      const known = before.find((one) => one.subject === subject && one.detail === key);
      if (known?.count === count) {
        continue;
      }
      this.#sql.exec(
        `INSERT INTO standing (source, subject, detail, count, since_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
          ON CONFLICT DO UPDATE SET count = ?4, since_at_ms = ?5`,
        source,
        subject,
        key,
        count,
        sinceAtMs,
      );
      if (count > (known?.count ?? 0)) {
        this.#sql.exec(
          `INSERT INTO told (subject, is_open, has_more) VALUES (?1, 0, 1)
            ON CONFLICT DO UPDATE SET has_more = 1`,
          subject,
        );
      }
    }
    return [...new Set([...before, ...now].map(({ subject }) => subject))];
  }

  toldOf(subject: SubjectId): Told {
    const [row] = this.#sql
      .exec<{ isOpen: number; saidAtMs: number | null; hasMore: number }>(
        `SELECT is_open AS isOpen, said_at_ms AS saidAtMs, has_more AS hasMore FROM told
          WHERE subject = ?`,
        subject,
      )
      .toArray();
    return {
      isOpen: row?.isOpen === 1,
      saidAtMs: row?.saidAtMs ?? null,
      hasMore: row?.hasMore === 1,
    };
  }

  /** Records that a message was written. Its end leaves the time, which delays the next beginning. */
  tell(subject: SubjectId, isOpen: boolean, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO told (subject, is_open, said_at_ms, has_more) VALUES (?1, ?2, ?3, 0)
        ON CONFLICT DO UPDATE SET is_open = ?2, said_at_ms = iif(?2, ?3, said_at_ms), has_more = 0`,
      subject,
      isOpen ? 1 : 0,
      nowMs,
    );
  }

  /** How many things need a person. */
  countOf(subject: SubjectId): number {
    const sql = `SELECT COALESCE(SUM(count), 0) AS count FROM standing INDEXED BY standing_by_subject
      WHERE subject = ?`;
    return this.#sql.exec<{ count: number }>(sql, subject).one().count;
  }

  /** What a message says of a subject. */
  present(subject: SubjectId, nowMs: number): NoticeSubject {
    const { sinceAtMs } = this.#sql
      .exec<{ sinceAtMs: number | null }>(
        'SELECT MIN(since_at_ms) AS sinceAtMs FROM standing WHERE subject = ?',
        subject,
      )
      .one();
    const details = this.#sql
      .exec<{ detail: string }>(
        `SELECT DISTINCT detail FROM standing WHERE subject = ? AND detail <> ''
          ORDER BY detail LIMIT ${NAMES_MAX}`,
        subject,
      )
      .toArray();
    const merchants = this.#merchants(subject);
    return {
      subject,
      count: this.countOf(subject),
      sinceAtMs: sinceAtMs ?? nowMs,
      merchantIds: merchants.slice(0, NAMES_MAX),
      merchants: merchants.length,
      details: details.map(({ detail }) => detail),
    };
  }

  /** The subjects that need a person now. */
  open(nowMs: number): readonly NoticeSubject[] {
    return SUBJECT_IDS.map((subject) => this.present(subject, nowMs)).filter(
      ({ count }) => count > 0,
    );
  }

  /** The ids of the merchants whose books report the subject, the longest waiting first. */
  #merchants(subject: SubjectId): readonly string[] {
    const rows = this.#sql
      .exec<{ source: Source }>(
        `SELECT source FROM standing INDEXED BY standing_by_subject
          WHERE subject = ? AND source GLOB 'book/*' ORDER BY since_at_ms`,
        subject,
      )
      .toArray();
    return [...new Set(rows.flatMap(({ source }) => source.split('/')[2] ?? []))];
  }
}
