import * as v from 'valibot';
import { UUID_V7 } from '../crypto/uuid-v7.ts';
import { OBJECT_ID } from '../domain/identifiers.ts';
import { fieldError } from '../http/field-error.ts';
import { wholeNumber } from '../http/fields.ts';
import { validationProblem } from '../http/problem.ts';
import { body } from '../http/strict-body.ts';
import { findPlace, republishObjects, republishPage } from '../read-model/republish.ts';
import { action, recorder } from './call.ts';
import { filledList, patternField } from './fields.ts';
import { operationProblem } from './problems.ts';

/** Each payment costs a call to its object. A Worker may make about a thousand per request. */
const PAYMENTS_MAX = 200;

const NO_PAYMENT = 'Must be the uuid of a payment.';

const republishFields = body({
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
 * Objects send their payments to the read model again. Without `objectIds`, a page of the payments in
 * the read model; `nextUuid` is the next call's `afterUuid`.
 */
export const republish = action(republishFields, async (call, _target, fields) => {
  const { limit = PAYMENTS_MAX, objectIds, ...given } = fields;
  const afterUuid = given.afterUuid ?? null;
  if (objectIds !== undefined && afterUuid !== null) {
    throw operationProblem('republish_ambiguous');
  }
  const after = afterUuid === null ? null : await findPlace(call.env.DB, afterUuid);
  if (afterUuid !== null && after === null) {
    throw validationProblem({ afterUuid: fieldError('invalid_format', NO_PAYMENT) });
  }
  const record = recorder(call, {
    merchantId: null,
    environment: null,
    action: 'read_model.rebuilt',
    target: null,
  });
  // Before republishing, so that no republishing is missing in the audit log.
  await record({ afterUuid, payments: objectIds?.length ?? limit });
  return objectIds === undefined
    ? republishPage(call.env, { after, limit })
    : { ...(await republishObjects(call.env, objectIds)), nextUuid: null };
});
