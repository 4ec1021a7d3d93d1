import * as v from 'valibot';
import { KEY_PERMISSIONS } from '../../../engine/merchants/key-permissions.ts';
import { listOf, oneOf } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { OVERLAPS_MS, type Overlap } from '../../merchants/key-rules.ts';
import { merchantIdField } from '../../operator/fields.ts';
import { type AreaArguments, actorField, shortField, tenantField, typedField } from './fields.ts';

const keyForm = body({
  formId: shortField,
  permissions: v.nullable(listOf(oneOf(KEY_PERMISSIONS), KEY_PERMISSIONS.length)),
});

/** A posted form with a logo is smaller. The logo's own limit is for the member to read. */
const LOGO_FORM_BYTES_MAX = 64 * 1_024;
const logo = v.custom<Uint8Array<ArrayBuffer>>(
  (value) => value instanceof Uint8Array && value.byteLength <= LOGO_FORM_BYTES_MAX,
);

const business = body({
  legalName: typedField,
  tin: typedField,
  vatNumber: typedField,
  address: typedField,
  contact: typedField,
});

export const SETTINGS: AreaArguments<'settings'> = {
  changeBranding: [
    tenantField,
    actorField,
    v.union([body({ color: v.nullable(typedField) }), body({ logo: v.nullable(logo) })]),
  ],
  changeBusiness: [tenantField, actorField, business],
  changeBankCode: [tenantField, actorField, typedField, v.nullable(typedField)],
  createKey: [tenantField, actorField, typedField, keyForm],
  renameKey: [tenantField, actorField, typedField, typedField],
  revokeKey: [tenantField, actorField, typedField],
  rollKey: [
    tenantField,
    actorField,
    typedField,
    oneOf(Object.keys(OVERLAPS_MS) as Overlap[]),
    keyForm,
  ],
  merchant: [merchantIdField],
  keys: [tenantField],
  key: [tenantField, typedField],
  business: [merchantIdField],
  bankCode: [merchantIdField],
  branding: [merchantIdField],
};
