import type { StoredRecord } from '../../engine/intent/protocol.ts';
import type { StoredLink } from '../../engine/links/payment-link.ts';
import type { StoredRefund } from '../../engine/register/refund-claims.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { DigestedBackup } from '../../lists/book/digest.ts';
import type { BookName, DatabaseName } from './names.ts';

/** The lines of parts, and the manifest that says what a daily run has. */

/** A payment's line: the rows of its object's table `record`, as they are stored. */
export interface PaymentLine {
  /** The row's id in the book's table `payment`. */
  readonly id: number;
  readonly uniqueId: string;
  readonly records: readonly StoredRecord[];
}

/** A line of a register's part. */
export type RefundLine = StoredRefund;

/** A line of a register's part with payment links. */
export type LinkLine = StoredLink;

/** A line of a database's part: a row, by the names of its columns. */
export type RowLine = Readonly<Record<string, string | number | null>>;

/** The entries of an audit log as they stay after their retention: the manifest's digest is of these. */
export function withoutAddresses(rows: readonly RowLine[]): RowLine[] {
  return rows.map((row) => ({ ...row, address: null }));
}

/**
 * The one line of the part `runs/<run>`. It is written last: a run without it is not a backup.
 */
export interface Manifest {
  readonly run: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** Null: no run of the back office's database has ended yet. */
  readonly databases: Readonly<Record<'payments', DatabaseExport>> &
    Readonly<Record<'back-office', DatabaseExport | null>>;
  readonly books: readonly BookBackup[];
  /** The refunds of registers. */
  readonly registers: readonly RegisterExport[];
  /** The payment links of registers. Absent: a release made it that had none. */
  readonly links?: readonly RegisterExport[];
  /** The secrets of the payments Worker by their names, except BACKUP_KEYS. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface DatabaseExport {
  readonly database: DatabaseName;
  /** The run that its parts name: the back office's is one of its own. */
  readonly run: string;
  readonly finishedAtMs: number;
  /** The files of the migrations that the database had. */
  readonly migrations: readonly string[];
  /**
   * In the order of the export: a row that refers to another table's is in an earlier table, so a
   * restore inserts the tables in the reverse order. `audit_log` has the parts of all runs.
   */
  readonly tables: readonly TableExport[];
}

export interface TableExport {
  readonly table: string;
  readonly rows: number;
  readonly parts: readonly PartDigest[];
}

export interface PartDigest {
  readonly name: string;
  /** Its lines. */
  readonly rows: number;
  /** Lower-case hexadecimal SHA-256 of its text before compression. */
  readonly sha256: string;
}

/** What a book had backed up when the run ended, even if it was not done. */
export interface BookBackup extends BookName, DigestedBackup {}

export interface RegisterExport extends Tenant {
  readonly rows: number;
  readonly parts: readonly PartDigest[];
}
