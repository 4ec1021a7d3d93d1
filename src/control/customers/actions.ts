import * as v from 'valibot';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { record } from '../../kit/audit/log.ts';
import { booleanField } from '../../kit/http/fields.ts';
import { found as existing } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { runBatch } from '../../kit/platform/database.ts';
import { log } from '../../kit/platform/log.ts';
import type { List } from '../../kit/platform/paging.ts';
import { refuseDuringRestore } from '../modes/modes.ts';
import { action, entryBy, list } from '../operator/call.ts';
import { lineField, REASON_CHARACTERS_MAX } from '../operator/fields.ts';
import { itemPage, pageEntries } from '../operator/page-query.ts';
import { erasePayments } from './erase.ts';
import { exportedPayments, KEPT_ELSEWHERE } from './export.ts';
import {
  beginRequest,
  type CustomerRequest,
  duePayments,
  finishRequests,
  keptOf,
  markSearched,
  REQUEST_COLUMNS,
  rememberPayments,
  unfinishedRequest,
} from './requests.ts';
import { customerEntries, customerIn, customersPayments, placeText } from './search.ts';

/** What an operator does when a customer asks for their data (docs/retention.md). */

/**
 * A page of what is stored about a customer. `next` is the next call's `after`, and null after the
 * last page. Each page that discloses something has an entry in the audit log, and so has the first.
 */
export const exportCustomer = action(
  body({ ...customerEntries, reason: lineField(REASON_CHARACTERS_MAX) }),
  async (call, _target, { after, reason, ...fields }) => {
    const customer = customerIn(fields);
    await refuseDuringRestore(call.env);
    const { found, next } = await customersPayments(call.env, customer, after ?? null);
    if (found.length > 0 || after === undefined) {
      const entry = entryBy(call, {
        merchantId: null,
        environment: null,
        action: 'customer.exported',
        target: null,
        detail: { payments: found.length, reason: withoutPhoneNumbers(reason) },
      });
      await record(call.env.DB, entry);
    }
    return {
      payments: await exportedPayments(call, found),
      elsewhere: KEPT_ELSEWHERE,
      next: next && placeText(next),
    };
  },
);

/**
 * Erases a page of a customer's payments. Payments that must be kept for now are erased by the daily
 * run when they may be. `next` is the next call's `after`, and null after the last page.
 */
export const eraseCustomer = action(
  body({
    ...customerEntries,
    reason: lineField(REASON_CHARACTERS_MAX),
    refundableToo: v.optional(booleanField, false),
  }),
  async (call, _target, { after, reason, refundableToo: isRefundableToo, ...fields }) => {
    const { env, nowMs } = call;
    const customer = customerIn(fields);
    await refuseDuringRestore(env);
    const request =
      after === undefined
        ? await beginRequest(call, customer, {
            reason: withoutPhoneNumbers(reason),
            isRefundableToo,
          })
        : existing(await unfinishedRequest(env, customer));
    const { found, next } = await customersPayments(env, customer, after ?? null);
    const payments = await rememberPayments(env, request, found, nowMs);
    const { erased, failed } = await erasePayments(env, payments, nowMs);
    if (next === null) {
      await runBatch(env.DB, [markSearched(request, nowMs), finishRequests(nowMs)]);
    }
    return {
      request: request.id,
      erased,
      failed,
      /** All payments that the request keeps so far. */
      kept: await keptOf(env, request),
      next: next && placeText(next),
    };
  },
);

/**
 * The payments that one daily run erases: each costs about ten calls, and a Worker may make a
 * thousand.
 */
const DAILY_PAYMENTS_MAX = 60;

/** Erases what requests had to keep until now, and what a crash has left. Runs daily. */
export async function continueRequests(env: Env, nowMs: number): Promise<void> {
  const payments = await duePayments(env, nowMs, DAILY_PAYMENTS_MAX);
  const counts = await erasePayments(env, payments, nowMs);
  await runBatch(env.DB, [finishRequests(nowMs)]);
  if (payments.length > 0) {
    log('info', 'erasures_continued', { ...counts });
  }
}

type Page<Act extends (...about: never[]) => unknown> = Awaited<ReturnType<Act>>;
export type CustomersPage = Page<typeof exportCustomer>;
export type ErasedPage = Page<typeof eraseCustomer>;

type StoredRequest = Omit<CustomerRequest, 'kept'> & { readonly kept: string };

/** Newest first. */
export const customerRequests = list(body(pageEntries), async ({ env }, query) => {
  const rows: List<StoredRequest> = {
    columns: REQUEST_COLUMNS,
    table: 'customer_requests',
    index: 'customer_requests_by_time',
    timeColumn: 'requested_at_ms',
    idColumn: 'id',
    conditions: [],
    placeOf: ({ requestedAtMs, id }) => ({ atMs: requestedAtMs, id }),
  };
  const { items, nextCursor } = await itemPage(env.DB, rows, query);
  const requests = items.map(
    ({ kept, ...request }): CustomerRequest => ({ ...request, kept: JSON.parse(kept) }),
  );
  return { items: requests, nextCursor };
});
