import * as v from 'valibot';
import { stringField } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { batch, prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { type Cursor, cursorText } from '../../kit/platform/paging.ts';
import type { Environment } from '../../kit/tenant.ts';
import { ITEM_REASONS, type ItemReason } from '../../lists/book/attention-reasons.ts';
import { describeLetters } from '../dead-letters/actions.ts';
import { readStored } from '../dead-letters/store.ts';
import { LETTER_KINDS } from '../dead-letters/subject.ts';
import { unlistedItems } from '../health/digests.ts';
import { lostBooks } from '../health/lost-books.ts';
import { railStates } from '../health/rails.ts';
import { merchantNames } from '../merchants/merchant-rows.ts';
import { type Gateway, list } from '../operator/call.ts';
import { environmentField } from '../operator/fields.ts';
import { badCursor, cursorFrom, type ItemPage, limitField } from '../operator/page-query.ts';
import { type AttentionItem, bookItem, letterItem, type Reason } from './item.ts';
import { type StoredItem, shownItem } from './stored-items.ts';

/**
 * The attention list by cause: the items of one reason, merchant and environment are one group. SQLite
 * jumps from merchant to merchant in the index, so the cost grows with the groups, not the items.
 */

/** A larger group is shown as this many. */
export const GROUP_ITEMS_MAX = 1_000;

export interface AttentionGroup {
  readonly reason: Reason;
  /** Null for dead letters, which are the gateway's. */
  readonly merchantId: string | null;
  /** Up to GROUP_ITEMS_MAX. */
  readonly items: number;
  readonly oldestAtMs: number;
  readonly newestAtMs: number;
  /** The item of a group that has one. */
  readonly item: AttentionItem | null;
}

interface FoundGroup extends Omit<AttentionGroup, 'item' | 'reason'> {
  /** Its oldest item: a StoredItem in JSON, or the id of a dead letter. */
  readonly first: string;
}

const ITEMS = `attention_item INDEXED BY attention_item_by_group
  WHERE environment = ?1 AND section = ?2`;

/** The merchants with an item of environment ?1 and section ?2; the last is NULL. */
const MERCHANTS = `merchant (id) AS (SELECT MIN(merchant_id) FROM ${ITEMS} UNION ALL
  SELECT (SELECT MIN(merchant_id) FROM ${ITEMS} AND merchant_id > merchant.id)
  FROM merchant WHERE id IS NOT NULL`;

const GROUPS = `WITH RECURSIVE ${MERCHANTS}),
  found AS (SELECT id AS merchantId,
      (SELECT MIN(created_at_ms) FROM ${ITEMS} AND merchant_id = merchant.id) AS oldestAtMs
    FROM merchant WHERE id IS NOT NULL),
  page AS (SELECT * FROM found WHERE (oldestAtMs, merchantId) > (?3, ?4)
    ORDER BY oldestAtMs, merchantId LIMIT ?5)
  SELECT merchantId, oldestAtMs,
    (SELECT MAX(created_at_ms) FROM ${ITEMS} AND merchant_id = merchantId) AS newestAtMs,
    (SELECT COUNT(*) FROM (SELECT 1 FROM ${ITEMS} AND merchant_id = merchantId
      LIMIT ${GROUP_ITEMS_MAX})) AS items,
    (SELECT json_object('item', item, 'createdAtMs', created_at_ms, 'id', id,
        'paymentUuid', payment_uuid, 'revision', revision)
      FROM ${ITEMS} AND merchant_id = merchantId ORDER BY created_at_ms, id LIMIT 1) AS first
  FROM page ORDER BY oldestAtMs, merchantId`;

/** Stops after ?3 groups. */
const COUNT_GROUPS = `WITH RECURSIVE ${MERCHANTS} LIMIT ?3)
  SELECT COUNT(id) AS rows FROM merchant`;

const LETTERS = `dead_letters INDEXED BY dead_letters_waiting
  WHERE status = 'waiting' AND kind = ?1`;

const LETTER_GROUP = `SELECT NULL AS merchantId, MIN(stored_at_ms) AS oldestAtMs,
    (SELECT MAX(stored_at_ms) FROM ${LETTERS}) AS newestAtMs,
    (SELECT COUNT(*) FROM (SELECT 1 FROM ${LETTERS} LIMIT ${GROUP_ITEMS_MAX})) AS items,
    (SELECT id FROM ${LETTERS} ORDER BY stored_at_ms, id LIMIT 1) AS first
  FROM ${LETTERS}`;

const groupQuery = body({
  limit: limitField,
  /** `reason~cursor`: the cursor is empty at the start of a reason. */
  cursor: v.optional(stringField),
  environment: v.optional(environmentField, 'production'),
});

/** A page of groups, money first, each reason's oldest first. Problem 400 for any other cursor. */
export const attentionGroups = list(groupQuery, async (gateway, query) => {
  const { DB: db } = gateway.env;
  const { environment } = query;
  const page = await groupsAt(gateway, query);
  const unlisted = (await unlistedItems(db)).filter((one) => one.environment === environment);
  const named = [...page.items, ...unlisted].flatMap(({ merchantId }) => merchantId ?? []);
  return { ...page, environment, unlisted, merchantNames: await merchantNames(db, named) };
});

export type AttentionGroups = Awaited<ReturnType<typeof attentionGroups>>;

async function groupsAt(
  gateway: Gateway,
  { environment, limit, cursor: given }: v.InferOutput<typeof groupQuery>,
): Promise<ItemPage<AttentionGroup>> {
  const place = placeOf(given);
  // Of both environments: those of the sandbox alone are not known to be.
  const isFirst = given === undefined && environment === 'production';
  const items = [
    ...(given === undefined ? await bookGroups(gateway, environment) : []),
    ...(isFirst ? await letterGroups(gateway) : []),
  ];
  let { cursor } = place;
  for (const reason of ITEM_REASONS.slice(ITEM_REASONS.indexOf(place.reason))) {
    const wanted = limit - items.length;
    if (wanted <= 0) {
      return { items, nextCursor: `${reason}~` };
    }
    const rows = await groupsOf(gateway.env.DB, environment, reason, cursor, wanted + 1);
    items.push(...rows.slice(0, wanted));
    const last = rows[wanted - 1];
    if (last !== undefined && rows.length > wanted) {
      const next = { direction: 'newer', atMs: last.oldestAtMs, id: last.merchantId } as const;
      return { items, nextCursor: `${reason}~${cursorText(next)}` };
    }
    cursor = null;
  }
  return { items, nextCursor: null };
}

function placeOf(text: string | undefined): {
  readonly reason: ItemReason;
  readonly cursor: Cursor | null;
} {
  const [name, cursor = ''] = text?.split('~', 2) ?? [ITEM_REASONS[0]];
  const reason = ITEM_REASONS.find((known) => known === name);
  if (reason === undefined) {
    throw badCursor();
  }
  return { reason, cursor: cursorFrom(cursor || undefined) };
}

async function groupsOf(
  db: D1Database,
  environment: Environment,
  reason: ItemReason,
  after: Cursor | null,
  limit: number,
) {
  const params = [environment, reason, after?.atMs ?? -1, after?.id ?? '', limit];
  const { results } = await prepare(db, { sql: GROUPS, params }).all<
    FoundGroup & { readonly merchantId: string }
  >();
  return results.map(({ first, ...group }) => {
    const stored: StoredItem = JSON.parse(first);
    return { ...group, reason, item: group.items === 1 ? shownItem(stored) : null };
  });
}

/** One group for each lost book. */
async function bookGroups(
  { env }: Gateway,
  environment: Environment,
): Promise<readonly AttentionGroup[]> {
  const lost = await lostBooks(env.DB, [environment]);
  return lost.map((book) => {
    const { merchantId, lostAtMs } = book;
    const times = { oldestAtMs: lostAtMs, newestAtMs: lostAtMs };
    return { reason: 'lost_book', merchantId, items: 1, ...times, item: bookItem(book) };
  });
}

/** One group for each kind of dead letter. */
async function letterGroups({ env }: Gateway): Promise<readonly AttentionGroup[]> {
  const statements = LETTER_KINDS.map((kind) => ({ sql: LETTER_GROUP, params: [kind] }));
  const results = await batch<FoundGroup>(env.DB, statements);
  const found = results.flatMap(({ results: [group] }, index) =>
    group === undefined || group.items === 0 ? [] : [{ group, kind: LETTER_KINDS[index] }],
  );
  return Promise.all(
    found.map(async ({ group: { first, ...group }, kind }): Promise<AttentionGroup> => {
      const reason = kind === 'result' ? 'dead_result' : 'dead_message';
      const letter = group.items === 1 ? await readStored(env.DB, first) : null;
      const [described] = letter === null ? [] : await describeLetters(env, [letter]);
      return { ...group, reason, item: described === undefined ? null : letterItem(described) };
    }),
  );
}

/** The desk shows a larger number as "99+", so that a page never scans a long list. */
const COUNTED_MAX = 100;

/** How much waits for the operator: groups of production, lost books among them, dead letters, rails to mend. */
export async function countAttention({ env }: Gateway) {
  const letters: SqlStatement = {
    sql: `SELECT COUNT(*) AS rows FROM (SELECT 1 FROM dead_letters INDEXED BY dead_letters_by_status
      WHERE status = 'waiting' LIMIT ?)`,
    params: [COUNTED_MAX],
  };
  const statements = [
    letters,
    ...LETTER_KINDS.map((kind) => ({
      sql: `SELECT EXISTS (SELECT 1 FROM ${LETTERS}) AS rows`,
      params: [kind],
    })),
    ...ITEM_REASONS.map((reason) => ({
      sql: COUNT_GROUPS,
      params: ['production', reason, COUNTED_MAX],
    })),
  ];
  const results = await batch<{ rows: number }>(env.DB, statements);
  const [deadLetters = 0, ...counts] = results.map(({ results: [row] }) => row?.rows ?? 0);
  const lost = await lostBooks(env.DB, ['production'], COUNTED_MAX);
  const groups = counts.reduce((sum, rows) => sum + rows, lost.length);
  return {
    attention: Math.min(groups, COUNTED_MAX),
    deadLetters,
    rails: railStates(env).filter(({ state }) => state === 'misconfigured').length,
  };
}

export type AttentionCounts = Awaited<ReturnType<typeof countAttention>>;
