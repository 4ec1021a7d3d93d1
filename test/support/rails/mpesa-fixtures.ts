import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import {
  type MpesaSettings,
  mpesaSettingsSchema,
} from '../../../src/engine/rails/mpesa/settings.ts';

/** The minimal settings of an operator, all invented. */
export const VALID_SETTINGS = {
  consumerKey: 'an-invented-key',
  consumerSecret: 'an-invented-secret',
  shortcode: '1020',
  passkey: 'invented-passkey',
};

/** A password, encrypted by a key of 2,048 bits. */
export const CREDENTIAL = Buffer.alloc(256, 'invented').toString('base64');

export const PHONE = '251711234567';

export const VECTORS = fixture('vectors');
export const SAMPLE_REQUEST = fixture('stk_request');
export const SAMPLE_ANSWER = fixture('stk_response');
export const SAMPLE_TOKEN_TEXT = fixtureText('token_response');
export const SAMPLE_ERRORS = fixture('errors');
export const SAMPLE_PAID = fixture('callback_success');
export const SAMPLE_FAILED = fixture('callback_fail');

export function settingsOf(secret: unknown): MpesaSettings {
  return v.parse(mpesaSettingsSchema, secret);
}

/** The text of the official sample request with other JSON values for some members. */
export function sampleRequestText(changed: Readonly<Record<string, string>>): string {
  let text = fixtureText('stk_request').trimEnd();
  for (const [name, json] of Object.entries(changed)) {
    const member = new RegExp(`"${name}":(?:"[^"]*"|[\\d.]+)`, 'g');
    if (text.match(member)?.length !== 1) {
      throw new Error(`the sample has not exactly one ${name}`);
    }
    text = text.replace(member, () => `"${name}":${json}`);
  }
  return text;
}

function fixture(name: string) {
  return JSON.parse(fixtureText(name));
}

function fixtureText(name: string): string {
  const url = new URL(`../../fixtures/rails/mpesa/${name}.json`, import.meta.url);
  return readFileSync(url, 'utf8');
}
