import { eventTimeMs } from '../crypto/event-id.ts';
import { uuidV7TimeMs } from '../crypto/uuid-v7.ts';
import { referenceTimeMs } from '../domain/identifiers.ts';
import { ENVIRONMENTS } from '../domain/method.ts';
import { idSearchKey, SEARCH_ID_LENGTH_MAX } from '../domain/search-key.ts';
import { receiptKeys } from '../intent/receipt-keys.ts';
import { batch, type SqlStatement } from '../platform/database.ts';
import { EVENTS_BY_TIME, firstDeliveryOf } from './events-list.ts';
import {
  CREATED_IN_SECOND_WITH_REFERENCE,
  PAYMENT_COLUMNS,
  PAYMENTS_BY_TIME,
  type PaymentRow,
  paymentRow,
  type StoredPayment,
  samePayment,
} from './payment-row.ts';
import { SEARCH_ROWS_MAX } from './search.ts';

/**
 * For the operator: payments of all merchants, in both environments, with exactly this id, newest
 * first. Finds paymentIntentUniqueId, uuid, transactionId, a provider's reference or receipt, and an
 * event's id. A phone number is found only within one merchant, because its digest is keyed by
 * merchant. Never show the result to a merchant.
 */
export async function searchAllPayments(env: Env, text: string): Promise<readonly PaymentRow[]> {
  const wanted = text.trim();
  if (wanted === '' || wanted.length > SEARCH_ID_LENGTH_MAX) {
    return [];
  }
  const receipts = await Promise.all(
    ENVIRONMENTS.map((environment) => receiptKeys(env, environment, wanted)),
  );
  const statements = searchAllStatements(wanted, [...new Set(receipts.flat())]);
  const results = await batch<StoredPayment>(env.DB, statements);
  const found = new Map(results.flatMap((result) => result.results.map((row) => [row.uuid, row])));
  return [...found.values()]
    .sort((one, other) => other.createdAtMs - one.createdAtMs)
    .slice(0, SEARCH_ROWS_MAX)
    .map(paymentRow);
}

/** One look-up for each merchant and environment: the indexes begin with them. */
export const EACH_TENANT = `merchants CROSS JOIN
  (SELECT value AS environment FROM json_each('${JSON.stringify(ENVIRONMENTS)}')) AS place`;

export function searchAllStatements(
  text: string,
  receipts: readonly string[] = [],
): readonly SqlStatement[] {
  const select = (source: string, ...params: readonly (string | number)[]): SqlStatement => ({
    sql: `SELECT ${PAYMENT_COLUMNS} FROM ${source} LIMIT ${SEARCH_ROWS_MAX}`,
    params,
  });
  const createdAtMs = uuidV7TimeMs(text);
  const eventAtMs = eventTimeMs(text);
  const referenceAtMs = referenceTimeMs(text);
  return [
    select(
      `${EACH_TENANT} CROSS JOIN payment INDEXED BY payment_unique_id
        ON payment.merchant_id = merchants.id AND payment.environment = place.environment
          AND payment.unique_id = ?1`,
      text,
    ),
    select(
      `${EACH_TENANT} CROSS JOIN payment_search_key AS found
          ON found.merchant_id = merchants.id AND found.environment = place.environment
            AND found.key = ?1
        CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('found')}`,
      idSearchKey(text),
    ),
    ...receipts.flatMap((key) =>
      ENVIRONMENTS.map((environment) =>
        select(
          `receipts AS found CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME}
            ON ${samePayment('found')} AND found.environment = ?1 AND found.key = ?2`,
          environment,
          key,
        ),
      ),
    ),
    ...(referenceAtMs === null
      ? []
      : [
          select(
            `${EACH_TENANT} CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME}
              ON payment.merchant_id = merchants.id AND payment.environment = place.environment
                AND ${CREATED_IN_SECOND_WITH_REFERENCE}`,
            referenceAtMs,
            text,
            text,
          ),
        ]),
    ...(createdAtMs === null
      ? []
      : [
          select(
            `${EACH_TENANT} CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME}
              ON payment.merchant_id = merchants.id AND payment.environment = place.environment
                AND payment.created_at_ms = ?1 AND payment.uuid = ?2`,
            createdAtMs,
            text,
          ),
        ]),
    ...(eventAtMs === null
      ? []
      : [
          select(
            `${EACH_TENANT} CROSS JOIN webhook_event AS event INDEXED BY ${EVENTS_BY_TIME}
                ON event.merchant_id = merchants.id AND event.environment = place.environment
                  AND event.created_at_ms = ?1 AND event.delivery_id = ?2
              CROSS JOIN payment INDEXED BY payment_unique_id
                ON payment.merchant_id = event.merchant_id
                  AND payment.environment = event.environment
                  AND payment.unique_id = event.unique_id`,
            eventAtMs,
            firstDeliveryOf(text),
          ),
        ]),
  ];
}
