import * as v from 'valibot';
import { auditEntry } from '../../src/audit/log.ts';
import { UUID_V7 } from '../../src/crypto/uuid-v7.ts';
import { prepare } from '../../src/database.ts';
import { OBJECT_ID } from '../../src/domain/identifiers.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { fieldError } from '../../src/http/field-error.ts';
import { wholeNumber } from '../../src/http/fields.ts';
import { validationProblem } from '../../src/http/problem.ts';
import { findPlace, republishObjects, republishPage } from '../../src/read-model/republish.ts';
import type { OperatorCall } from './call.ts';
import { operatorProblem } from './problems.ts';
import { body, filledList, patternField, readBody } from './schema.ts';

/** Each payment costs a call to its object. A Worker may make about a thousand per request. */
const PAYMENTS_MAX = 200;

const NO_PAYMENT = 'Must be the uuid of a payment.';

const request = body({
  afterUuid: v.optional(patternField(UUID_V7, NO_PAYMENT)),
  limit: v.optional(wholeNumber(1, PAYMENTS_MAX)),
  objectIds: v.optional(
    filledList(
      patternField(OBJECT_ID, 'Must be 64 hexadecimal digits in lower case.'),
      PAYMENTS_MAX,
    ),
  ),
});

/**
 * POST …/read-model/republish: objects send their payments to the read model again. Without
 * `objectIds`, a page of the payments in the read model; `nextUuid` is the next call's `afterUuid`.
 */
export async function republish(call: OperatorCall): Promise<Response> {
  const {
    afterUuid = null,
    limit = PAYMENTS_MAX,
    objectIds,
  } = await readBody(call.request, request);
  if (objectIds !== undefined && afterUuid !== null) {
    throw operatorProblem('republish_ambiguous');
  }
  const after = afterUuid === null ? null : await findPlace(call.env.DB, afterUuid);
  if (afterUuid !== null && after === null) {
    throw validationProblem({ afterUuid: fieldError('invalid_format', NO_PAYMENT) });
  }
  await audit(call, { afterUuid, payments: objectIds?.length ?? limit });
  const result =
    objectIds === undefined
      ? await republishPage(call.env, { after, limit })
      : { ...(await republishObjects(call.env, objectIds)), nextUuid: null };
  return successResponse('Sent to the read model again', result);
}

/** Runs before republishing, so that no republishing is missing in the audit log. */
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
