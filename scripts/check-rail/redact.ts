/**
 * What a provider answered, for the operator's terminal: without any text of the secret, without
 * tokens, and without customers' names and phone numbers.
 */

const HIDDEN = '[redacted]';

/** Shorter texts, such as a currency, would hide half of the answer. */
const SECRET_CHARACTERS_MIN = 4;

/** Settings that the operator must find again in an answer. */
const SHOWN_SETTINGS: ReadonlySet<string> = new Set(['paidStates', 'failedStates', 'reasons']);

/** Members and elements that carry credentials, or name a customer. */
const HIDDEN_NAME =
  '[\\w:]*(?:token|secret|password|credential|apikey|msisdn|phone|accountno|payer|party|balance|holder|pan)\\w*';
const HIDDEN_MEMBER = new RegExp(
  `("${HIDDEN_NAME}"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|[\\d.]+)`,
  'gi',
);
const HIDDEN_ELEMENT = new RegExp(`(<${HIDDEN_NAME}>)[^<]*`, 'gi');

/** Ethiopian mobile numbers; M-PESA's own ids end with one. */
const PHONE = /(?<!\d)(?:\+?251|0)?[79]\d{8}(?!\d)/g;
const MPESA_ID = /(ws_CO_\d*)\d{9}/g;

export function redacted(text: string, settings: unknown): string {
  const withoutSecrets = secretsIn(settings)
    .sort((one, other) => other.length - one.length)
    .reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  return withoutSecrets
    .replaceAll(HIDDEN_MEMBER, `$1"${HIDDEN}"`)
    .replaceAll(HIDDEN_ELEMENT, `$1${HIDDEN}`)
    .replaceAll(MPESA_ID, `$1${HIDDEN}`)
    .replaceAll(PHONE, HIDDEN);
}

function secretsIn(settings: unknown): string[] {
  if (typeof settings === 'string') {
    const isAddress = /^https?:/.test(settings);
    return settings.length >= SECRET_CHARACTERS_MIN && !isAddress ? [settings] : [];
  }
  if (typeof settings !== 'object' || settings === null) {
    return [];
  }
  return Object.entries(settings)
    .filter(([name]) => !SHOWN_SETTINGS.has(name))
    .flatMap(([, value]) => secretsIn(value));
}
