import { isFoundByTime, isReceiptSearchKey } from '../domain/search-key.ts';
import type { ProjectionMessage } from '../intent/protocol.ts';
import type { SqlStatement } from '../platform/database.ts';
import { isKeyOfPayment } from './payment-row.ts';
import { insertNamedReceiptsStatement } from './receipts.ts';

/**
 * Writes messages as rows: one statement per table, with all rows in one JSON array. One batch, so
 * that a payment, its keys and its events appear together.
 *
 * An older message never overwrites a newer one. A repeated message changes nothing and writes no
 * row. A message of the same version that differs is written, so that republishing repairs a
 * damaged row.
 */

/** Includes `version`, so that a message with only a new version is written too. */
const PAYMENT_COLUMNS = [
  'version',
  'status',
  'failure_reason',
  'late',
  'commission_minor',
  'commission_paid_by_customer',
  'method',
  'unresolved_attempts',
  'anomalies',
  'proposed_attempts',
  'updated_at_ms',
  'ended_at_ms',
  'transaction_id',
  'refunded_minor',
  'open_refunds',
  'attempts',
  'search_keys',
  'sealed_details',
  'event_times',
];

/**
 * Columns that are not simply overwritten. Within a version a provider may still name its reference,
 * so of two messages of one version the one with more details is the newer. Search keys and times of
 * events are only added to: the purge finds rows by these keys, and a long message leaves events out.
 */
const NEW_VALUES: Readonly<Record<string, string>> = {
  search_keys: `(SELECT json_group_array(value) FROM (
    SELECT value FROM json_each(excluded.search_keys)
    UNION ALL SELECT value FROM json_each(payment.search_keys)
      WHERE value NOT IN (SELECT value FROM json_each(excluded.search_keys))))`,
  sealed_details: `iif(excluded.version > payment.version
    OR ${sealedSize('excluded.sealed_details')} >= ${sealedSize('payment.sealed_details')},
    excluded.sealed_details, payment.sealed_details)`,
  event_times: `(SELECT json_group_array(value) FROM (
    SELECT value FROM json_each(excluded.event_times)
    UNION SELECT value FROM json_each(payment.event_times) ORDER BY value))`,
  rail_reference: 'COALESCE(excluded.rail_reference, refunds.rail_reference)',
};

const PAYMENT_KEY = 'merchant_id, environment, created_at_ms, uuid';

const UPSERT_PAYMENTS = `
  INSERT INTO payment (uuid, environment, merchant_id, number, unique_id, kind, amount_minor,
    currency, created_at_ms, ${PAYMENT_COLUMNS.join(', ')})
  SELECT value ->> 'uuid', value ->> 'environment', value ->> 'merchantId', value ->> 'number',
    value ->> 'uniqueId', value ->> 'kind', value ->> 'amountMinor', value ->> 'currency',
    value ->> 'createdAtMs', value ->> 'version',
    value ->> 'status', value ->> 'failureReason', value ->> 'late',
    value ->> 'commissionMinor', value ->> 'commissionPaidByCustomer',
    value ->> 'method', value ->> 'unresolvedAttempts', value ->> 'anomalies',
    value ->> 'proposedAttempts', value ->> 'updatedAtMs', value ->> 'endedAtMs', value ->> 'transactionId',
    value ->> 'refundedMinor', value ->> 'openRefunds',
    value ->> 'attempts', value ->> 'searchKeys', value ->> 'sealedDetails',
    value ->> 'eventTimes'
  FROM json_each(?1) WHERE true
  ${onConflict('payment', PAYMENT_KEY, PAYMENT_COLUMNS, 'version')}`;

const EVENT_COLUMNS = [
  'delivery_status',
  'revision',
  'due_at_ms',
  'tries',
  'last_try_at_ms',
  'last_http_status',
  'last_error',
  'last_duration_ms',
  'endpoint_id',
  'destination_origin',
];

const EVENT_KEY = 'merchant_id, environment, created_at_ms, delivery_id';

/** After all places that the merchant's events have. Rows of one statement differ by their `key`. */
const STREAM_PLACE = `
  CASE WHEN value ->> 'environment' = 'sandbox' AND value ->> 'position' = 0 THEN key + 1 + COALESCE((
    SELECT MAX(stream_place) FROM webhook_event INDEXED BY webhook_event_of_sandbox
    WHERE merchant_id = value ->> 'merchantId' AND stream_place IS NOT NULL), 0) END`;

const UPSERT_EVENTS = `
  INSERT INTO webhook_event (event_id, position, delivery_id, merchant_id, environment, payment_uuid,
    unique_id, sequence, type, created_at_ms, ${EVENT_COLUMNS.join(', ')}, stream_place)
  SELECT value ->> 'eventId', value ->> 'position', value ->> 'deliveryId',
    value ->> 'merchantId', value ->> 'environment', value ->> 'paymentUuid',
    value ->> 'uniqueId', value ->> 'sequence', value ->> 'type',
    value ->> 'createdAtMs', value ->> 'deliveryStatus', value ->> 'revision',
    value ->> 'dueAtMs', value ->> 'tries', value ->> 'lastTryAtMs', value ->> 'lastHttpStatus',
    value ->> 'lastError', value ->> 'lastDurationMs', value ->> 'endpointId',
    value ->> 'destinationOrigin', ${STREAM_PLACE}
  FROM json_each(?1) WHERE true
  ${onConflict('webhook_event', EVENT_KEY, EVENT_COLUMNS, 'revision')}`;

const REFUND_COLUMNS = [
  'version',
  'status',
  'amount_minor',
  'commission_returned_minor',
  'returned_minor',
  // A repeated claim may have named another attempt than the refund that the object accepted.
  'method',
  'transaction_id',
  'reference',
  'rail_reference',
  'failure_reason',
  'action_reason',
  'late',
  'created_at_ms',
  'updated_at_ms',
];

/** A claim becomes the row of its refund. It stays when it belongs to another payment. */
const UPSERT_REFUNDS = `
  INSERT INTO refunds (environment, merchant_id, refund_unique_id, unique_id, payment_uuid,
    currency, ${REFUND_COLUMNS.join(', ')})
  SELECT value ->> 'environment', value ->> 'merchantId', value ->> 'id', value ->> 'uniqueId',
    value ->> 'paymentUuid', value ->> 'currency',
    value ->> 'version', value ->> 'status', value ->> 'amountMinor',
    value ->> 'commissionReturnedMinor', value ->> 'returnedMinor', value ->> 'method',
    value ->> 'transactionId', value ->> 'reference',
    value ->> 'railReference', value ->> 'failureReason', value ->> 'actionReason',
    value ->> 'late', value ->> 'createdAtMs', value ->> 'updatedAtMs'
  FROM json_each(?1) WHERE true
  ${onConflict('refunds', 'environment, merchant_id, refund_unique_id', REFUND_COLUMNS, 'version')}
    AND refunds.payment_uuid = excluded.payment_uuid`;

const INSERT_SEARCH_KEYS = `
  INSERT INTO payment_search_key (merchant_id, environment, key, created_at_ms, uuid)
  SELECT given.value ->> 'merchantId', given.value ->> 'environment', given.value ->> 'key',
    given.value ->> 'createdAtMs', given.value ->> 'uuid'
  FROM json_each(?1) AS given WHERE ${isKeyOfPayment('given.value')}
  ON CONFLICT DO NOTHING`;

/** The size of a sealed text, whichever key sealed it. */
function sealedSize(column: string): string {
  return `COALESCE(length(${column}) - instr(${column}, '.'), 0)`;
}

function onConflict(table: string, key: string, columns: readonly string[], order: string): string {
  const newValueOf = (column: string) => NEW_VALUES[column] ?? `excluded.${column}`;
  return `ON CONFLICT (${key}) DO UPDATE SET
    ${columns.map((column) => `${column} = ${newValueOf(column)}`).join(', ')}
  WHERE excluded.${order} >= ${table}.${order}
    AND (${columns.map(newValueOf).join(', ')})
      IS NOT (${columns.map((column) => `${table}.${column}`).join(', ')})`;
}

/** The statements that write messages to D1. Pass at most one message per payment. */
export function upsertStatements(messages: readonly ProjectionMessage[]): readonly SqlStatement[] {
  const payments = messages.map(({ row, version, searchKeys: keys, sealedDetails, events }) => ({
    ...row,
    version,
    searchKeys: keys,
    sealedDetails,
    eventTimes: timesOf(events),
  }));
  const searchKeys = messages.flatMap(({ row, searchKeys: keys }) => {
    const { merchantId, environment, createdAtMs, uuid } = row;
    return keys
      .filter((key) => !isFoundByTime(key, createdAtMs) && !isReceiptSearchKey(key))
      .map((key) => ({ merchantId, environment, createdAtMs, uuid, key }));
  });
  const receipts = messages.flatMap(({ row, searchKeys: keys }) =>
    keys.filter(isReceiptSearchKey).map((key) => ({ ...row, key })),
  );
  const events = messages.flatMap(({ row, events: announced }) => {
    const { merchantId, environment, uuid: paymentUuid, uniqueId } = row;
    return announced.map((event) => ({
      ...event,
      deliveryId: `${event.eventId}.${event.position}`,
      merchantId,
      environment,
      paymentUuid,
      uniqueId,
    }));
  });
  const refunds = messages.flatMap(({ row, version, refunds: own }) => {
    const { merchantId, environment, uuid: paymentUuid, uniqueId, currency } = row;
    const payment = { merchantId, environment, paymentUuid, uniqueId, currency, version };
    return own.map((refund) => ({ ...refund, ...payment }));
  });
  return [
    statement(UPSERT_PAYMENTS, payments),
    ...(searchKeys.length === 0 ? [] : [statement(INSERT_SEARCH_KEYS, searchKeys)]),
    ...(receipts.length === 0 ? [] : [insertNamedReceiptsStatement(receipts)]),
    ...(events.length === 0 ? [] : [statement(UPSERT_EVENTS, events)]),
    ...(refunds.length === 0 ? [] : [statement(UPSERT_REFUNDS, refunds)]),
  ];
}

/** In the order of NEW_VALUES, so that a repeated message changes nothing. */
function timesOf(events: ProjectionMessage['events']): readonly number[] {
  const times = new Set(events.map(({ createdAtMs }) => createdAtMs));
  return [...times].sort((one, other) => one - other);
}

function statement(sql: string, rows: readonly object[]): SqlStatement {
  return { sql, params: [JSON.stringify(rows)] };
}
