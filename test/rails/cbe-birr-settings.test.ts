import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { cbeBirrSettingsSchema } from '../../src/rails/cbe-birr/settings.ts';

describe('settings', () => {
  const given = {
    user: 'shop',
    password: 'word and more',
    tillCode: '003',
    secret: 'shh',
    paidStates: ['PAID'],
  };

  test('has defaults, but none for CBE’s states', () => {
    expect(v.parse(cbeBirrSettingsSchema, given)).toEqual({
      ...given,
      baseUrl: 'https://cbebirrpaymentgateway.cbe.com.et:8888',
      statusBaseUrl: null,
      failedStates: [],
      transactionIdCharactersMax: 36,
      pageWindowSeconds: 300,
    });
  });

  test('strips trailing slashes from URLs, and trims and upper-cases states', () => {
    const all = {
      ...given,
      baseUrl: 'https://page.example/',
      statusBaseUrl: 'http://relay.example:81/cbe/',
      paidStates: [' Ok '],
      failedStates: [],
      transactionIdCharactersMax: 79,
      pageWindowSeconds: 60,
    };
    expect(v.parse(cbeBirrSettingsSchema, all)).toEqual({
      ...given,
      baseUrl: 'https://page.example',
      statusBaseUrl: 'http://relay.example:81/cbe',
      paidStates: ['OK'],
      failedStates: [],
      transactionIdCharactersMax: 79,
      pageWindowSeconds: 60,
    });
  });

  test.each([[null], ['text'], [7]])('rejects %j', (all) => {
    const result = v.safeParse(cbeBirrSettingsSchema, all);
    expect(result.issues?.map(({ message }) => message)).toEqual(['must be a JSON object']);
  });

  test('names each missing field', () => {
    const result = v.safeParse(cbeBirrSettingsSchema, {});
    expect(result.issues?.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
      ['user', 'is missing'],
      ['password', 'is missing'],
      ['tillCode', 'is missing'],
      ['secret', 'is missing'],
      ['paidStates', 'is missing'],
    ]);
  });

  test.each([
    ['user', { user: '' }],
    ['user', { user: ' 77123' }],
    ['password', { password: '77123\n' }],
    ['tillCode', { tillCode: '77123\t' }],
    ['secret', { secret: '77123\u00a0' }],
    ['secret', { secret: 'ሚስጥር77123' }],
    ['password', { password: 7 }],
    ['tillCode', { tillCode: 77_123 }],
    ['secret', { secret: undefined }],
    ['baseUrl', { baseUrl: 'ftp://77123.example' }],
    ['baseUrl', { baseUrl: 'https://me:77123@cbe.example' }],
    ['baseUrl', { baseUrl: 'https://cbe.example/?77123' }],
    ['statusBaseUrl', { statusBaseUrl: '77123' }],
    ['paidStates', { paidStates: [] }],
    ['paidStates', { paidStates: '77123' }],
    ['paidStates.0', { paidStates: [' '] }],
    ['failedStates.1', { failedStates: ['a', '77123'.repeat(30)] }],
    ['failedStates', { paidStates: ['77123'], failedStates: ['77123'] }],
    ['transactionIdCharactersMax', { transactionIdCharactersMax: 19 }],
    ['transactionIdCharactersMax', { transactionIdCharactersMax: 36.5 }],
    ['transactionIdCharactersMax', { transactionIdCharactersMax: '36' }],
    ['extra', { extra: '77123' }],
  ])('names a wrong %s but never its value: %j', (path, changed) => {
    const result = v.safeParse(cbeBirrSettingsSchema, { ...given, ...changed });
    expect(result.issues?.map((issue) => v.getDotPath(issue))).toEqual([path]);
    expect(result.issues?.[0].message).toMatch(/^(?:must|is not a setting) ?/i);
    expect(result.issues?.[0].message).not.toContain('77123');
  });
});
