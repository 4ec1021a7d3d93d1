import { businessDay, dayText } from '../../kit/ethiopian-time.ts';
import type { Currency } from '../../kit/money.ts';
import { ARRIVED, type Outcome, SETTLED } from './judge.ts';
import { type FileLine, keyOf } from './lines.ts';

/** The lines of the files of one method, and what they add up to. */

export interface Decision {
  readonly type: 'accepted' | 'not_ours';
  readonly reason: string;
  readonly operator: string;
  readonly atMs: number;
}

/** A line, or a payment that has none: its line is number 0, of no file. */
export interface StoredLine extends FileLine {
  readonly key: string;
  readonly fileId: string | null;
  readonly outcome: Outcome;
  /** What the line should say, where it differs. */
  readonly expectedMinor: number | null;
  /** Null: not ours. */
  readonly merchantId: string | null;
  readonly uniqueId: string | null;
  /** An operator has named the payment. */
  readonly isAssigned: boolean;
  readonly decision: Decision | null;
}

export interface Sum {
  readonly lines: number;
  readonly amountMinor: number;
}

/** Lines of a day with one outcome. */
export interface OutcomeSum extends Sum {
  readonly day: number;
  readonly currency: Currency;
  readonly outcome: Outcome;
  /** Decided ones need no person any more. */
  readonly isDecided: boolean;
}

/** What Kefel's payments of a day add up to, when they were last compared. */
export interface ExpectedSum {
  readonly day: number;
  readonly currency: Currency;
  readonly payments: number;
  readonly amountMinor: number;
  readonly comparedAtMs: number;
}

export interface LineFilter {
  readonly fromDay: number;
  readonly toDay: number;
  /** Absent: all outcomes. */
  readonly outcome?: Outcome | undefined;
  /** Only those that need a person. */
  readonly isOpen: boolean;
}

const UNSETTLED = `outcome NOT IN (${SETTLED.map((outcome) => `'${outcome}'`).join()})`;

/**
 * A matched line writes a row and an entry of an index. `line` is a StoredLine in JSON. `first_key`: the
 * key without the number, from 1, of a line that repeats it.
 */
export const LINE_TABLES = `
  CREATE TABLE IF NOT EXISTS line (
    key TEXT PRIMARY KEY,
    file_id TEXT,
    outcome TEXT NOT NULL,
    is_decided INTEGER NOT NULL,
    merchant_id TEXT,
    unique_id TEXT,
    first_key TEXT NOT NULL,
    number INTEGER NOT NULL,
    is_assigned INTEGER NOT NULL,
    line TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS line_of_payment ON line (merchant_id, unique_id)
    WHERE merchant_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS line_unsettled ON line (key, outcome, is_decided) WHERE ${UNSETTLED};
  CREATE INDEX IF NOT EXISTS line_repeated ON line (first_key, file_id, number) WHERE number > 1;
  CREATE INDEX IF NOT EXISTS line_assigned ON line (first_key) WHERE is_assigned = 1;
  CREATE TABLE IF NOT EXISTS outcome_day (
    day INTEGER NOT NULL,
    currency TEXT NOT NULL,
    outcome TEXT NOT NULL,
    is_decided INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    PRIMARY KEY (day, currency, outcome, is_decided)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS expected_day (
    day INTEGER NOT NULL,
    currency TEXT NOT NULL,
    payments INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    compared_at_ms INTEGER NOT NULL,
    PRIMARY KEY (day, currency)
  ) STRICT, WITHOUT ROWID;`;

interface SumChange extends Sum {
  readonly row: readonly (string | number)[];
}

export class LineTable {
  readonly #sql: SqlStorage;
  /** Of the sums, in the running transaction. */
  readonly #changes = new Map<string, SumChange>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(key: string): StoredLine | null {
    return this.#lines('WHERE key = ?', key)[0] ?? null;
  }

  /** The key of the next line of a file: numbered if earlier ones have the same. */
  keyIn(fileId: string, line: FileLine): string {
    const first = keyOf(line);
    if (this.get(first)?.fileId !== fileId) {
      return first;
    }
    const sql = `SELECT COALESCE(MAX(number), 1) AS last FROM line INDEXED BY line_repeated
      WHERE first_key = ? AND file_id = ? AND number > 1`;
    const { last } = this.#sql.exec<{ last: number }>(sql, first, fileId).one();
    return `${first}/${last + 1}`;
  }

  /** The lines with this key, whatever their number, to which operators have assigned payments. */
  assigned(firstKey: string): readonly StoredLine[] {
    return this.#lines(
      'INDEXED BY line_assigned WHERE first_key = ? AND is_assigned = 1',
      firstKey,
    );
  }

  /** Replaces the line with this key. Part of `counted`, as the next one. */
  put(line: StoredLine): void {
    const { key, fileId, outcome, decision, merchantId, uniqueId, isAssigned } = line;
    this.remove(key);
    const first = fileId === null ? key : keyOf(line);
    const number = key === first ? 1 : Number(key.slice(first.length + 1));
    this.#sql.exec(
      'INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[key, fileId, outcome, Number(decision !== null), merchantId, uniqueId],
      ...[first, number, Number(isAssigned), JSON.stringify(line)],
    );
    this.#count(line, 1);
  }

  remove(key: string): void {
    const line = this.get(key);
    if (line !== null) {
      this.#sql.exec('DELETE FROM line WHERE key = ?', key);
      this.#count(line, -1);
    }
  }

  /** Lines that repeat another one in a file whose forerunner had more of them. */
  removeRepeatedBefore(fileId: string): void {
    const stale = this.#sql.exec<{ key: string }>(
      `SELECT key FROM line INDEXED BY line_repeated WHERE number > 1 AND file_id <> ?1
        AND EXISTS (SELECT 1 FROM line AS first WHERE first.key = line.first_key AND first.file_id = ?1)`,
      fileId,
    );
    for (const { key } of stale.toArray()) {
      this.remove(key);
    }
  }

  ofPayment(merchantId: string, uniqueId: string): readonly StoredLine[] {
    return this.#lines('WHERE merchant_id = ? AND unique_id = ?', merchantId, uniqueId);
  }

  /** Whether the provider has the money of a payment. */
  hasArrived(merchantId: string, uniqueId: string): boolean {
    const lines = this.ofPayment(merchantId, uniqueId);
    return lines.some(({ outcome }) => ARRIVED.includes(outcome));
  }

  /** In the order of their keys, after one of them. */
  list({ fromDay, toDay, outcome, isOpen }: LineFilter, after: string, limit: number) {
    const isUnsettled = isOpen || (outcome !== undefined && !SETTLED.includes(outcome));
    const from = after > dayText(fromDay) ? after : dayText(fromDay);
    return this.#lines(
      `${isUnsettled ? `INDEXED BY line_unsettled WHERE ${UNSETTLED} AND` : 'WHERE'}
        key > ? AND key < ? AND (? IS NULL OR outcome = ?) AND is_decided <= ?
        ORDER BY key LIMIT ?`,
      ...[from, dayText(toDay + 1), outcome ?? null, outcome ?? null, isOpen ? 0 : 1, limit],
    );
  }

  /** Adds what was compared to the days, in place of what they had. */
  putExpected(sums: readonly ExpectedSum[], fromDay: number, toDay: number): void {
    this.#sql.exec('DELETE FROM expected_day WHERE day BETWEEN ? AND ?', fromDay, toDay);
    for (const { day, currency, payments, amountMinor, comparedAtMs } of sums) {
      const row = [day, currency, payments, amountMinor, comparedAtMs];
      this.#sql.exec('INSERT INTO expected_day VALUES (?, ?, ?, ?, ?)', ...row);
    }
  }

  sums(fromDay: number, toDay: number) {
    const outcomes = this.#sql.exec<Record<string, SqlStorageValue>>(
      `SELECT day, currency, outcome, is_decided AS isDecided, lines, amount_minor AS amountMinor
        FROM outcome_day WHERE day BETWEEN ? AND ? AND lines <> 0`,
      fromDay,
      toDay,
    );
    const expected = this.#sql.exec<Record<string, SqlStorageValue>>(
      `SELECT day, currency, payments, amount_minor AS amountMinor, compared_at_ms AS comparedAtMs
        FROM expected_day WHERE day BETWEEN ? AND ?`,
      fromDay,
      toDay,
    );
    return {
      expected: expected.toArray() as unknown as readonly ExpectedSum[],
      outcomes: outcomes
        .toArray()
        .map((row) => ({ ...row, isDecided: row.isDecided === 1 }) as unknown as OutcomeSum),
    };
  }

  /** Deletes lines of earlier days, a bounded number. True when more may be left. */
  purgeBefore(day: number, limit: number): boolean {
    const select = 'SELECT key FROM line WHERE key < ? ORDER BY key LIMIT ?';
    const found = this.#sql.exec<{ key: string }>(select, dayText(day), limit).toArray();
    for (const { key } of found) {
      this.remove(key);
    }
    this.#sql.exec('DELETE FROM outcome_day WHERE day < ? AND lines = 0', day);
    this.#sql.exec('DELETE FROM expected_day WHERE day < ?', day);
    return found.length === limit;
  }

  /** Runs changes of lines in a transaction, and then writes their sums: few rows for many lines. */
  counted<Result>(change: () => Result): Result {
    this.#changes.clear();
    const result = change();
    for (const { row, lines, amountMinor } of this.#changes.values()) {
      this.#sql.exec(
        `INSERT INTO outcome_day VALUES (?, ?, ?, ?, ?5, ?6)
          ON CONFLICT DO UPDATE SET lines = lines + ?5, amount_minor = amount_minor + ?6`,
        ...[...row, lines, amountMinor],
      );
    }
    return result;
  }

  #count({ atMs, currency, outcome, decision, amountMinor }: StoredLine, sign: 1 | -1): void {
    const row = [businessDay(atMs), currency, outcome, Number(decision !== null)] as const;
    const name = row.join('/');
    const before = this.#changes.get(name) ?? { lines: 0, amountMinor: 0 };
    this.#changes.set(name, {
      row,
      lines: before.lines + sign,
      amountMinor: before.amountMinor + sign * amountMinor,
    });
  }

  #lines(condition: string, ...params: SqlStorageValue[]): readonly StoredLine[] {
    const rows = this.#sql.exec<{ line: string }>(`SELECT line FROM line ${condition}`, ...params);
    return rows.toArray().map(({ line }) => JSON.parse(line));
  }
}
