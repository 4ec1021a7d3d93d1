import type { Method } from '../../engine/domain/method.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { ExpectedSum } from './line-table.ts';
import type { ReadState } from './lines.ts';
import type { FileProblemAt } from './problem.ts';
import type { Profile } from './profile.ts';

/** The uploaded files of one method, their bytes until they are read, and the profiles. */

/** All pieces but the last have this size. A value of the object's storage has 2 MB at most. */
export const PIECE_BYTES = 512 * 1_024;
/** 100,000 lines have about 15 MB. */
export const FILE_BYTES_MAX = 64 * 1_024 * 1_024;

export const FILE_STATUSES = [
  'uploading',
  'reading',
  'matching',
  'comparing',
  'done',
  'refused',
] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

/** What the operator says of a file when its upload begins. */
export interface NewFile {
  readonly id: string;
  readonly environment: Environment;
  readonly method: Method;
  readonly name: string;
  readonly profile: Profile;
  readonly operator: string;
  readonly begunAtMs: number;
}

/** How far the payments of the file's days are compared. */
export interface ComparedTo {
  /** All merchants up to this one, by their ids. */
  readonly merchantId: string;
  /** The next page of the merchant after it; null: its first. */
  readonly after: string | null;
  readonly sums: readonly ExpectedSum[];
}

export interface StoredFile extends NewFile {
  readonly status: FileStatus;
  readonly bytes: number;
  /** Of the whole file; null before it was read once. */
  readonly lines: number | null;
  readonly fromDay: number | null;
  readonly toDay: number | null;
  /** Where the first or the second reading is. */
  readonly read: ReadState | null;
  readonly compared: ComparedTo | null;
  /** Merchants whose books did not answer: their payments are not compared. */
  readonly unanswered: number;
  /** Tries of the present step. */
  readonly failures: number;
  readonly problem: FileProblemAt | null;
}

export const FILE_TABLES = `
  CREATE TABLE IF NOT EXISTS profile (name TEXT PRIMARY KEY, profile TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS file (
    begun_at_ms INTEGER NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (begun_at_ms, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS piece (
    file_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (file_id, number)
  ) STRICT;`;

type Row = { readonly file: string };

export class FileTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(id: string): StoredFile | null {
    return this.#files('WHERE id = ?', id)[0] ?? null;
  }

  put(file: StoredFile): void {
    this.#sql.exec(
      `INSERT INTO file VALUES (?, ?, ?3, ?4) ON CONFLICT DO UPDATE SET status = ?3, file = ?4`,
      ...[file.begunAtMs, file.id, file.status, JSON.stringify(file)],
    );
  }

  /** The file to work on; null: none. */
  next(): StoredFile | null {
    const condition = "WHERE status IN ('reading', 'matching', 'comparing')";
    return this.#files(`${condition} ORDER BY begun_at_ms, id LIMIT 1`)[0] ?? null;
  }

  /** The newest first. */
  list(beforeMs: number, limit: number): readonly StoredFile[] {
    return this.#files('WHERE begun_at_ms < ? ORDER BY begun_at_ms DESC LIMIT ?', beforeMs, limit);
  }

  /** Uploads that began before a time, or all files. */
  purgeBefore(beforeMs: number, isUploadsOnly: boolean): void {
    const condition = `begun_at_ms < ? ${isUploadsOnly ? "AND status = 'uploading'" : ''}`;
    for (const { id } of this.#files(`WHERE ${condition}`, beforeMs)) {
      this.dropPieces(id);
    }
    this.#sql.exec(`DELETE FROM file WHERE ${condition}`, beforeMs);
  }

  hasAny(): boolean {
    return this.#files('LIMIT 1').length > 0;
  }

  putPiece(fileId: string, number: number, bytes: Uint8Array<ArrayBuffer>): void {
    const put = 'INSERT INTO piece VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET bytes = ?3';
    this.#sql.exec(put, fileId, number, bytes.buffer);
  }

  /** The bytes of all pieces, if none is missing. */
  size(fileId: string): number | null {
    const pieces = this.#sql
      .exec<{ number: number; bytes: number }>(
        'SELECT number, LENGTH(bytes) AS bytes FROM piece WHERE file_id = ? ORDER BY number',
        fileId,
      )
      .toArray();
    const isWhole = pieces.every(
      ({ number, bytes }, index) =>
        number === index && (bytes === PIECE_BYTES || index === pieces.length - 1),
    );
    const size = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
    return isWhole && size > 0 ? size : null;
  }

  /** At most `limit` bytes from `offset` on. */
  bytesFrom(fileId: string, offset: number, limit: number): Uint8Array {
    const first = Math.floor(offset / PIECE_BYTES);
    const last = Math.floor((offset + limit - 1) / PIECE_BYTES);
    const pieces = this.#sql.exec<{ bytes: ArrayBuffer }>(
      'SELECT bytes FROM piece WHERE file_id = ? AND number BETWEEN ? AND ? ORDER BY number',
      ...[fileId, first, last],
    );
    const all = pieces.toArray().map(({ bytes }) => new Uint8Array(bytes));
    const joined = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
    for (const [index, bytes] of all.entries()) {
      joined.set(bytes, index * PIECE_BYTES);
    }
    const from = offset - first * PIECE_BYTES;
    return joined.subarray(from, from + limit);
  }

  dropPieces(fileId: string): void {
    this.#sql.exec('DELETE FROM piece WHERE file_id = ?', fileId);
  }

  profiles(): readonly Profile[] {
    const rows = this.#sql.exec<{ profile: string }>('SELECT profile FROM profile ORDER BY name');
    return rows.toArray().map(({ profile }) => JSON.parse(profile));
  }

  putProfile(profile: Profile): void {
    this.#sql.exec(
      'INSERT INTO profile VALUES (?1, ?2) ON CONFLICT DO UPDATE SET profile = ?2',
      ...[profile.name, JSON.stringify(profile)],
    );
  }

  removeProfile(name: string): void {
    this.#sql.exec('DELETE FROM profile WHERE name = ?', name);
  }

  #files(condition: string, ...params: SqlStorageValue[]): readonly StoredFile[] {
    const rows = this.#sql.exec<Row>(`SELECT file FROM file ${condition}`, ...params);
    return rows.toArray().map(({ file }) => JSON.parse(file));
  }
}
