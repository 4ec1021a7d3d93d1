import type { SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';

/** The volumes after the first. Nearly every merchant has none. */
export const VOLUME_TABLE = `
  CREATE TABLE book_volumes (
    volume INTEGER PRIMARY KEY,
    opened_at_ms INTEGER NOT NULL,
    is_copied INTEGER NOT NULL
  ) STRICT;`;

/** A volume of the merchant's book. Volume 0 always exists. */
export interface BookVolume {
  readonly volume: number;
  /** Null for volume 0. */
  readonly openedAtMs: number | null;
}

const FIRST: BookVolume = { volume: 0, openedAtMs: null };
type VolumeRow = { volume: number; openedAtMs: number };

/** The list of the book's volumes. Synchronous, in the caller's transaction; the table must exist. */
export class Volumes {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): readonly BookVolume[] {
    return [FIRST, ...this.#rows('')];
  }

  /** Opens the next volume and no later one, because lists and totals query every volume. */
  open(volume: number, nowMs: number): void {
    const newest = this.all().length - 1;
    if (volume > newest + 1) {
      throw new Error(`volume ${volume} cannot follow volume ${newest}`);
    }
    if (volume > newest) {
      const sql = 'INSERT INTO book_volumes (volume, opened_at_ms, is_copied) VALUES (?, ?, 0)';
      this.#sql.exec(sql, volume, nowMs);
    }
  }

  /** Adds a volume that D1 knows. A known volume stays as it is. */
  restore(volume: VolumeRow): void {
    this.#sql.exec(
      `INSERT INTO book_volumes (volume, opened_at_ms, is_copied) VALUES (?, ?, 1)
       ON CONFLICT DO NOTHING`,
      ...[volume.volume, volume.openedAtMs],
    );
  }

  /** The volumes that D1 may not know yet. */
  uncopied(): readonly VolumeRow[] {
    return this.#rows('WHERE is_copied = 0');
  }

  setCopied(volume: number): void {
    this.#sql.exec('UPDATE book_volumes SET is_copied = 1 WHERE volume = ?', volume);
  }

  #rows(condition: string): readonly VolumeRow[] {
    const sql = `SELECT volume, opened_at_ms AS openedAtMs FROM book_volumes ${condition}
      ORDER BY volume`;
    return this.#sql.exec<VolumeRow>(sql).toArray();
  }
}

/** The copy that the directory of keys reads. A repeated one changes nothing. */
export function copyStatement(
  { merchantId, environment }: Tenant,
  { volume, openedAtMs }: VolumeRow,
): SqlStatement {
  return {
    sql: `INSERT INTO book_volumes (merchant_id, environment, volume, opened_at_ms)
      VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING`,
    params: [merchantId, environment, volume, openedAtMs],
  };
}
