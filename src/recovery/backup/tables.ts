/** A table of a database, and how it is read. */
export interface ExportedTable {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** Rows of one part: about a megabyte with the largest rows that the table takes. */
  readonly pageRows: number;
}

/** Rows of a few hundred bytes. */
const SMALL = 1_000;
/** URLs of 2 KB and the like. */
const MEDIUM = 300;
/** Logos of 22 KB. */
const LARGE = 40;
/** Messages of a queue, up to 128 KB before they are sealed. */
const HUGE = 5;

export const AUDIT_LOG = { table: 'audit_log', key: ['id'], pageRows: SMALL } as const;

/**
 * The tables of the payments' database that a daily run exports. A table comes before those that its
 * rows refer to, because rows may be added during the export: then what they refer to is there too.
 */
export const PAYMENTS_TABLES: readonly ExportedTable[] = [
  { table: 'merchant_branding', key: ['merchant_id'], pageRows: SMALL },
  { table: 'merchant_logos', key: ['merchant_id', 'digest'], pageRows: LARGE },
  { table: 'merchant_business', key: ['merchant_id'], pageRows: SMALL },
  { table: 'merchant_limits', key: ['merchant_id', 'environment', 'currency'], pageRows: SMALL },
  { table: 'merchant_methods', key: ['merchant_id', 'environment', 'method'], pageRows: SMALL },
  { table: 'book_volumes', key: ['merchant_id', 'environment', 'volume'], pageRows: SMALL },
  { table: 'payment_link_merchants', key: ['merchant_id', 'environment'], pageRows: SMALL },
  { table: 'api_keys', key: ['digest'], pageRows: SMALL },
  { table: 'webhook_secrets', key: ['id'], pageRows: SMALL },
  { table: 'webhook_endpoints', key: ['id'], pageRows: MEDIUM },
  {
    table: 'webhook_endpoint_answers',
    key: ['merchant_id', 'environment', 'key_digest'],
    pageRows: MEDIUM,
  },
  { table: 'webhook_callback_settings', key: ['merchant_id', 'environment'], pageRows: SMALL },
  { table: 'dead_letters', key: ['id'], pageRows: HUGE },
  { table: 'payment_reviews', key: ['uuid'], pageRows: SMALL },
  {
    table: 'manual_receipts',
    key: ['environment', 'key', 'merchant_id', 'unique_id'],
    pageRows: SMALL,
  },
  {
    table: 'customer_request_payments',
    key: ['request_id', 'environment', 'merchant_id', 'volume', 'payment_id'],
    pageRows: SMALL,
  },
  { table: 'customer_requests', key: ['id'], pageRows: SMALL },
  { table: 'switched_off_methods', key: ['environment', 'method'], pageRows: SMALL },
  { table: 'gateway_settings', key: ['id'], pageRows: SMALL },
  { table: 'banks', key: ['code'], pageRows: SMALL },
  { table: 'merchants', key: ['id'], pageRows: SMALL },
  AUDIT_LOG,
];

/** The tables that it leaves out, and why a restored gateway does not need them. */
export const PAYMENTS_TABLES_LEFT_OUT: Readonly<Record<string, string>> = {
  attention_item: 'the books write their items again',
  endpoint_connections: 'a member asks for a new code',
  failing_endpoints: 'the next deliveries find out again which servers fail',
  book_digest: 'the books write it again within an hour of a change',
  daily_runs: 'the next daily runs write it again',
  self_check: 'an operator checks the gateway again',
  self_check_results: 'an operator checks the gateway again',
  backup_runs: 'the state of the export itself',
  backup_parts: 'the manifest has what it says',
  restore: 'the restore of this gateway alone',
};
