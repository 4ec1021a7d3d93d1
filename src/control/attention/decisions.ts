import { resendFrom } from '../../engine/api/payment-acts.ts';
import { FAILURE_REASONS } from '../../engine/domain/attempt.ts';
import { NOTE_LENGTH_MAX } from '../../engine/domain/manual-resolution.ts';
import { FAILED_DELIVERIES } from '../../engine/intent/protocol.ts';
import { oneOf, stringField } from '../../kit/http/fields.ts';
import { found, Problem } from '../../kit/http/problem.ts';
import { body, checked } from '../../kit/http/strict-body.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { type ActionCall, action, type Gateway, list, type Target } from '../operator/call.ts';
import { decisionIdField, filledList, lineField, NOTE_CHARACTERS_MAX } from '../operator/fields.ts';
import { resolveAttempt } from '../payments/attempt-resolution.ts';
import { review } from '../payments/review.ts';
import { type AttentionItem, paymentOf } from './item.ts';
import { itemIdField, itemNamed, STORED_ITEM, type StoredItem, shownItem } from './stored-items.ts';

/**
 * One decision about several items of the attention list. Each item has an audit entry and an outcome
 * of its own, so one that fails holds up no other.
 */

/** One request decides about each item separately, with calls of its payment's object and of D1. */
const IDS_MAX = 50;

const idsField = filledList(itemIdField, IDS_MAX);

/**
 * What came of an item: `done`, the code of the problem that refused it, or why it was left alone.
 * `changed`: there is more to it than the operator has seen.
 */
export interface ItemOutcome {
  readonly id: string;
  /** The payment's id; null when the item is not listed any more. */
  readonly uniqueId: string | null;
  readonly outcome:
    | 'done'
    | 'not_listed'
    | 'changed'
    | 'not_applicable'
    | 'failed'
    | Problem['code'];
}

export interface ItemOutcomes {
  readonly outcomes: readonly ItemOutcome[];
}

/** The items of these ids that are still listed. */
async function listedItems({ env }: Gateway, ids: readonly string[]) {
  const named = ids.map((id) => ({ ...itemNamed(id), named: id }));
  const sql = `SELECT named, ${STORED_ITEM}
    FROM (SELECT value ->> 'named' AS named, value ->> 'paymentUuid' AS wantedUuid,
        value ->> 'id' AS wantedId FROM json_each(?1))
      CROSS JOIN attention_item INDEXED BY attention_item_by_payment
      ON payment_uuid = wantedUuid AND id = wantedId
    WHERE section NOT IN ('reviewed', 'resolved')`;
  const statement = { sql, params: [JSON.stringify(named)] };
  const { results } = await prepare(env.DB, statement).all<StoredItem & { named: string }>();
  return new Map(results.map(({ named, ...stored }) => [named, shownItem(stored)]));
}

/** The items that a question is about. Those that are not listed any more are left out. */
export const chosenItems = list(body({ ids: stringField }), async (gateway, query) => {
  const listed = await listedItems(gateway, checked(idsField, query.ids.split(',')));
  return [...listed.values()];
});

type Decide = (item: AttentionItem) => Promise<ItemOutcome['outcome']>;

async function decideAll(
  call: ActionCall,
  ids: readonly string[],
  decide: Decide,
): Promise<ItemOutcomes> {
  const listed = await listedItems(call, ids);
  const outcomes = await concurrently([...new Set(ids)], async (id): Promise<ItemOutcome> => {
    const item = listed.get(id);
    const uniqueId = item === undefined ? null : (paymentOf(item)?.uniqueId ?? null);
    return { id, uniqueId, outcome: await outcomeOf(id, item, decide) };
  });
  return {
    outcomes: outcomes.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)),
  };
}

async function outcomeOf(
  id: string,
  item: AttentionItem | undefined,
  decide: Decide,
): Promise<ItemOutcome['outcome']> {
  if (item === undefined) {
    return 'not_listed';
  }
  // The delivery's object decides whether it is still stuck.
  if (item.type !== 'delivery' && item.id !== id) {
    return 'changed';
  }
  try {
    return await decide(item);
  } catch (error) {
    if (error instanceof Problem) {
      return error.code;
    }
    log('warn', 'item_not_decided', { error: errorText(error) });
    return 'failed';
  }
}

/** Reviews payments as their items say, so that what came later is listed again. */
export const reviewItems = action(
  body({ ids: idsField, note: lineField(NOTE_CHARACTERS_MAX) }),
  (call, _target, { ids, note }) =>
    decideAll(call, ids, async (item) => {
      if (item.type !== 'payment') {
        return 'not_applicable';
      }
      const { anomalies, unresolvedAttempts, late } = item.payment;
      await review(call, targetOf(item), { note, anomalies, unresolvedAttempts, late });
      return 'done';
    }),
);

/** Records the unresolved attempts of payments as not paid, each as its own decision. */
export const recordUnpaidItems = action(
  body({
    ids: idsField,
    reason: oneOf(FAILURE_REASONS),
    note: lineField(NOTE_LENGTH_MAX),
    resolutionId: decisionIdField,
  }),
  (call, _target, { ids, resolutionId, ...finding }) =>
    decideAll(call, ids, async (item) => {
      if (item.type !== 'payment' || item.unresolved.length === 0) {
        return 'not_applicable';
      }
      for (const attemptId of item.unresolved) {
        await resolveAttempt(
          call,
          call.actor,
          { ...targetOf(item), attemptId },
          {
            outcome: 'failed',
            ...finding,
            resolutionId: `${resolutionId.slice(0, DECISION_ID_PART)}-${attemptId}`,
          },
        );
      }
      return 'done';
    }),
);

/** Leaves room for an attempt's reference within the longest id of a decision. */
const DECISION_ID_PART = 40;

/** Sends events again that are no longer sent automatically, in the merchants' names. */
export const resendItems = action(body({ ids: idsField }), (call, _target, { ids }) =>
  decideAll(call, ids, async (item) => {
    if (item.type !== 'delivery') {
      return 'not_applicable';
    }
    const { event } = item;
    const by = { ...call, tenant: event };
    return (await resendFrom(by, event, FAILED_DELIVERIES, event)) ? 'done' : 'changed';
  }),
);

function targetOf(item: AttentionItem): Target {
  const { environment, merchantId, uniqueId } = found(paymentOf(item));
  return { environment, merchantId, uniqueId };
}
