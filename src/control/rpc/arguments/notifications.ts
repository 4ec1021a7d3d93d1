import * as v from 'valibot';
import { booleanField } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import {
  type AreaArguments,
  actorField,
  choicesField,
  originField,
  shortField,
  tenantField,
  typedField,
} from './fields.ts';

const typed = body({
  address: v.nullable(typedField),
  language: typedField,
  eventTypes: choicesField,
  isToldNeeds: booleanField,
  paymentLinkUniqueId: typedField,
  till: v.optional(body({ id: shortField, name: typedField })),
});

export const NOTIFICATIONS: AreaArguments<'notifications'> = {
  ways: [],
  connect: [tenantField, actorField, typed, originField],
  connection: [tenantField, shortField],
  confirm: [tenantField, actorField, shortField, typedField],
};
