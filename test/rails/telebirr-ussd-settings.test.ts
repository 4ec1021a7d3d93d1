import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { telebirrUssdSettings } from '../../src/rails/telebirr-ussd/settings.ts';
import { settingsFrom, TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/** Goal: the error of a wrong secret names the field, but never its value. */

const SECRET = 'do-not-tell\u0007';

function problems(json: unknown): Record<string, string> {
  const { issues } = v.safeParse(telebirrUssdSettings, json);
  return Object.fromEntries(
    (issues ?? []).map((issue) => [v.getDotPath(issue) ?? '', issue.message]),
  );
}

test('have required fields, and these defaults for the others', () => {
  expect(settingsFrom(TELEBIRR_USSD_SETTINGS)).toEqual({
    ...TELEBIRR_USSD_SETTINGS,
    namespace: 'cpsinterface',
    waitsForResult: false,
    phonePrefixes: ['2519', '2517'],
    relayHeaders: {},
    resultBaseUrl: null,
    resultToken: null,
    reasons: {},
    promptWindowSeconds: 120,
  });
});

test('accept all fields', () => {
  const all = {
    ...TELEBIRR_USSD_SETTINGS,
    relayUrl: 'http://10.1.2.3:8080/telebirr?to=cps',
    namespace: 'synccpsinterface',
    waitsForResult: true,
    phonePrefixes: ['2519'],
    relayHeaders: { 'CF-Access-Client-Id': 'a.access', 'CF-Access-Client-Secret': 'b c' },
    resultBaseUrl: 'http://10.1.2.3:8080/kefel/',
    resultToken: 'x'.repeat(32),
    reasons: { '1': 'insufficient_funds', E8003: 'wrong_pin', E8004: 'unknown' },
    promptWindowSeconds: 60,
  };
  expect(settingsFrom(all)).toEqual(all);
});

test.each([null, 'text', 1])('rejects %j', (json) => {
  expect(problems(json)).toEqual({ '': 'must be a JSON object' });
});

test('names each missing field', () => {
  const required = 'is missing';
  expect(problems({})).toEqual(
    Object.fromEntries(Object.keys(TELEBIRR_USSD_SETTINGS).map((name) => [name, required])),
  );
});

describe('a wrong field', () => {
  const wrong: readonly (readonly [field: string, value: unknown])[] = [
    ['relayUrl', `https://${SECRET}`],
    ['relayUrl', `ftp://${SECRET}`],
    ['relayUrl', `https://user:${SECRET.trim()}@relay.example.com/`],
    ['relayUrl', 'https:///path'],
    ['relayUrl', 'https://host:port/'],
    ['relayUrl', 1],
    ['relayUrl', null],
    ['relayHeaders', SECRET],
    ['relayHeaders.Authorization', { Authorization: SECRET }],
    ['relayHeaders.Authorization', { Authorization: 1 }],
    ['relayHeaders.Content-Type', { 'Content-Type': 'text/plain' }],
    ['relayHeaders.a b', { 'a b': 'x' }],
    ['resultBaseUrl', `https://relay.example.com/?${SECRET}`],
    ['resultBaseUrl', 'https://relay.example.com/?a'],
    ['namespace', SECRET],
    ['waitsForResult', 'true'],
    ['phonePrefixes', []],
    ['phonePrefixes.0', ['09']],
    ['resultToken', 'short'],
    ['resultToken', SECRET.repeat(10)],
    ['thirdPartyId', ''],
    ['thirdPartyId', ' x'],
    ['password', SECRET],
    ['password', 'x'.repeat(2_049)],
    ['operatorId', 200_001],
    ['securityCredential', `${SECRET}\n`],
    ['shortCode', '200 001'],
    ['shortCode', 200_001],
    ['reasons', SECRET],
    ['reasons.1', { '1': SECRET }],
    ['reasons.1', { '1': 'abandoned' }],
    ['reasons.0', { '0': 'declined' }],
    ['reasons.a b', { 'a b': 'declined' }],
    ['passphrase', SECRET],
  ];

  test.each(wrong)('%s', (path, value) => {
    const [field = ''] = path.split('.');
    const found = problems({ ...TELEBIRR_USSD_SETTINGS, [field]: value });
    expect(found).toEqual({ [path]: expect.stringMatching(/^(Must|is not a setting)/) });
    expect(found[path]).not.toContain('do-not-tell');
  });
});
