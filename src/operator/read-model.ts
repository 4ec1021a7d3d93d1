import * as v from 'valibot';
import { auditEntry } from '../audit/log.ts';
import { prepare } from '../database.ts';
import { OBJECT_ID, UUID } from '../domain/identifiers.ts';
import { successResponse } from '../http/envelope.ts';
import { wholeNumber } from '../http/fields.ts';
import { problem } from '../http/problem.ts';
import { republishObjects, republishPage } from '../read-model/republish.ts';
import type { OperatorCall } from './call.ts';
import { body, listField, patternField, readBody } from './schema.ts';

/** One call asks each payment's object; a Worker may call some thousand things in one request. */
const PAYMENTS_MAX = 200;

const request = body({
  afterUuid: v.optional(patternField(UUID, 'Must be the uuid of a payment.')),
  limit: v.optional(wholeNumber(1, PAYMENTS_MAX)),
  objectIds: v.optional(
    listField(
      patternField(OBJECT_ID, 'Must be 64 hexadecimal digits in small letters.'),
      1,
      PAYMENTS_MAX,
    ),
  ),
});

/**
 * POST …/read-model/republish: asks objects to send what they hold to the read model once more. Without
 * `objectIds` the payments that the read model knows, a page at a time; `nextUuid` goes on from there.
 */
export async function republish(call: OperatorCall): Promise<Response> {
  const {
    afterUuid = null,
    limit = PAYMENTS_MAX,
    objectIds,
  } = await readBody(call.request, request);
  if (objectIds !== undefined && afterUuid !== null) {
    throw problem('republish_ambiguous');
  }
  await audit(call, { afterUuid, payments: objectIds?.length ?? limit });
  const result =
    objectIds === undefined
      ? await republishPage(call.env, { afterUuid, limit })
      : { ...(await republishObjects(call.env, objectIds)), nextUuid: null };
  return successResponse('Sent to the read model again', result);
}

/** Before it happens: what is sent twice does no harm, what nobody knows of might. */
async function audit(
  { env, actor, nowMs }: OperatorCall,
  detail: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  const statement = auditEntry({
    actor,
    merchantId: null,
    environment: null,
    action: 'read_model.rebuilt',
    target: null,
    detail,
    atMs: nowMs,
  });
  await prepare(env.DB, statement).run();
}
