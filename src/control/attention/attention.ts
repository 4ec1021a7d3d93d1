import * as v from 'valibot';
import { stringField } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import type { Cursor } from '../../kit/platform/paging.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { ITEM_REASONS } from '../../lists/book/attention-reasons.ts';
import { describeLetters } from '../dead-letters/actions.ts';
import { deadLetters } from '../dead-letters/store.ts';
import { lostBooks } from '../health/lost-books.ts';
import { merchantNames } from '../merchants/merchant-rows.ts';
import { type Gateway, list } from '../operator/call.ts';
import { environmentField, merchantIdField } from '../operator/fields.ts';
import {
  badCursor,
  cursorFrom,
  type ItemPage,
  itemPage,
  limitField,
} from '../operator/page-query.ts';
import { type AttentionItem, bookItem, letterItem, paymentOf } from './item.ts';
import { type ItemGroup, itemsOf, reasonField, shownItem } from './stored-items.ts';

export type AttentionPage = ItemPage<AttentionItem>;

const attentionQuery = body({
  limit: limitField,
  /** `section~cursor`: the cursor is empty at the start of a section. */
  cursor: v.optional(stringField),
  environment: v.optional(environmentField),
  reason: v.optional(reasonField),
  merchantId: v.optional(merchantIdField),
});

type AttentionQuery = v.InferOutput<typeof attentionQuery>;

interface Section {
  readonly name: string;
  readonly read: (env: Env, cursor: Cursor | null, limit: number) => Promise<AttentionPage>;
}

/** Lost books, whose other items may be missing. Then money: lost messages (providers' reports among them), refunds, payments, undelivered events. */
function sectionsOf({ environment, reason, merchantId }: AttentionQuery): Section[] {
  const environments = environment === undefined ? ENVIRONMENTS.toReversed() : [environment];
  const reasons = reason === undefined ? ITEM_REASONS : [reason];
  const isWhole = reason === undefined && merchantId === undefined;
  return [
    ...(isWhole
      ? [
          {
            name: 'books',
            read: async (env: Env, _cursor: Cursor | null, limit: number) => {
              const lost = await lostBooks(env.DB, environments, limit);
              return { items: lost.map(bookItem), nextCursor: null };
            },
          },
          { name: 'letters', read: waitingLetters },
        ]
      : []),
    ...environments.flatMap((one) =>
      reasons.map((cause) => ({
        name: `${one}-${cause}`,
        read: (env: Env, cursor: Cursor | null, limit: number) =>
          booksItems(env, { environment: one, reason: cause, merchantId }, cursor, limit),
      })),
    ),
  ];
}

/**
 * One list of all sections in their order, each oldest first. `cursor`: a page's `nextCursor`.
 * Problem 400 for any other text.
 */
async function pageAt({ env }: Gateway, query: AttentionQuery): Promise<AttentionPage> {
  const { limit } = query;
  const sections = sectionsOf(query);
  const place = placeOf(query.cursor, sections);
  const items: AttentionItem[] = [];
  let { cursor } = place;
  for (const section of sections.slice(place.index)) {
    if (items.length === limit) {
      return { items, nextCursor: `${section.name}~` };
    }
    const page = await section.read(env, cursor, limit - items.length);
    items.push(...page.items);
    if (page.nextCursor !== null) {
      return { items, nextCursor: `${section.name}~${page.nextCursor}` };
    }
    cursor = null;
  }
  return { items, nextCursor: null };
}

export const attentionPage = list(attentionQuery, pageAt);

/** A page of the list with the merchants' names. */
export const describedAttention = list(attentionQuery, async (gateway, query) => {
  const page = await pageAt(gateway, query);
  const named = page.items.flatMap((item) => paymentOf(item)?.merchantId ?? []);
  return { ...page, merchantNames: await merchantNames(gateway.env.DB, named) };
});

export type DescribedAttention = Awaited<ReturnType<typeof describedAttention>>;

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

async function waitingLetters(
  env: Env,
  cursor: Cursor | null,
  limit: number,
): Promise<AttentionPage> {
  const page = await itemPage(env.DB, deadLetters('waiting', null), { cursor, limit });
  const letters = await describeLetters(env, page.items);
  return { ...page, items: letters.map(letterItem) };
}

async function booksItems(
  env: Env,
  group: ItemGroup,
  cursor: Cursor | null,
  limit: number,
): Promise<AttentionPage> {
  const page = await itemPage(env.DB, itemsOf(group), { cursor, limit });
  return { ...page, items: page.items.map(shownItem) };
}
