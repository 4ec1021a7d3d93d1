import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../../../kit/audit/actions.ts';
import { booleanField, listOf, oneOf } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { merchantIdField } from '../../operator/fields.ts';
import { type AreaArguments, cursorField, shortField, wholeField } from './fields.ts';

const filter = body({
  actions: v.exactOptional(listOf(oneOf(AUDIT_ACTIONS), AUDIT_ACTIONS.length)),
  actor: v.exactOptional(v.union([v.literal('operator'), body({ memberId: shortField })])),
});

const viewer = body({
  memberId: shortField,
  merchantId: merchantIdField,
  seesAll: booleanField,
  dismissedAtMs: wholeField,
});

export const AUDIT: AreaArguments<'audit'> = {
  entries: [v.nullable(merchantIdField), filter, cursorField],
  newAccess: [viewer],
};
