import { ConfigError } from '../kit/config-error.ts';
import type { KeyRing } from '../kit/crypto/key-ring.ts';
import { timeMsOf } from '../kit/ethiopian-time.ts';
import { isLoopback } from '../kit/loopback.ts';
import { minorFromMajor } from '../kit/money.ts';
import { LOCATION_HINTS, type Placement } from '../kit/platform/placement.ts';
import type { Environment } from '../kit/tenant.ts';
import { METHODS, type Method } from './domain/method.ts';
import { DAY_MS } from './domain/schedule.ts';

/** The bindings and variables as Cloudflare passes them. */
export type Bindings = Env;

/**
 * The largest request body (docs/decisions.md#7). 100 items with their texts fit.
 */
export const BODY_BYTES_MAX = 64 * 1024;

/** The variables and secrets, parsed once per isolate. */
export type Config = Readonly<ReturnType<typeof parsedConfig>>;

const parsed = new WeakMap<Bindings, Config>();

/** The typed configuration of `env`. Throws ConfigError naming the first bad variable. */
export function configOf(env: Bindings): Config {
  const known = parsed.get(env);
  if (known !== undefined) {
    return known;
  }
  const config = parsedConfig(env);
  parsed.set(env, config);
  return config;
}

function parsedConfig(env: Bindings) {
  return {
    /** Origin of the customers' pages, or null for the origin of the create request. */
    publicBaseUrl: origin('PUBLIC_BASE_URL', env.PUBLIC_BASE_URL),
    backOfficeBaseUrl: origin('BACK_OFFICE_BASE_URL', env.BACK_OFFICE_BASE_URL),
    expireInSecondsMin: positiveInteger('EXPIRE_IN_SECONDS_MIN', env.EXPIRE_IN_SECONDS_MIN),
    expireInSecondsMax: positiveInteger('EXPIRE_IN_SECONDS_MAX', env.EXPIRE_IN_SECONDS_MAX),
    callbackHttpsOnly: flag('CALLBACK_HTTPS_ONLY', env.CALLBACK_HTTPS_ONLY, 'true', 'false'),
    localCallbacks: flag('LOCAL_CALLBACKS', env.LOCAL_CALLBACKS, 'true', 'false'),
    rateLimits: flag('RATE_LIMITS', env.RATE_LIMITS, 'on', 'off'),
    methodLogos: methodLogos('METHOD_LOGOS', env.METHOD_LOGOS),
    support: supportOf(env),
    /** Whether the operator keeps the commission of refunded payments (docs/decisions.md#39). */
    keepsCommission: flag('REFUND_COMMISSION', env.REFUND_COMMISSION, 'keep', 'return'),
    /**
     * Two operators must agree about more than this, in minor units, when they record a payment or a
     * refund by hand; null: one operator is always enough.
     */
    secondOperatorAboveMinor: amountMinorOrOff('SECOND_OPERATOR_ABOVE', env.SECOND_OPERATOR_ABOVE),
    placement: placementOf(env),
    retention: retentionOf(env),
    linkSigningKeys: strongKeyRing('LINK_SIGNING_KEYS', env.LINK_SIGNING_KEYS),
    dataEncryptionKeys: strongKeyRing('DATA_ENCRYPTION_KEYS', env.DATA_ENCRYPTION_KEYS),
    /** Encrypt backups: 32 bytes each. */
    backupKeys: strongKeyRing('BACKUP_KEYS', env.BACKUP_KEYS),
    webhookRsaKeys: {
      sandbox: keyRing('WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX', env.WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX),
      production: keyRing(
        'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
        env.WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION,
      ),
    } satisfies Readonly<Record<Environment, KeyRing>>,
  };
}

/** The origin in a variable, or null for an empty one. Throws ConfigError. */
export function origin(name: string, value: string | undefined): string | null {
  if (value === undefined || value === '') {
    return null;
  }
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== value.replace(/\/$/, '')) {
    throw new ConfigError(`${name} must be an origin such as https://pay.example.com`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new ConfigError(`${name} must begin with https://`);
  }
  return url.origin;
}

function positiveInteger(name: string, value: string | undefined): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new ConfigError(`${name} must be a positive integer`);
  }
  return number;
}

const JURISDICTIONS = ['eu', 'us', 'fedramp', 'fedramp-high'] as const;

/** Where objects live. Throws ConfigError. Needs no secret. */
export function placementOf(
  env: Pick<Bindings, 'OBJECT_JURISDICTION' | 'OBJECT_LOCATION_HINT'>,
): Placement {
  return {
    jurisdiction: oneOrNone('OBJECT_JURISDICTION', env.OBJECT_JURISDICTION, JURISDICTIONS),
    locationHint: oneOrNone('OBJECT_LOCATION_HINT', env.OBJECT_LOCATION_HINT, LOCATION_HINTS),
  };
}

/** One of these words, or null for an empty variable. */
function oneOrNone<Word extends string>(
  name: string,
  value: string | undefined,
  words: readonly Word[],
): Word | null {
  if (value === undefined || value === '') {
    return null;
  }
  const word = words.find((known) => known === value);
  if (word === undefined) {
    throw new ConfigError(`${name} must be empty or one of ${words.join(', ')}`);
  }
  return word;
}

/**
 * Shorter, and a payment could be gone while the merchant may still refund it
 * (`REFUND_AGE_DAYS_MAX`), the customer opens its receipt (`RECEIPT_LIFETIME_MS`), or the provider
 * reports late money.
 */
export const RETENTION_PAYMENT_DAYS_MIN = 400;
/** Ten years: the longest time that a law of Ethiopia is quoted with (docs/retention.md). */
export const RETENTION_DAYS_MAX = 3_660;
/** The daily run compares a recorded receipt for so long, and a break-in is noticed later than that. */
const RETENTION_OTHER_DAYS_MIN = 30;

type RetentionVariable =
  | 'RETENTION_PAYMENT_DAYS'
  | 'RETENTION_AUDIT_ADDRESS_DAYS'
  | 'RETENTION_DEAD_LETTER_DAYS'
  | 'RETENTION_MANUAL_RECEIPT_DAYS';

/**
 * How long each kind of personal data is kept (docs/retention.md), in milliseconds. Throws
 * ConfigError. Needs no secret.
 */
export function retentionOf(env: Pick<Bindings, RetentionVariable>) {
  return {
    /** After the last change of a payment that has ended. */
    paymentMs: paymentRetentionMs(env),
    auditAddressMs: retentionMs('RETENTION_AUDIT_ADDRESS_DAYS', env.RETENTION_AUDIT_ADDRESS_DAYS),
    /** After an operator handled the letter, or it expired. */
    deadLetterMs: retentionMs('RETENTION_DEAD_LETTER_DAYS', env.RETENTION_DEAD_LETTER_DAYS),
    manualReceiptMs: retentionMs(
      'RETENTION_MANUAL_RECEIPT_DAYS',
      env.RETENTION_MANUAL_RECEIPT_DAYS,
    ),
  };
}

/** The part that objects read with each commit. */
export function paymentRetentionMs(env: Pick<Bindings, 'RETENTION_PAYMENT_DAYS'>): number {
  const value = env.RETENTION_PAYMENT_DAYS;
  return retentionMs('RETENTION_PAYMENT_DAYS', value, RETENTION_PAYMENT_DAYS_MIN);
}

/** A number of days, in milliseconds. Throws ConfigError. */
export function retentionMs(
  name: string,
  value: string | undefined,
  daysMin = RETENTION_OTHER_DAYS_MIN,
): number {
  const days = Number(value);
  if (!Number.isSafeInteger(days) || days < daysMin || days > RETENTION_DAYS_MAX) {
    throw new ConfigError(
      `${name} must be a number of days from ${daysMin} to ${RETENTION_DAYS_MAX}`,
    );
  }
  return days * DAY_MS;
}

/** An amount in major units, in minor units; null only for the word "off". */
function amountMinorOrOff(name: string, value: string | undefined): number | null {
  if (value === 'off') {
    return null;
  }
  const minor = /^[0-9.]+$/.test(value ?? '') ? minorFromMajor(Number(value)) : null;
  if (minor === null) {
    throw new ConfigError(`${name} must be "off" or an amount such as 5000 or 5000.50`);
  }
  return minor;
}

/** Whether a variable that knows two words says `on`. Throws ConfigError. */
export function flag(name: string, value: string | undefined, on: string, off: string): boolean {
  if (value !== on && value !== off) {
    throw new ConfigError(`${name} must be "${on}" or "${off}"`);
  }
  return value === on;
}

/** Where customers and merchants find help. Null where the operator names nothing. */
export interface Support {
  readonly contact: PublicLink | null;
  readonly status: PublicLink | null;
}

export interface PublicLink {
  readonly href: string;
  /** What a page shows of it: the address, the number, or the URL without its scheme. */
  readonly text: string;
}

const EMAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const TELEPHONE = /^\+?[0-9]{3,15}$/;

/** SUPPORT_CONTACT and STATUS_URL. Throws ConfigError. Needs no secret. */
export function supportOf(env: Pick<Bindings, 'SUPPORT_CONTACT' | 'STATUS_URL'>): Support {
  return {
    contact: supportContact('SUPPORT_CONTACT', env.SUPPORT_CONTACT),
    status: webLink('STATUS_URL', env.STATUS_URL),
  };
}

/** The last day of a secret, a certificate or a contract, which only the operator knows. */
export interface SecretEnd {
  readonly name: string;
  readonly endsAtMs: number;
}

const SECRET_END = /^([A-Z][A-Z0-9_]{0,99})=(\d{4}-\d\d-\d\d)$/;

/**
 * SECRET_ENDS, `RAIL_M_PESA_PRODUCTION=2027-01-31, …`. Throws ConfigError. Not in `Config`: a mistake in
 * a date must not stop payments.
 */
export function secretEndsOf({ SECRET_ENDS }: Pick<Bindings, 'SECRET_ENDS'>): readonly SecretEnd[] {
  const entries = (SECRET_ENDS ?? '').split(',').filter((entry) => entry.trim() !== '');
  return entries.map((entry) => {
    const [, name, day] = SECRET_END.exec(entry.trim()) ?? [];
    const endsAtMs = timeMsOf(day ?? '');
    if (name === undefined || endsAtMs === null) {
      throw new ConfigError('SECRET_ENDS must be a list of NAME=2027-01-31, separated by commas');
    }
    return { name, endsAtMs };
  });
}

/** An e-mail address or a telephone number, which may have spaces; null for any other text. */
export function contactLink(text: string): PublicLink | null {
  if (EMAIL.test(text)) {
    return { href: `mailto:${text}`, text };
  }
  const number = text.replaceAll(' ', '');
  return TELEPHONE.test(number) ? { href: `tel:${number}`, text } : null;
}

function supportContact(name: string, value: string | undefined): PublicLink | null {
  const link = contactLink(value?.replace(/^(?:mailto|tel):/, '') ?? '');
  // A phone number needs its scheme; an e-mail address may have one.
  if (link !== null && [value, `mailto:${value}`].includes(link.href)) {
    return link;
  }
  return webLink(name, value, 'an e-mail address, tel:+251… or ');
}

function webLink(name: string, value: string | undefined, others = ''): PublicLink | null {
  if (value === undefined || value === '') {
    return null;
  }
  const url = URL.parse(value);
  if (url?.protocol !== 'https:' || url.username !== '') {
    throw new ConfigError(`${name} must be ${others}an address that begins with https://`);
  }
  return { href: url.href, text: url.href.slice('https://'.length).replace(/\/$/, '') };
}

/** The path of a method's logo, for the methods that have one. */
export type MethodLogos = Readonly<Partial<Record<Method, string>>>;

/** One method and its file below `public/logos`, as in `M_PESA=m-pesa.svg`. */
const LOGO_ENTRY = /^([A-Z_]+)=([a-z0-9][a-z0-9._-]{0,60}\.(?:svg|png|webp))$/;

function methodLogos(name: string, value: string | undefined): MethodLogos {
  const entries = (value ?? '').split(',').filter((entry) => entry.trim() !== '');
  const logos = entries.map((entry) => {
    const [, wanted, file] = LOGO_ENTRY.exec(entry.trim()) ?? [];
    const method = METHODS.find((known) => known === wanted);
    if (method === undefined || file === undefined) {
      throw new ConfigError(`${name} must be a list of METHOD=file.svg, separated by commas`);
    }
    return [method, `/logos/${file}`];
  });
  return Object.fromEntries(logos);
}

/** Parses a ring written as `id:base64,id:base64`. Throws ConfigError naming the variable. */
export function keyRing(name: string, value: string | undefined): KeyRing {
  const entries = (value ?? '').split(',').map((entry) => entry.trim());
  const keys = entries.map((entry) => {
    const parts = /^([A-Za-z0-9]{1,16}):([A-Za-z0-9+/]+={0,2})$/.exec(entry);
    if (parts?.[1] === undefined || parts[2] === undefined) {
      throw new ConfigError(`${name} must be a list of keyId:base64, separated by commas`);
    }
    return { keyId: parts[1], base64: parts[2] };
  });
  if (new Set(keys.map((key) => key.keyId)).size !== keys.length) {
    throw new ConfigError(`${name} names a key id twice`);
  }
  const [first, ...older] = keys;
  if (first === undefined) {
    throw new ConfigError(`${name} is empty`);
  }
  return [first, ...older];
}

/** The length of an HMAC-SHA-256. An attacker could guess a shorter key and forge links. */
const SYMMETRIC_KEY_BYTES_MIN = 32;

/** A ring of symmetric keys of sufficient length. Errors contain a key's id, never its value. */
export function strongKeyRing(name: string, value: string | undefined): KeyRing {
  const keys = keyRing(name, value);
  for (const { keyId, base64 } of keys) {
    if (lengthOf(base64) < SYMMETRIC_KEY_BYTES_MIN) {
      throw new ConfigError(
        `${name}: key ${keyId} must be base64 of ${SYMMETRIC_KEY_BYTES_MIN} bytes or more`,
      );
    }
  }
  return keys;
}

function lengthOf(base64: string): number {
  try {
    return atob(base64).length;
  } catch {
    // Not base64. The cause is dropped, because it could quote the key.
    return 0;
  }
}
