import * as v from 'valibot';
import type { LinkFilter } from '../../../engine/register/link-table.ts';
import { booleanField, objectField } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import {
  type AreaArguments,
  actorField,
  cursorField,
  limitField,
  originField,
  rangeEntries,
  shortField,
  tenantField,
  typedField,
} from './fields.ts';

const filter: v.GenericSchema<unknown, LinkFilter> = body({
  isActive: v.optional(booleanField),
  ...rangeEntries,
});
/** The functions validate it by the schema of the API. */
const sent = objectField;
const code = shortField;

export const LINKS: AreaArguments<'links'> = {
  list: [tenantField, filter, cursorField, limitField, originField],
  link: [tenantField, code, originField],
  sign: [tenantField, code, originField],
  payments: [tenantField, typedField, cursorField, limitField],
  create: [tenantField, actorField, sent, originField],
  edit: [tenantField, actorField, code, sent, originField],
  setActive: [tenantField, actorField, code, booleanField],
};
