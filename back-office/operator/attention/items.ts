import { batch } from '../../../src/database.ts';
import { type DeadLetter, deadLetters } from '../../../src/dead-letters/store.ts';
import type { Environment } from '../../../src/domain/method.ts';
import { countStatement, type List, type ListQuery, readPage } from '../../../src/paging.ts';
import {
  eventsOfAll,
  paymentsNeedingAttention,
  refundsNeedingAttention,
  type WaitingRefund,
} from '../../../src/read-model/attention.ts';
import type { EventRow } from '../../../src/read-model/events-list.ts';
import { type PaymentRow, paymentRow } from '../../../src/read-model/payment-row.ts';
import { badCursor, cursorFrom, type ItemPage } from '../page-query.ts';
import type { Needs } from './review.ts';

/** Why something needs the operator's attention. A payment can have several reasons. */
export type Reason =
  | 'dead_result'
  | 'dead_message'
  | 'unresolved_attempt'
  | 'attempt_proposed'
  | 'anomaly'
  | 'late_payment'
  | 'refund_requires_action'
  | 'refund_unresolved'
  | 'refund_overdue'
  | 'delivery_dead'
  | 'delivery_undeliverable'
  | 'delivery_paused';

export type AttentionItem = { readonly reasons: readonly Reason[]; readonly atMs: number } & (
  | { readonly type: 'dead_letter'; readonly letter: DeadLetter }
  | { readonly type: 'payment'; readonly payment: PaymentRow }
  | { readonly type: 'refund'; readonly refund: WaitingRefund }
  | { readonly type: 'delivery'; readonly event: EventRow }
);

export type AttentionPage = ItemPage<AttentionItem>;

interface Section {
  readonly name: string;
  readonly environment: Environment | null;
  readonly list: ListQuery;
  readonly read: (db: D1Database, cursor: string | null, limit: number) => Promise<AttentionPage>;
}

/**
 * Money first: lost messages (providers' reports among them), refunds, payments, undelivered events.
 */
function sectionsAt(nowMs: number): readonly Section[] {
  return [
    { name: 'letters', environment: null, ...waitingLetters() },
    ...(['production', 'sandbox'] as const).flatMap((environment): readonly Section[] => [
      { name: `${environment}-refunds`, environment, ...refunds(environment, nowMs) },
      { name: `${environment}-payments`, environment, ...payments(environment) },
      ...(['dead', 'paused', 'undeliverable'] as const).map((status) => ({
        name: `${environment}-${status}`,
        environment,
        ...deliveries(environment, status),
      })),
    ]),
  ];
}

/**
 * One list of all sections in their order. Each section is newest first, except dead letters, which
 * are oldest first. `cursor`: a page's `nextCursor`. Problem 400 for any other text.
 */
export async function attentionPage(
  db: D1Database,
  query: {
    readonly environment: Environment | null;
    readonly cursor: string | null;
    readonly limit: number;
    readonly nowMs: number;
  },
): Promise<AttentionPage> {
  const { environment, limit, nowMs } = query;
  const sections = sectionsAt(nowMs).filter(
    (section) => environment === null || (section.environment ?? environment) === environment,
  );
  const place = placeOf(query.cursor, sections);
  const items: AttentionItem[] = [];
  let { cursor } = place;
  for (const section of sections.slice(place.index)) {
    if (items.length === limit) {
      return { items, nextCursor: `${section.name}~` };
    }
    const page = await section.read(db, cursor, limit - items.length);
    items.push(...page.items);
    if (page.nextCursor !== null) {
      return { items, nextCursor: `${section.name}~${page.nextCursor}` };
    }
    cursor = null;
  }
  return { items, nextCursor: null };
}

/** How many items there are, and how many of them are dead letters; counts to COUNTED_MAX each. */
export interface AttentionCounts {
  readonly items: number;
  readonly deadLetters: number;
}

/** The desk shows a larger number as "99+", so that a page never scans a long list. */
export const COUNTED_MAX = 100;

export async function countAttention(db: D1Database, nowMs: number): Promise<AttentionCounts> {
  const statements = sectionsAt(nowMs).map(({ list }) => countStatement(list, COUNTED_MAX));
  const results = await batch<{ rows: number }>(db, statements);
  const counts = results.map((result) => result.results[0]?.rows ?? 0);
  const items = counts.reduce((sum, rows) => sum + rows, 0);
  return { items: Math.min(items, COUNTED_MAX), deadLetters: counts[0] ?? 0 };
}

/** Parses `section~cursor`. The cursor is empty at the start of a section. */
function placeOf(
  text: string | null,
  sections: readonly Section[],
): { readonly index: number; readonly cursor: string | null } {
  if (text === null) {
    return { index: 0, cursor: null };
  }
  const tilde = text.indexOf('~');
  const index = sections.findIndex(({ name }) => name === text.slice(0, Math.max(tilde, 0)));
  if (index < 0) {
    throw badCursor();
  }
  return { index, cursor: text.slice(tilde + 1) || null };
}

/** Reads a section from a list. */
function section<Row>(
  list: List<Row>,
  itemOf: (row: Row) => AttentionItem,
): Pick<Section, 'list' | 'read'> {
  return {
    list,
    read: async (db, cursor, limit) => {
      const { rows, nextCursor } = await readPage(db, list, cursorFrom(cursor), limit);
      return { items: rows.map(itemOf), nextCursor };
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

function payments(environment: Environment): ReturnType<typeof section> {
  return section(paymentsNeedingAttention(environment), (stored) => {
    const payment = paymentRow(stored);
    return { type: 'payment', reasons: reasonsOf(payment), atMs: payment.updatedAtMs, payment };
  });
}

/** Why a payment needs attention, whether or not it was reviewed. */
export function reasonsOf(payment: Needs): readonly Reason[] {
  return [
    ...(payment.proposedAttempts > 0 ? (['attempt_proposed'] as const) : []),
    ...(payment.unresolvedAttempts > 0 ? (['unresolved_attempt'] as const) : []),
    ...(payment.anomalies > 0 ? (['anomaly'] as const) : []),
    ...(payment.late ? (['late_payment'] as const) : []),
  ];
}

function refunds(environment: Environment, nowMs: number): ReturnType<typeof section> {
  return section(refundsNeedingAttention(environment, nowMs), (refund) => ({
    type: 'refund',
    reasons: [REFUND_REASONS[refund.status]],
    atMs: refund.createdAtMs,
    refund,
  }));
}

const REFUND_REASONS: Readonly<Record<WaitingRefund['status'], Reason>> = {
  requires_action: 'refund_requires_action',
  unresolved: 'refund_unresolved',
  processing: 'refund_overdue',
  pending: 'refund_overdue',
};

function deliveries(
  environment: Environment,
  status: 'dead' | 'paused' | 'undeliverable',
): ReturnType<typeof section> {
  return section(eventsOfAll(environment, status), (event) => ({
    type: 'delivery',
    reasons: [`delivery_${status}`],
    atMs: event.createdAtMs,
    event,
  }));
}
