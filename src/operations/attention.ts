import * as v from 'valibot';
import type { BookItem, WaitingRefund } from '../book/attention-items.ts';
import { deadLetters } from '../dead-letters/store.ts';
import { type Intent, reportedAttempt } from '../domain/intent.ts';
import type { Environment } from '../domain/method.ts';
import { stringField } from '../http/fields.ts';
import { body } from '../http/strict-body.ts';
import { intentByUniqueId } from '../intent/client.ts';
import { concurrently } from '../platform/concurrently.ts';
import { batch } from '../platform/database.ts';
import { errorText, log } from '../platform/log.ts';
import { type Cursor, countStatement, type List, type ListQuery } from '../platform/paging.ts';
import { type ItemSection, itemsOfSection } from './attention-items.ts';
import { type Gateway, list } from './call.ts';
import { unlistedItems } from './digests.ts';
import { environmentField } from './fields.ts';
import { merchantNames } from './merchant-rows.ts';
import { type AttentionItem, payableMinor, paymentOf, type Reason, reasonsOf } from './needs.ts';
import { badCursor, cursorFrom, type ItemPage, itemPage, limitField } from './page-query.ts';
import { railStates } from './rails.ts';

export type AttentionPage = ItemPage<AttentionItem>;

const attentionQuery = body({
  limit: limitField,
  /** `section~cursor`: the cursor is empty at the start of a section. */
  cursor: v.optional(stringField),
  environment: v.optional(environmentField),
});

interface Section {
  readonly name: string;
  readonly environment: Environment | null;
  readonly list: ListQuery;
  readonly read: (db: D1Database, cursor: Cursor | null, rows: number) => Promise<AttentionPage>;
}

/**
 * Money first: lost messages (providers' reports among them), refunds, payments, undelivered events.
 */
const SECTIONS: readonly Section[] = [
  { name: 'letters', environment: null, ...waitingLetters() },
  ...(['production', 'sandbox'] as const).flatMap((environment) =>
    (['refund', 'payment', 'dead', 'paused', 'undeliverable'] as const).map((name) => ({
      name: `${environment}-${name}`,
      environment,
      ...booksItems(environment, name),
    })),
  ),
];

/**
 * One list of all sections in their order, each oldest first. `cursor`: a page's `nextCursor`.
 * Problem 400 for any other text.
 */
async function pageAt(
  { env }: Gateway,
  query: v.InferOutput<typeof attentionQuery>,
): Promise<AttentionPage> {
  const { environment, limit } = query;
  const sections = SECTIONS.filter(
    (section) => environment === undefined || (section.environment ?? environment) === environment,
  );
  const place = placeOf(query.cursor, sections);
  const items: AttentionItem[] = [];
  let { cursor } = place;
  for (const section of sections.slice(place.index)) {
    if (items.length === limit) {
      return { items, nextCursor: `${section.name}~` };
    }
    const page = await section.read(env.DB, cursor, limit - items.length);
    items.push(...page.items);
    if (page.nextCursor !== null) {
      return { items, nextCursor: `${section.name}~${page.nextCursor}` };
    }
    cursor = null;
  }
  return { items, nextCursor: null };
}

export const attentionPage = list(attentionQuery, pageAt);

/** A page of the list, with what its payments' objects know and the merchants' names. */
export const describedAttention = list(attentionQuery, async (gateway, query) => {
  const page = await pageAt(gateway, query);
  const unlisted = await unlistedItems(gateway.env.DB);
  const named = [...page.items.flatMap((item) => paymentOf(item) ?? []), ...unlisted];
  const [names, payments] = await Promise.all([
    merchantNames(
      gateway.env.DB,
      named.map(({ merchantId }) => merchantId),
    ),
    paymentHints(gateway.env, page.items),
  ]);
  return { ...page, payments, merchantNames: names, unlisted };
});

export type DescribedAttention = Awaited<ReturnType<typeof describedAttention>>;

/**
 * The payments by uuid, without those that did not answer. The row of a refund has all that the
 * desk shows.
 */
async function paymentHints(
  env: Env,
  items: readonly AttentionItem[],
): Promise<Readonly<Record<string, PaymentHint>>> {
  const named = new Map(
    items
      .filter(({ type }) => type !== 'refund')
      .flatMap((item) => paymentOf(item) ?? [])
      .map((one) => [one.uuid, one]),
  );
  const hints = await concurrently([...named.values()], async (payment) => {
    try {
      const intent = await (await intentByUniqueId(env, payment, payment.uniqueId)).read();
      return intent === null ? [] : [[payment.uuid, hintOf(intent)] as const];
    } catch (error) {
      // The list must open although one payment does not answer.
      log('warn', 'intent_unavailable', { error: errorText(error) });
      return [];
    }
  });
  return Object.fromEntries(hints.flat());
}

/** What the desk shows of the payment behind an item. */
function hintOf(intent: Intent) {
  const { attempts, anomalies, paidAttemptId, late, terms } = intent;
  const isConcerned = ({ id, status, proposal }: Intent['attempts'][number]) =>
    status === 'unresolved' ||
    proposal !== null ||
    anomalies.some(({ attemptId }) => attemptId === id) ||
    (late && id === paidAttemptId);
  return {
    payableMinor: payableMinor(intent),
    currency: terms.currency,
    method: reportedAttempt(intent)?.method ?? null,
    /** The attempts' numbers to look up at the provider. */
    references: attempts.filter(isConcerned).map(({ reference }) => reference),
  };
}

export type PaymentHint = ReturnType<typeof hintOf>;

/** The desk shows a larger number as "99+", so that a page never scans a long list. */
const COUNTED_MAX = 100;

/** How much waits for the operator: items in all, dead letters among them, rails to mend. */
export async function countAttention({ env }: Gateway) {
  const statements = SECTIONS.map(({ list }) => countStatement(list, COUNTED_MAX));
  const results = await batch<{ rows: number }>(env.DB, statements);
  const counts = results.map((result) => result.results[0]?.rows ?? 0);
  const items = counts.reduce((sum, rows) => sum + rows, 0);
  return {
    attention: Math.min(items, COUNTED_MAX),
    deadLetters: counts[0] ?? 0,
    rails: railStates(env).filter(({ state }) => state === 'misconfigured').length,
  };
}

export type AttentionCounts = Awaited<ReturnType<typeof countAttention>>;

function placeOf(
  text: string | undefined,
  sections: readonly Section[],
): { readonly index: number; readonly cursor: Cursor | null } {
  if (text === undefined) {
    return { index: 0, cursor: null };
  }
  const tilde = text.indexOf('~');
  const index = sections.findIndex(({ name }) => name === text.slice(0, Math.max(tilde, 0)));
  if (index < 0) {
    throw badCursor();
  }
  return { index, cursor: cursorFrom(text.slice(tilde + 1) || undefined) };
}

/** Reads a section from a list. */
function section<Row>(
  rows: List<Row>,
  itemOf: (row: Row) => AttentionItem,
): Pick<Section, 'list' | 'read'> {
  return {
    list: rows,
    read: async (db, cursor, limit) => {
      const { items, nextCursor } = await itemPage(db, rows, { cursor, limit });
      return { items: items.map(itemOf), nextCursor };
    },
  };
}

function waitingLetters(): ReturnType<typeof section> {
  return section(deadLetters('waiting', null), (letter) => ({
    type: 'dead_letter',
    reasons: [letter.kind === 'result' ? 'dead_result' : 'dead_message'],
    atMs: letter.storedAtMs,
    letter,
  }));
}

function booksItems(environment: Environment, name: ItemSection): ReturnType<typeof section> {
  return section(itemsOfSection(environment, name), ({ item }): AttentionItem => {
    const found: BookItem = JSON.parse(item);
    switch (found.type) {
      case 'payment':
        return { ...found, reasons: reasonsOf(found.payment), atMs: found.payment.updatedAtMs };
      case 'refund': {
        const { status, createdAtMs } = found.refund;
        return { ...found, reasons: [REFUND_REASONS[status]], atMs: createdAtMs };
      }
      case 'delivery': {
        const { deliveryStatus, createdAtMs } = found.event;
        const reason = `delivery_${deliveryStatus}` as Reason;
        return { ...found, reasons: [reason], atMs: createdAtMs };
      }
    }
  });
}

const REFUND_REASONS: Readonly<Record<WaitingRefund['status'], Reason>> = {
  requires_action: 'refund_requires_action',
  unresolved: 'refund_unresolved',
  processing: 'refund_overdue',
  pending: 'refund_overdue',
};
