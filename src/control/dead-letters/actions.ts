import * as v from 'valibot';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { intentByName } from '../../engine/intent/client.ts';
import { runRecorded } from '../../kit/audit/log.ts';
import { oneOf } from '../../kit/http/fields.ts';
import { found } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { runBatch } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { AboutPayment } from '../../lists/book/attention-items.ts';
import {
  type ActionCall,
  action,
  changeAudited,
  entryBy,
  type Gateway,
  list,
  type Target,
} from '../operator/call.ts';
import { filledList, lineField, patternField, REASON_CHARACTERS_MAX } from '../operator/fields.ts';
import { itemPage, pageEntries } from '../operator/page-query.ts';
import { aboutOf } from '../payments/needs.ts';
import { MESSAGE_QUEUES, producerOf } from './queues.ts';
import {
  bodyOf,
  type DeadLetter,
  deadLetters,
  isGone,
  LETTER_STATUSES,
  markDiscarded,
  markRetried,
  readStored,
  type StoredDeadLetter,
} from './store.ts';

/** A dead letter, with its payment as the payment's object has it. */
export interface DescribedLetter extends DeadLetter {
  /** Null where the letter is about none, or its payment did not answer. */
  readonly payment: (Tenant & AboutPayment & { readonly uniqueId: string }) | null;
}

/** One request reads, decrypts and sends each letter separately. */
const IDS_MAX = 50;

const idsField = filledList(
  patternField(/^[!-~]{1,128}$/, 'Must be the id of a dead letter.'),
  IDS_MAX,
);

/** Oldest first, without their messages. */
export const listDeadLetters = list(
  body({
    ...pageEntries,
    queue: v.optional(oneOf(MESSAGE_QUEUES)),
    status: v.optional(oneOf(LETTER_STATUSES), 'waiting'),
  }),
  async ({ env }, { queue, status, ...query }) => {
    const page = await itemPage(env.DB, deadLetters(status, queue ?? null), query);
    return { ...page, items: await describeLetters(env, page.items) };
  },
);

export async function describeLetters(
  env: Env,
  letters: readonly (DeadLetter & Partial<StoredDeadLetter>)[],
): Promise<readonly DescribedLetter[]> {
  const found = new Map(
    await concurrently(
      letters,
      async (letter) => [letter.id, await paymentBehind(env, letter)] as const,
    ),
  );
  return letters.map(({ sealedBody: _body, subject: _subject, ...letter }) => ({
    ...letter,
    payment: found.get(letter.id) ?? null,
  }));
}

export async function readDeadLetter({ env, config }: Gateway, target: Target) {
  const stored = found(await readStored(env.DB, target.id ?? ''));
  const { sealedBody: _sealed, ...letter } = stored;
  const message = isGone(letter) ? null : await bodyOf(config.dataEncryptionKeys, stored);
  return {
    letter,
    /** The message, or null when it or its data key was removed. */
    body: message,
    payment: await paymentBehind(env, letter),
  };
}

export type LetterDetails = Awaited<ReturnType<typeof readDeadLetter>>;

/** Null for a letter about no payment, and for one whose payment was deleted or is out of reach. */
async function paymentBehind(env: Env, { objectName }: DeadLetter) {
  try {
    const intent = objectName && (await intentByName(env, objectName).read());
    if (!intent) {
      return null;
    }
    const { environment, merchantId, uniqueId } = intent.terms;
    return { environment, merchantId, uniqueId, ...aboutOf(intent) };
  } catch (error) {
    // The letter must open although its payment does not answer.
    log('warn', 'intent_unavailable', { error: errorText(error) });
    return null;
  }
}

/** The result for each id of a request. */
export type LetterOutcome =
  | 'sent'
  | 'discarded'
  | 'not_found'
  | 'not_waiting'
  | 'unreadable'
  | 'not_sent';

export interface LetterOutcomes {
  readonly outcomes: Readonly<Record<string, LetterOutcome>>;
}

async function outcomesOf(
  ids: readonly string[],
  act: (id: string) => Promise<LetterOutcome>,
): Promise<LetterOutcomes> {
  const outcomes: Record<string, LetterOutcome> = {};
  for (const id of new Set(ids)) {
    outcomes[id] = await act(id);
  }
  return { outcomes };
}

export const retryDeadLetters = action(body({ ids: idsField }), (call, _target, { ids }) =>
  outcomesOf(ids, (id) => retryLetter(call, id)),
);

/**
 * Sends the message back to its queue, after its entry, and then marks it as retried. If marking
 * fails, the letter stays waiting and may be sent twice. This is harmless: an attempt is resolved and
 * started once, and a delivery is claimed once.
 */
async function retryLetter(call: ActionCall, id: string): Promise<LetterOutcome> {
  const { env, actor, nowMs: atMs } = call;
  const letter = await readStored(env.DB, id);
  if (letter === null || isGone(letter)) {
    return letter === null ? 'not_found' : 'not_waiting';
  }
  const message = await bodyOf(call.config.dataEncryptionKeys, letter);
  if (message === null) {
    return 'unreadable';
  }
  const entry = entryBy(call, { ...about(letter), action: 'dead_letter.retried' });
  const send = async () => {
    try {
      await producerOf(env, letter.queue).send(message);
      return 'sent';
    } catch (error) {
      log('warn', 'dead_letter_not_sent', { id, queue: letter.queue, error: errorText(error) });
      return 'not_sent';
    }
  };
  const outcome = await runRecorded(env.DB, entry, send, (one) => (one === 'sent' ? null : one));
  if (outcome === 'sent') {
    await runBatch(env.DB, [markRetried(id, actor.name, atMs)]);
  }
  return outcome;
}

export const discardDeadLetters = action(
  body({ ids: idsField, reason: lineField(REASON_CHARACTERS_MAX) }),
  (call, _target, { ids, reason }) => outcomesOf(ids, (id) => discardLetter(call, id, reason)),
);

/** Deletes the message. The row stays, with the operator's name. */
async function discardLetter(call: ActionCall, id: string, reason: string): Promise<LetterOutcome> {
  const letter = await readStored(call.env.DB, id);
  if (letter === null) {
    return 'not_found';
  }
  const { detail, ...rest } = about(letter);
  const isDiscarded = await changeAudited(call, markDiscarded(id, call.actor.name, call.nowMs), {
    ...rest,
    detail: { ...detail, reason: withoutPhoneNumbers(reason) },
    action: 'dead_letter.discarded',
  });
  return isDiscarded ? 'discarded' : 'not_waiting';
}

function about({ id, queue, kind, objectName }: StoredDeadLetter) {
  return {
    merchantId: null,
    environment: null,
    target: id,
    detail: { queue, kind, objectName },
  };
}
