import * as v from 'valibot';
import { OVERLAP_HOURS } from '../../../engine/webhooks/secret-rules.ts';
import { booleanField, oneOf } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import {
  type AreaArguments,
  actorField,
  choicesField,
  originField,
  tenantField,
  typedField,
} from './fields.ts';

const typedEndpoint = body({
  url: typedField,
  description: typedField,
  eventTypes: choicesField,
  signatureHeader: typedField,
});
const endpointId = typedField;
const secretId = typedField;
const ofEndpoint = v.nullable(endpointId);

export const WEBHOOKS: AreaArguments<'webhooks'> = {
  settings: [tenantField],
  endpoint: [tenantField, endpointId],
  checkEndpoint: [typedEndpoint, originField],
  createEndpoint: [tenantField, actorField, typedEndpoint, originField],
  editEndpoint: [tenantField, actorField, endpointId, typedEndpoint, originField],
  switchEndpoint: [tenantField, actorField, endpointId, booleanField],
  deleteEndpoint: [tenantField, actorField, endpointId],
  resume: [tenantField, actorField, typedField],
  setCallbackHeader: [tenantField, actorField, typedField],
  secrets: [tenantField, ofEndpoint],
  addSecret: [tenantField, actorField, ofEndpoint, oneOf(OVERLAP_HOURS)],
  showSecret: [tenantField, actorField, ofEndpoint, secretId],
  endSecret: [tenantField, actorField, ofEndpoint, secretId],
  sendTest: [
    tenantField,
    actorField,
    body({ typed: typedField, endpoint: typedField }),
    originField,
  ],
};
