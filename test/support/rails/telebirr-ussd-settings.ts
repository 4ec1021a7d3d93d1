import * as v from 'valibot';
import {
  type TelebirrUssdSettings,
  telebirrUssdSettings,
} from '../../../src/rails/telebirr-ussd/settings.ts';

/** The least that an operator configures; the values are those of the public sample request. */
export const TELEBIRR_USSD_SETTINGS = {
  relayUrl: 'https://relay.example.com/telebirr',
  thirdPartyId: 'THIRDPARTY',
  password: 'ENCRYPTED_BASE64_GIVEN',
  operatorId: 'OPERATOR',
  securityCredential: 'ENCRYPTED_BASE64_GIVEN',
  shortCode: '200001',
};

/** An operator's JSON as the gateway reads it. */
export function settingsFrom(json: unknown): TelebirrUssdSettings {
  return v.parse(telebirrUssdSettings, json);
}
