import { configOf } from '../../engine/config.ts';
import type { Kept, KeptReason } from '../../engine/domain/erasure.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import { auditEntryIfChanged, runAudited } from '../../kit/audit/log.ts';
import { derivedHmac } from '../../kit/crypto/derived-key.ts';
import { base64UrlFromBytes } from '../../kit/crypto/encoding.ts';
import { prepare, runBatch, type SqlStatement } from '../../kit/platform/database.ts';
import type { ActionCall } from '../operator/call.ts';
import type { Customer, FoundPayment } from './search.ts';

/**
 * Customers' requests to be erased, which outlive the operator's command: payments that must be kept
 * for a while are erased when they may be. A request stores no phone number, only the payments that
 * it has found, and a digest by which a repeated request is recognized.
 */

const requestHmac = derivedHmac('kefel/customer-request');

export interface ErasureRequest {
  readonly id: string;
  readonly isRefundableToo: boolean;
  /** Who asked for it, for the entries of what the daily run does. */
  readonly operator: string;
  readonly isProved: boolean;
}

/** The digests of a customer by each key of the ring, the newest first. */
async function digestsOf(env: Env, { kind, text }: Customer): Promise<readonly string[]> {
  const keys = configOf(env).dataEncryptionKeys;
  const macs = await Promise.all(keys.map((key) => requestHmac(key, `${kind}:${text}`)));
  return macs.map(base64UrlFromBytes);
}

const COLUMNS = `id, refundable_too = 1 AS isRefundableToo, requested_by AS operator,
  requested_by_proved = 1 AS isProved`;

type StoredRequest = Omit<ErasureRequest, 'isRefundableToo' | 'isProved'> & {
  readonly isRefundableToo: number;
  readonly isProved: number;
};

function requestOf({ isRefundableToo, isProved, ...rest }: StoredRequest): ErasureRequest {
  return { ...rest, isRefundableToo: isRefundableToo === 1, isProved: isProved === 1 };
}

/** The customer's unfinished request, or null. */
export async function unfinishedRequest(
  env: Env,
  customer: Customer,
): Promise<ErasureRequest | null> {
  const sql = `SELECT ${COLUMNS} FROM customer_requests
    WHERE digest IN (SELECT value FROM json_each(?1))`;
  const params = [JSON.stringify(await digestsOf(env, customer))];
  const stored = await prepare(env.DB, { sql, params }).first<StoredRequest>();
  return stored && requestOf(stored);
}

/**
 * Begins a request, or the same customer's unfinished one again, with its entry in the audit log. The
 * entry names no customer.
 */
export async function beginRequest(
  { env, actor, nowMs }: ActionCall,
  customer: Customer,
  { reason, isRefundableToo }: { readonly reason: string; readonly isRefundableToo: boolean },
): Promise<ErasureRequest> {
  const known = await unfinishedRequest(env, customer);
  const [digest = ''] = await digestsOf(env, customer);
  const request = {
    id: known?.id ?? crypto.randomUUID(),
    isRefundableToo: isRefundableToo || known?.isRefundableToo === true,
    operator: actor.name,
    isProved: actor.isProved === true,
  };
  const upsert = {
    sql: `INSERT INTO customer_requests (id, digest, kind, refundable_too, reason, requested_by,
        requested_by_proved, requested_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (id) DO UPDATE SET refundable_too = ?4, reason = ?5, requested_by = ?6,
        requested_by_proved = ?7, searched_at_ms = NULL`,
    params: [
      ...[request.id, digest, customer.kind, Number(request.isRefundableToo), reason],
      ...[actor.name, Number(request.isProved), nowMs],
    ],
  };
  const entry = {
    actor,
    merchantId: null,
    environment: null,
    action: 'customer.erasure_requested',
    target: request.id,
    detail: { reason, refundableToo: request.isRefundableToo },
    atMs: nowMs,
  } as const;
  await runAudited(env.DB, [upsert], entry);
  return request;
}

/** Payments of a request, as D1 has them. */
export interface RequestedPayment extends FoundPayment {
  readonly request: ErasureRequest;
  /** The merchant's limit for the age of refunds; null: its payments are not refunded any more. */
  readonly refundAgeDaysMax: number | null;
}

/** Remembers payments before they are erased: the daily run continues what a crash leaves. */
export async function rememberPayments(
  env: Env,
  request: ErasureRequest,
  found: readonly FoundPayment[],
  nowMs: number,
): Promise<readonly RequestedPayment[]> {
  if (found.length === 0) {
    return [];
  }
  const rows = found.map(({ tenant, ...payment }) => ({ ...tenant, ...payment }));
  const insert = {
    sql: `INSERT INTO customer_request_payments (request_id, environment, merchant_id, volume,
        payment_id, unique_id, uuid, due_at_ms)
      SELECT ?1, value ->> 'environment', value ->> 'merchantId', value ->> 'volume',
        value ->> 'id', value ->> 'uniqueId', value ->> 'uuid', ?2 FROM json_each(?3) WHERE true
      ON CONFLICT DO UPDATE SET due_at_ms = ?2, kept_reason = NULL, kept_until_ms = NULL`,
    params: [request.id, nowMs, JSON.stringify(rows)],
  };
  await runBatch(env.DB, [insert]);
  const sql = `SELECT id, refund_age_days_max AS days FROM merchants
    WHERE id IN (SELECT value FROM json_each(?1))`;
  const ids = JSON.stringify([...new Set(rows.map(({ merchantId }) => merchantId))]);
  const { results } = await prepare(env.DB, { sql, params: [ids] }).all<{
    id: string;
    days: number;
  }>();
  const days = new Map(results.map((row) => [row.id, row.days]));
  return found.map((payment) => ({
    ...payment,
    request,
    refundAgeDaysMax: request.isRefundableToo
      ? null
      : (days.get(payment.tenant.merchantId) ?? null),
  }));
}

/** The payments that are due, the longest due first. */
export async function duePayments(
  env: Env,
  nowMs: number,
  limit: number,
): Promise<readonly RequestedPayment[]> {
  const sql = `SELECT ${COLUMNS}, environment, merchant_id AS merchantId, volume,
      payment_id AS paymentId, unique_id AS uniqueId, uuid,
      iif(refundable_too, NULL, (SELECT refund_age_days_max FROM merchants
        WHERE merchants.id = merchant_id)) AS refundAgeDaysMax
    FROM customer_request_payments INDEXED BY customer_request_payments_by_time
      CROSS JOIN customer_requests ON id = request_id
    WHERE due_at_ms <= ?1 ORDER BY due_at_ms LIMIT ?2`;
  const { results } = await prepare(env.DB, { sql, params: [nowMs, limit] }).all<
    StoredRequest &
      FoundPayment['tenant'] &
      Omit<RequestedPayment, 'request' | 'tenant' | 'id'> & { readonly paymentId: number }
  >();
  return results.map((row) => ({
    request: requestOf(row),
    tenant: { environment: row.environment, merchantId: row.merchantId },
    volume: row.volume,
    id: row.paymentId,
    uniqueId: row.uniqueId,
    uuid: row.uuid,
    refundAgeDaysMax: row.refundAgeDaysMax,
  }));
}

const THIS_PAYMENT = `request_id = ?1 AND environment = ?2 AND merchant_id = ?3 AND volume = ?4
  AND payment_id = ?5`;

function keyOf({ request, tenant, volume, id }: RequestedPayment): readonly (string | number)[] {
  return [request.id, tenant.environment, tenant.merchantId, volume, id];
}

/** A payment without a date, or whose erasure failed, is due again so much later. */
const AGAIN_MS = DAY_MS;

/** The payment is kept for now; null: its erasure failed. */
export function postpone(
  payment: RequestedPayment,
  kept: Kept | null,
  nowMs: number,
): SqlStatement {
  const dueAtMs = Math.max(kept?.untilMs ?? 0, nowMs) + (kept?.untilMs == null ? AGAIN_MS : 1);
  return {
    sql: `UPDATE customer_request_payments SET due_at_ms = ?6, kept_reason = ?7, kept_until_ms = ?8
      WHERE ${THIS_PAYMENT}`,
    params: [...keyOf(payment), dueAtMs, kept?.reason ?? null, kept?.untilMs ?? null],
  };
}

/** The payment is erased everywhere: counts it once, with an entry that the merchant sees. */
export function markErased(payment: RequestedPayment, nowMs: number): readonly SqlStatement[] {
  const { request, tenant, uniqueId } = payment;
  const { operator: name, isProved } = request;
  return [
    {
      sql: `DELETE FROM customer_request_payments WHERE ${THIS_PAYMENT}`,
      params: keyOf(payment),
    },
    {
      sql: 'UPDATE customer_requests SET erased = erased + 1 WHERE id = ?1 AND changes() > 0',
      params: [request.id],
    },
    auditEntryIfChanged({
      actor: { kind: 'operator', id: name, name, isProved, address: null },
      ...tenant,
      action: 'payment.erased',
      target: uniqueId,
      detail: { request: request.id },
      atMs: nowMs,
    }),
  ];
}

/** All books were searched for the request. */
export function markSearched(request: ErasureRequest, nowMs: number): SqlStatement {
  const sql = 'UPDATE customer_requests SET searched_at_ms = ?2 WHERE id = ?1';
  return { sql, params: [request.id, nowMs] };
}

/** Ends requests that have nothing left to erase, and deletes the customers' digests. */
export function finishRequests(nowMs: number): SqlStatement {
  return {
    sql: `UPDATE customer_requests SET finished_at_ms = ?1, digest = NULL
      WHERE digest IS NOT NULL AND searched_at_ms IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM customer_request_payments WHERE request_id = id)`,
    params: [nowMs],
  };
}

/** Payments of a request that are kept for one reason. */
export interface KeptPayments {
  /** Null: being erased; the daily run continues. */
  readonly reason: KeptReason | null;
  readonly payments: number;
  /** When the last of them may be erased; null: until a person or a provider acts. */
  readonly untilAtMs: number | null;
}

/** A request in the operator's list. */
export interface CustomerRequest {
  readonly id: string;
  readonly kind: Customer['kind'];
  readonly reason: string;
  readonly requestedBy: string;
  readonly requestedAtMs: number;
  /** Null: the command was interrupted, and must be repeated. */
  readonly searchedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly erased: number;
  readonly kept: readonly KeptPayments[];
}

const KEPT = `(SELECT json_group_array(json_object('reason', kept_reason, 'payments', payments,
    'untilAtMs', until_ms))
  FROM (SELECT kept_reason, count(*) AS payments,
      iif(count(kept_until_ms) < count(*), NULL, max(kept_until_ms)) AS until_ms
    FROM customer_request_payments WHERE request_id = customer_requests.id GROUP BY kept_reason))`;

/** The columns of the operator's list. */
export const REQUEST_COLUMNS = `id, kind, reason, requested_by AS requestedBy,
  requested_at_ms AS requestedAtMs, searched_at_ms AS searchedAtMs,
  finished_at_ms AS finishedAtMs, erased, ${KEPT} AS kept`;

/** What is kept of a request's payments, in all. */
export async function keptOf(env: Env, request: ErasureRequest): Promise<readonly KeptPayments[]> {
  const sql = `SELECT ${KEPT} AS kept FROM customer_requests WHERE id = ?1`;
  const params = [request.id];
  return JSON.parse((await prepare(env.DB, { sql, params }).first<string>('kept')) ?? '[]');
}
