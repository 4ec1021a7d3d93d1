import type { DeadLetter } from '../../dead-letters/store.ts';
import type { Environment } from '../../domain/method.ts';
import { validationProblem } from '../../http/problem.ts';
import { parseCursor } from '../../paging.ts';
import { listAttention, listEventsOfAll } from '../../read-model/attention.ts';
import type { EventRow } from '../../read-model/events-list.ts';
import type { PaymentRow } from '../../read-model/payment-row.ts';
import { deadLetterPage } from '../dead-letter-page.ts';

/** Why something needs a human. A payment can have several reasons. */
export type Reason =
  | 'dead_settle'
  | 'dead_message'
  | 'unresolved_attempt'
  | 'anomaly'
  | 'late_payment'
  | 'delivery_dead'
  | 'delivery_undeliverable'
  | 'delivery_paused';

/** What needs a human, and why. */
export type AttentionItem = { readonly reasons: readonly Reason[]; readonly atMs: number } & (
  | { readonly type: 'dead_letter'; readonly letter: DeadLetter }
  | { readonly type: 'payment'; readonly payment: PaymentRow }
  | { readonly type: 'delivery'; readonly event: EventRow }
);

export interface AttentionPage {
  readonly items: readonly AttentionItem[];
  /** Of the next page, or null when this is the last. */
  readonly nextCursor: string | null;
}

interface Section {
  readonly name: string;
  readonly environment: Environment | null;
  readonly read: (db: D1Database, cursor: string | null, limit: number) => Promise<AttentionPage>;
}

/** Money first: what rails have said, then payments, then what merchants have not heard. */
const SECTIONS: readonly Section[] = [
  { name: 'letters', environment: null, read: deadLetters },
  ...(['production', 'sandbox'] as const).flatMap((environment): readonly Section[] => [
    { name: `${environment}-payments`, environment, read: payments(environment) },
    ...(['dead', 'paused', 'undeliverable'] as const).map((status) => ({
      name: `${environment}-${status}`,
      environment,
      read: deliveries(environment, status),
    })),
  ]),
];

/**
 * One list of everything, section after section; within each newest first, dead letters oldest
 * first. `cursor`: a page's `nextCursor`; problem 400 for any other text.
 */
export async function attentionPage(
  db: D1Database,
  query: {
    readonly environment: Environment | null;
    readonly cursor: string | null;
    readonly limit: number;
  },
): Promise<AttentionPage> {
  const { environment, limit } = query;
  const sections = SECTIONS.filter(
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

/** `section~cursor`: the part after the tilde is empty at a section's beginning. */
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

function badCursor(): Error {
  return validationProblem({ cursor: 'Is not a cursor.' });
}

async function deadLetters(
  db: D1Database,
  cursor: string | null,
  limit: number,
): Promise<AttentionPage> {
  const page = await deadLetterPage(db, { status: 'waiting', queue: null, cursor, limit });
  const items = page.items.map((letter) => ({
    type: 'dead_letter' as const,
    reasons: [letter.kind === 'settle' ? ('dead_settle' as const) : ('dead_message' as const)],
    atMs: letter.storedAtMs,
    letter,
  }));
  return { items, nextCursor: page.nextCursor };
}

function payments(environment: Environment): Section['read'] {
  return async (db, cursor, limit) => {
    const page = await listAttention(db, environment, listCursor(cursor), limit);
    const items = page.rows.map((payment) => ({
      type: 'payment' as const,
      reasons: reasonsOf(payment),
      atMs: payment.updatedAtMs,
      payment,
    }));
    return { items, nextCursor: page.nextCursor };
  };
}

function reasonsOf(payment: PaymentRow): readonly Reason[] {
  return [
    ...(payment.unresolvedAttempts > 0 ? (['unresolved_attempt'] as const) : []),
    ...(payment.anomalies > 0 ? (['anomaly'] as const) : []),
    ...(payment.late ? (['late_payment'] as const) : []),
  ];
}

function deliveries(
  environment: Environment,
  status: 'dead' | 'paused' | 'undeliverable',
): Section['read'] {
  return async (db, cursor, limit) => {
    const page = await listEventsOfAll(db, environment, status, listCursor(cursor), limit);
    const items = page.rows.map((event) => ({
      type: 'delivery' as const,
      reasons: [`delivery_${status}`] as const,
      atMs: event.createdAtMs,
      event,
    }));
    return { items, nextCursor: page.nextCursor };
  };
}

function listCursor(text: string | null) {
  const cursor = text === null ? null : parseCursor(text);
  if (text !== null && cursor === null) {
    throw badCursor();
  }
  return cursor;
}
