import * as v from 'valibot';
import { action, entryBy } from '../control/operator/call.ts';
import {
  filledList,
  patternField,
  recoveryTimeField,
  tenantIn,
} from '../control/operator/fields.ts';
import { operationProblem } from '../control/operator/problems.ts';
import { intentByUniqueId, republishById } from '../engine/intent/client.ts';
import { record, runRecorded } from '../kit/audit/log.ts';
import { wholeNumber } from '../kit/http/fields.ts';
import { body } from '../kit/http/strict-body.ts';
import { concurrently } from '../kit/platform/concurrently.ts';
import { errorText, log } from '../kit/platform/log.ts';
import { Unavailable } from '../kit/platform/unavailable.ts';
import { bookOf } from '../lists/book/client.ts';
import { nameOf } from './payments/restore.ts';

/**
 * Rebuilds books: each payment's object sends its payment again. A message that a book has already
 * writes no row, so repeating a rebuild, or one while payments go on, is safe.
 */

/** Each payment costs two calls. A Worker may make a thousand per request. */
const PAYMENTS_MAX = 200;

/** Cloudflare's id of an object, as its list of a namespace shows it. */
const OBJECT_ID = /^[0-9a-f]{64}$/;

export interface Rebuilt {
  /** Their books have them. */
  readonly rebuilt: number;
  /** No such payment, or only a tombstone. */
  readonly missing: number;
  /** The object or the book was unreachable. Rebuild them again. */
  readonly failed: number;
}

const placeField = v.pipe(
  patternField(/^\d{1,16}$/, 'Must be the place of a payment.'),
  v.transform(Number),
);

const volumeField = v.optional(
  v.pipe(patternField(/^\d{1,4}$/, 'Must be the number of a volume.'), v.transform(Number)),
);

/**
 * A page of the payments that a book has, oldest first. `next` is the next call's `after`, and null
 * after the last page. Problem 409 for an empty book, which does not know its payments.
 */
export const rebuildBook = action(
  body({
    after: v.optional(placeField),
    limit: v.optional(wholeNumber(1, PAYMENTS_MAX)),
    volume: volumeField,
  }),
  async (call, target, { after = 0, limit = PAYMENTS_MAX, volume = 0 }) => {
    const tenant = tenantIn(target);
    const book = bookOf(call.env, tenant, volume);
    const page = (await book.ask('paymentsAfter', after, limit)) ?? [];
    if (page.length === 0 && after === 0) {
      throw operationProblem('book_empty', { book: nameOf({ ...tenant, volume }) });
    }
    // Before rebuilding, so that no rebuild is missing in the audit log.
    const detail = { volume, after };
    const entry = entryBy(call, { ...tenant, action: 'book.rebuilt', target: null, detail });
    await record(call.env.DB, entry);
    const last = page.at(-1);
    const payments = page.map(async ({ uniqueId }) => {
      const { objectName, republish } = await intentByUniqueId(call.env, tenant, uniqueId);
      return { about: { objectName }, republish };
    });
    const rebuilt = await rebuild(await Promise.all(payments));
    // A message puts only the receipts that the book does not have yet.
    if (!(await book.indexReceipts(after, limit))) {
      throw new Unavailable('the index of receipts is out of reach');
    }
    return {
      ...rebuilt,
      next: page.length < limit || last === undefined ? null : String(last.id),
    };
  },
);

/** Payments by the ids of their objects, for books that are lost. Each object knows whose it is. */
export const rebuildObjects = action(
  body({
    objectIds: filledList(
      patternField(OBJECT_ID, 'Must be 64 hexadecimal digits in lower case.'),
      PAYMENTS_MAX,
    ),
  }),
  async (call, _target, { objectIds }) => {
    const entry = entryBy(call, {
      merchantId: null,
      environment: null,
      action: 'book.rebuilt',
      target: null,
      detail: { payments: objectIds.length },
    });
    await record(call.env.DB, entry);
    const payments = objectIds.map((objectId) => {
      return { about: { objectId }, republish: () => republishById(call.env, objectId) };
    });
    return { ...(await rebuild(payments)), next: null };
  },
);

interface Rebuildable {
  /** How the log names it. */
  readonly about: Readonly<Record<string, string>>;
  /** False when there is no such payment. */
  readonly republish: () => Promise<boolean>;
}

async function rebuild(payments: readonly Rebuildable[]): Promise<Rebuilt> {
  const counts = { rebuilt: 0, missing: 0, failed: 0 };
  const outcomes = await concurrently(payments, async ({ about, republish }) => {
    try {
      return (await republish()) ? 'rebuilt' : 'missing';
    } catch (error) {
      log('warn', 'rebuild_failed', { ...about, error: errorText(error) });
      return 'failed';
    }
  });
  for (const outcome of outcomes) {
    counts[outcome] += 1;
  }
  return counts;
}

/**
 * Sets a book back to a time of the last 30 days: for rows that are wrong, not for lost ones.
 * Payments that changed since are then missing or old, until they are rebuilt, and erasures since
 * must be repeated. Answers with the bookmark that undoes it.
 */
export const restoreBook = action(
  body({
    at: recoveryTimeField,
    volume: volumeField,
  }),
  async (call, target, { at: atMs, volume = 0 }) => {
    const tenant = tenantIn(target);
    const detail = { volume, atMs };
    const entry = entryBy(call, { ...tenant, action: 'book.restored', target: null, detail });
    return runRecorded(call.env.DB, entry, async () => {
      const undoBookmark = await bookOf(call.env, tenant, volume).restore(atMs);
      if (undoBookmark === null) {
        throw operationProblem('recovery_not_offered');
      }
      return { undoBookmark };
    });
  },
);
