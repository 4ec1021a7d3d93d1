import * as v from 'valibot';
import { auditEntry } from '../../src/audit/log.ts';
import { runBatch } from '../../src/database.ts';
import { MESSAGE_QUEUES, producerOf } from '../../src/dead-letters/queues.ts';
import {
  bodyOf,
  deadLetters,
  isGone,
  LETTER_STATUSES,
  markDiscarded,
  markRetried,
  readStored,
  type StoredDeadLetter,
} from '../../src/dead-letters/store.ts';
import { withoutPhoneNumbers } from '../../src/domain/phone.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { oneOf } from '../../src/http/fields.ts';
import { found } from '../../src/http/problem.ts';
import { errorText, log } from '../../src/log.ts';
import { readPage } from '../../src/paging.ts';
import { changeAudited } from './audited.ts';
import type { OperatorCall } from './call.ts';
import { REASON_CHARACTERS_MAX, type reasonFields } from './merchants.ts';
import { cursorFrom, pageEntries } from './page-query.ts';
import { body, filledList, lineField, patternField, readBody, readQuery } from './schema.ts';

/** One request reads, decrypts and sends each letter separately. */
const IDS_MAX = 50;

const idsField = filledList(
  patternField(/^[!-~]{1,128}$/, 'Must be the id of a dead letter.'),
  IDS_MAX,
);

const listing = body({
  ...pageEntries,
  queue: v.optional(oneOf(MESSAGE_QUEUES)),
  status: v.optional(oneOf(LETTER_STATUSES), 'waiting'),
});

/** GET …/dead-letters: oldest first, without their messages. */
export async function listDeadLetters(call: OperatorCall): Promise<Response> {
  const { cursor = null, limit, queue = null, status } = readQuery(call.url, listing);
  const list = deadLetters(status, queue);
  const { rows: items, nextCursor } = await readPage(call.env.DB, list, cursorFrom(cursor), limit);
  return successResponse('Dead letters', { items, nextCursor });
}

/** GET …/dead-letters/{id} with the message, or null when its data key was removed. */
export async function readDeadLetter(call: OperatorCall): Promise<Response> {
  const stored = found(await readStored(call.env.DB, call.params.id ?? ''));
  const { sealedBody: _sealed, ...letter } = stored;
  const content = { ...letter, body: await bodyOf(call.config.dataEncryptionKeys, stored) };
  return successResponse('Dead letter', content);
}

/** The result for each id of a request. */
export type LetterOutcome =
  | 'sent'
  | 'discarded'
  | 'not_found'
  | 'not_waiting'
  | 'unreadable'
  | 'not_sent';

/** POST …/dead-letters/retry */
export async function retryDeadLetters(call: OperatorCall): Promise<Response> {
  const { ids } = await readBody(call.request, body({ ids: idsField }));
  const outcomes: Record<string, LetterOutcome> = {};
  for (const id of new Set(ids)) {
    outcomes[id] = await retryLetter(call, id);
  }
  return successResponse('Dead letters retried', { outcomes });
}

/**
 * Sends the message back to its queue, then marks it as retried. If marking fails, the letter stays
 * waiting and may be sent twice. This is harmless: an attempt is resolved and started once, a
 * delivery is claimed once, and the read model keeps the newest version.
 */
export async function retryLetter(call: OperatorCall, id: string): Promise<LetterOutcome> {
  const { env, actor, nowMs: atMs } = call;
  const letter = await readStored(env.DB, id);
  if (letter === null || isGone(letter)) {
    return letter === null ? 'not_found' : 'not_waiting';
  }
  const message = await bodyOf(call.config.dataEncryptionKeys, letter);
  if (message === null) {
    return 'unreadable';
  }
  try {
    await producerOf(env, letter.queue).send(message);
  } catch (error) {
    log('warn', 'dead_letter_not_sent', { id, queue: letter.queue, error: errorText(error) });
    return 'not_sent';
  }
  const entry = { ...about(letter), actor, action: 'dead_letter.retried', atMs } as const;
  await runBatch(env.DB, [markRetried(id, actor.name, atMs), auditEntry(entry)]);
  return 'sent';
}

const discarding = body({ ids: idsField, reason: lineField(REASON_CHARACTERS_MAX) });

/** POST …/dead-letters/discard */
export async function discardDeadLetters(call: OperatorCall): Promise<Response> {
  const { ids, reason } = await readBody(call.request, discarding);
  const outcomes: Record<string, LetterOutcome> = {};
  for (const id of new Set(ids)) {
    outcomes[id] = await discardLetter(call, id, { reason });
  }
  return successResponse('Dead letters discarded', { outcomes });
}

/** Deletes the message. The row stays, with the operator's name. */
export async function discardLetter(
  call: OperatorCall,
  id: string,
  { reason }: v.InferOutput<typeof reasonFields>,
): Promise<LetterOutcome> {
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

function about({ id, queue, kind, objectId }: StoredDeadLetter) {
  return {
    merchantId: null,
    environment: null,
    target: id,
    detail: { queue, kind, objectId },
  };
}
