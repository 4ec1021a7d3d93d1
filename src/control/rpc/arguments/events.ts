import * as v from 'valibot';
import { booleanField } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import {
  type AreaArguments,
  actorField,
  countField,
  cursorField,
  rangeField,
  tenantField,
  typedField,
} from './fields.ts';

const named = body({ uniqueId: typedField, sequence: countField });

export const EVENTS: AreaArguments<'events'> = {
  read: [tenantField, named, booleanField],
  resend: [tenantField, actorField, named, v.nullable(countField)],
  failed: [tenantField, rangeField],
  resendFailed: [tenantField, actorField, rangeField, cursorField],
};
