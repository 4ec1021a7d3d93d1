import * as v from 'valibot';
import { body } from '../../../kit/http/strict-body.ts';
import {
  type AreaArguments,
  actorField,
  countField,
  cursorField,
  limitField,
  originField,
  shortField,
  tenantField,
  typedField,
  wholeField,
} from './fields.ts';

const tillId = v.nullable(shortField);
const uniqueId = typedField;
const asked = body({ nonce: shortField, amount: typedField, note: typedField });
const askedPrompt = body({ method: typedField, phone: typedField, attempts: countField });
const range = body({ fromMs: wholeField, toMs: wholeField });

export const TILL: AreaArguments<'till'> = {
  sell: [tenantField, actorField, asked, originField],
  sale: [tenantField, tillId, uniqueId],
  state: [tenantField, tillId, uniqueId],
  prompt: [tenantField, actorField, tillId, uniqueId, askedPrompt],
  cancel: [tenantField, actorField, tillId, uniqueId],
  sales: [tenantField, tillId, range, cursorField, limitField],
};
