import type { BackupPlace, RecoveryResult, RestoreResult, StoredRecord } from './protocol.ts';
import type { PaymentRecord } from './record.ts';

/** Copies in the backup and point-in-time recovery: what few payments ever need. */
export interface RecoveryPort {
  /** The rows as a backup has them: empty for no payment, null for a mere tombstone. */
  copy(sql: SqlStorage): Promise<readonly StoredRecord[] | null>;
  restore(
    record: PaymentRecord,
    records: readonly StoredRecord[],
    from: BackupPlace,
  ): Promise<RestoreResult>;
  restoreTo(
    storage: DurableObjectStorage,
    record: PaymentRecord,
    atMs: number,
    isVouchedFor: boolean,
  ): Promise<RecoveryResult>;
}
