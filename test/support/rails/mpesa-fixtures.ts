import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { type MpesaSettings, mpesaSettingsSchema } from '../../../src/rails/mpesa/settings.ts';

/** The least that an operator must give; none of it is anybody's. */
export const VALID_SETTINGS = {
  consumerKey: 'an-invented-key',
  consumerSecret: 'an-invented-secret',
  shortcode: '1020',
  passkey: 'invented-passkey',
};

export const VECTORS = fixture('vectors');
export const SAMPLE_REQUEST = fixture('stk_request');
export const SAMPLE_ANSWER = fixture('stk_response');
export const SAMPLE_TOKEN = fixture('token_response');
export const SAMPLE_ERRORS = fixture('errors');
export const SAMPLE_PAID = fixture('callback_success');
export const SAMPLE_FAILED = fixture('callback_fail');

export function settingsOf(secret: unknown): MpesaSettings {
  return v.parse(mpesaSettingsSchema, secret);
}

/** What the schema finds wrong with which field of a secret. */
export function issuesOf(secret: unknown): readonly string[] {
  return (v.safeParse(mpesaSettingsSchema, secret).issues ?? []).map((issue) =>
    [v.getDotPath(issue) ?? [], issue.message].flat().join(': '),
  );
}

function fixture(name: string) {
  const url = new URL(`../../fixtures/rails/mpesa/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}
