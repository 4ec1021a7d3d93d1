import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { type Bindings, configOf, RETENTION_PAYMENT_DAYS_MIN } from '../../../src/engine/config.ts';
import {
  CHECKS_STOP_AFTER_MS,
  DAY_MS,
  RECEIPT_LIFETIME_MS,
} from '../../../src/engine/domain/schedule.ts';
import { REFUND_AGE_DAYS_MAX } from '../../../src/engine/merchants/refund-limits.ts';
import { ConfigError } from '../../../src/kit/config-error.ts';
import { testSecrets } from '../../support/secrets.ts';

const SECRETS = testSecrets();
const VARIABLES = {
  PUBLIC_BASE_URL: '',
  EXPIRE_IN_SECONDS_MIN: '5',
  EXPIRE_IN_SECONDS_MAX: '31622400',
  CALLBACK_HTTPS_ONLY: 'false',
  LOCAL_CALLBACKS: 'false',
  RATE_LIMITS: 'on',
  REFUND_COMMISSION: 'return',
  SECOND_OPERATOR_ABOVE: '5000',
  RETENTION_PAYMENT_DAYS: '400',
  RETENTION_AUDIT_ADDRESS_DAYS: '90',
  RETENTION_DEAD_LETTER_DAYS: '30',
  RETENTION_MANUAL_RECEIPT_DAYS: '3660',
};

function configWith(changes: Record<string, string | undefined>) {
  return configOf({ ...VARIABLES, ...SECRETS, ...changes } as unknown as Bindings);
}

const base64Of = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');

test('decisions.md#1: reads the defaults of wrangler.toml', () => {
  expect(configWith({})).toMatchObject({
    publicBaseUrl: null,
    expireInSecondsMin: 5,
    expireInSecondsMax: 31_622_400,
    callbackHttpsOnly: false,
    rateLimits: true,
  });
});

test('decisions.md#26: accepts an origin with or without a final slash', () => {
  expect(configWith({ PUBLIC_BASE_URL: 'https://pay.example.com/' }).publicBaseUrl).toBe(
    'https://pay.example.com',
  );
});

test.each(['http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787'])(
  'accepts the origin %s for local development',
  (url) => {
    expect(configWith({ PUBLIC_BASE_URL: url }).publicBaseUrl).toBe(url);
  },
);

test('decisions.md#32: keys have ids and overlap, and the first one signs', () => {
  const ring = `b:${base64Of(32)}, a:${base64Of(33)}`;
  const keys = configWith({ LINK_SIGNING_KEYS: ring }).linkSigningKeys;
  expect(keys.map(({ keyId }) => keyId)).toEqual(['b', 'a']);
});

test('decisions.md#24: keeps each kind of personal data as long as the operator sets', () => {
  expect(configWith({}).retention).toEqual({
    paymentMs: 400 * DAY_MS,
    auditAddressMs: 90 * DAY_MS,
    deadLetterMs: 30 * DAY_MS,
    manualReceiptMs: 3_660 * DAY_MS,
  });
});

test('keeps a payment at least as long as a merchant may refund it and a customer sees its receipt', () => {
  expect(RETENTION_PAYMENT_DAYS_MIN).toBeGreaterThanOrEqual(REFUND_AGE_DAYS_MAX);
  expect(RETENTION_PAYMENT_DAYS_MIN * DAY_MS).toBeGreaterThanOrEqual(RECEIPT_LIFETIME_MS);
  expect(RETENTION_PAYMENT_DAYS_MIN * DAY_MS).toBeGreaterThanOrEqual(CHECKS_STOP_AFTER_MS);
});

test('reads which methods have a logo', () => {
  expect(configWith({ METHOD_LOGOS: 'M_PESA=m-pesa.svg, CBE=cbe_birr.2.png' }).methodLogos).toEqual(
    {
      M_PESA: '/logos/m-pesa.svg',
      CBE: '/logos/cbe_birr.2.png',
    },
  );
  expect(configWith({ METHOD_LOGOS: '' }).methodLogos).toEqual({});
});

test.each([
  ['help@pay.example.com', 'mailto:help@pay.example.com', 'help@pay.example.com'],
  ['mailto:help@pay.example.com', 'mailto:help@pay.example.com', 'help@pay.example.com'],
  ['tel:+251911234567', 'tel:+251911234567', '+251911234567'],
  ['https://pay.example.com/help/', 'https://pay.example.com/help/', 'pay.example.com/help'],
])('reads the support contact %s', (value, href, text) => {
  expect(configWith({ SUPPORT_CONTACT: value, STATUS_URL: '' }).support).toEqual({
    contact: { href, text },
    status: null,
  });
});

test('reads the status address', () => {
  expect(configWith({ STATUS_URL: 'https://status.example.com' }).support).toEqual({
    contact: null,
    status: { href: 'https://status.example.com/', text: 'status.example.com' },
  });
});

test.each([
  ['off', null],
  ['5000', 500_000],
  ['5000.50', 500_050],
  ['0', 0],
])('more than SECOND_OPERATOR_ABOVE = "%s" by hand needs two operators', (value, minor) => {
  expect(configWith({ SECOND_OPERATOR_ABOVE: value, REFUND_COMMISSION: 'keep' })).toMatchObject({
    secondOperatorAboveMinor: minor,
    keepsCommission: true,
  });
});

test.each<[string, string | undefined]>([
  ['REFUND_COMMISSION', 'half'],
  ['SECOND_OPERATOR_ABOVE', undefined],
  ['SECOND_OPERATOR_ABOVE', ''],
  ['SECOND_OPERATOR_ABOVE', 'many'],
  ['SECOND_OPERATOR_ABOVE', '-5'],
  ['SECOND_OPERATOR_ABOVE', '5.005'],
  ['SECOND_OPERATOR_ABOVE', '1.2.3'],
  ['OBJECT_JURISDICTION', 'et'],
  ['OBJECT_LOCATION_HINT', 'addis'],
  ['RETENTION_PAYMENT_DAYS', '399'],
  ['RETENTION_PAYMENT_DAYS', '3661'],
  ['RETENTION_PAYMENT_DAYS', '400.5'],
  ['RETENTION_PAYMENT_DAYS', ''],
  ['RETENTION_AUDIT_ADDRESS_DAYS', '29'],
  ['RETENTION_DEAD_LETTER_DAYS', '0'],
  ['RETENTION_MANUAL_RECEIPT_DAYS', 'forever'],
  ['METHOD_LOGOS', 'm-pesa.svg'],
  ['METHOD_LOGOS', 'BITCOIN=b.svg'],
  ['METHOD_LOGOS', 'M_PESA=../m-pesa.svg'],
  ['METHOD_LOGOS', 'M_PESA=https://example.com/m-pesa.svg'],
  ['METHOD_LOGOS', 'M_PESA=m-pesa.js'],
  ['SUPPORT_CONTACT', '0911234567'],
  ['SUPPORT_CONTACT', 'help@localhost'],
  ['SUPPORT_CONTACT', 'javascript:alert(1)'],
  ['SUPPORT_CONTACT', 'https://user@example.com'],
  ['STATUS_URL', 'http://status.example.com'],
  ['STATUS_URL', 'status@example.com'],
  ['PUBLIC_BASE_URL', 'https://pay.example.com/path'],
  ['PUBLIC_BASE_URL', 'pay.example.com'],
  ['PUBLIC_BASE_URL', 'http://pay.example.com'],
  ['PUBLIC_BASE_URL', 'http://127.0.0.1.example.com'],
  ['EXPIRE_IN_SECONDS_MIN', '0'],
  ['EXPIRE_IN_SECONDS_MAX', 'a year'],
  ['CALLBACK_HTTPS_ONLY', 'yes'],
  ['RATE_LIMITS', ''],
  ['LINK_SIGNING_KEYS', undefined],
  ['LINK_SIGNING_KEYS', 'no-colon'],
  ['LINK_SIGNING_KEYS', `a:${base64Of(32)},a:${base64Of(33)}`],
  ['WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX', '-----BEGIN PRIVATE KEY-----'],
])('the error for %s = %s names the variable without its value', (name, value) => {
  const read = () => configWith({ [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(name);
  if (value?.includes('BEGIN')) {
    expect(read).not.toThrow('BEGIN');
  }
});

test.each([
  ['LINK_SIGNING_KEYS', 'AA=='],
  ['LINK_SIGNING_KEYS', base64Of(31)],
  ['LINK_SIGNING_KEYS', 'A'.repeat(45)],
  ['DATA_ENCRYPTION_KEYS', base64Of(31)],
])('refuses a short key in %s by variable and key id, without its value: %s', (name, key) => {
  const read = () => configWith({ [name]: `k2:${base64Of(32)},k1:${key}` });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`${name}: key k1 must be base64 of 32 bytes or more`);
  expect(read).not.toThrow(key);
});

test('wrangler.toml keeps paths, which hold tokens, out of the logs but keeps our log lines', () => {
  const text = readFileSync(new URL('../../../wrangler.toml', import.meta.url), 'utf8');
  expect(parse(text).observability).toEqual({
    enabled: true,
    redact_query_string: true,
    logs: { enabled: true, invocation_logs: false },
  });
});
