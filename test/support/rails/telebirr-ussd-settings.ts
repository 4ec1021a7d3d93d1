import * as v from 'valibot';
import {
  type TelebirrUssdSettings,
  telebirrUssdSettings,
} from '../../../src/engine/rails/telebirr-ussd/settings.ts';

/** An operator's minimal settings, with the values of the public sample request. */
export const TELEBIRR_USSD_SETTINGS = {
  relayUrl: 'https://relay.example.com/telebirr',
  thirdPartyId: 'THIRDPARTY',
  password: 'ENCRYPTED_BASE64_GIVEN',
  operatorId: 'OPERATOR',
  securityCredential: 'ENCRYPTED_BASE64_GIVEN',
  shortCode: '200001',
};

/** An operator's JSON, parsed as the gateway does. */
export function settingsFrom(json: unknown): TelebirrUssdSettings {
  return v.parse(telebirrUssdSettings, json);
}
