import type { FailureReason } from '../../domain/intent.ts';
import { jsonObject, type RailAnswer } from '../call-rail.ts';
import { type Fields, textOf } from './signature.ts';

/** What telebirr's answer means. `providerCode`: its error code. */
export type CallResult =
  | { readonly type: 'success'; readonly content: Fields }
  /** telebirr certainly created no order. */
  | {
      readonly type: 'refused';
      readonly reason: FailureReason;
      readonly providerCode?: string | null;
    }
  /** telebirr may or may not have acted. */
  | { readonly type: 'unclear'; readonly providerCode?: string | null };

/** telebirr gave no token, so it got no call. */
export interface TokenRefused {
  readonly type: 'refused';
  readonly reason: 'misconfigured' | 'rail_unavailable';
  readonly providerCode?: string | null;
}

/**
 * Error codes whose reason is known. They count at any HTTP status: the gateway sends them with
 * 400 and with 500.
 */
export const REFUSALS: Readonly<Record<string, FailureReason>> = {
  /** Our signature is invalid: another key, or another padding. */
  '60200099': 'misconfigured',
  /** No such merchant code. */
  '60200087': 'misconfigured',
  /** A malformed parameter: most often the two app ids are mixed up. */
  '49401024995': 'misconfigured',
  /** A required parameter is empty. */
  '60320006': 'misconfigured',
  /** No such call at this URL. */
  '49401026001': 'misconfigured',
  /** Too many calls; the next may pass. */
  '49401021002': 'rail_unavailable',
  /** Southbound service unavailable. */
  '49401024991': 'rail_unavailable',
  /** Payment platform failed. */
  '60320025': 'rail_unavailable',
};

/** The code of success. */
export const SUCCESS_CODE = '0';

/** The spellings of the success code: a live host answers queries with `00000`. */
const SUCCESS_CODES: ReadonlySet<string> = new Set([SUCCESS_CODE, '00000']);

/** Reads the answer to a signed call. HTTP 200 alone is not enough. */
export function readAnswer(answer: RailAnswer): CallResult {
  const message = answer.type === 'answered' ? jsonObject(answer.text) : null;
  if (answer.type === 'no_answer' || message === null) {
    return { type: 'unclear' };
  }
  const result = message.result ?? null;
  const code = codeOf(message) ?? '';
  const content = snakeCased(message.biz_content ?? message.bizContent);
  const isSuccess = SUCCESS_CODES.has(code);
  const hasActed = Boolean(content?.prepay_id ?? content?.refund_status);
  if (!isSuccess && result !== 'SUCCESS' && isOwnCode(code) && !hasActed) {
    // Without a prepay_id there is no page, so the customer cannot pay the order even if it exists.
    return { type: 'refused', reason: REFUSALS[code] ?? 'declined' };
  }
  const isWhole = isSuccess && answer.status === 200 && (result === 'SUCCESS' || result === null);
  return isWhole && content !== null ? { type: 'success', content } : { type: 'unclear' };
}

const ERROR_CODE = /^\d{1,16}$/;

/** telebirr's own codes are digits; anything else may come from a proxy. */
export function isOwnCode(code: string): boolean {
  return ERROR_CODE.test(code);
}

/**
 * `merchOrderId` as `merch_order_id`: the documentation has the one form, some hosts answer in the
 * other. Null when a name is there in both forms with different values, which proves nothing.
 */
function snakeCased(content: unknown): Fields | null {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return null;
  }
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(content)) {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (fields.has(snake) && fields.get(snake) !== value) {
      return null;
    }
    fields.set(snake, value);
  }
  return Object.fromEntries(fields);
}

/** The code in an answer as telebirr wrote it; null when there is none. */
export function codeIn(answer: RailAnswer): string | null {
  const message = answer.type === 'answered' ? jsonObject(answer.text) : null;
  return message && codeOf(message);
}

function codeOf(message: Fields): string | null {
  return textOf(message.errorCode) ?? textOf(message.code);
}

/** A token and its lifetime, counted from the request. */
export interface FreshToken {
  readonly type: 'token';
  readonly token: string;
  readonly lifetimeMs: number;
}

/** Ready for the header `Authorization`, "Bearer" included. */
const TOKEN = /^[\x21-\x7e]{1,32} ?[\x21-\x7e]{1,4096}$/;

/** Codes about telebirr's state, not about our credentials. */
const UNAVAILABLE = new Set(['49401024991', '49401021002']);
const TOO_MANY_REQUESTS = 429;

/** Reads the answer to a token request. It moves no money, so no answer is a refusal too. */
export function readToken(answer: RailAnswer): FreshToken | TokenRefused {
  const message = answer.type === 'answered' ? jsonObject(answer.text) : null;
  if (answer.type === 'no_answer') {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  const token = textOf(message?.token);
  if (answer.status === 200 && token !== null && TOKEN.test(token)) {
    const lifetimeMs = lifetimeOf(textOf(message?.effectiveDate), textOf(message?.expirationDate));
    return { type: 'token', token, lifetimeMs };
  }
  const code = textOf(message?.errorCode);
  const isOurs =
    code === null
      ? answer.status >= 400 && answer.status < 500 && answer.status !== TOO_MANY_REQUESTS
      : !UNAVAILABLE.has(code);
  return { type: 'refused', reason: isOurs ? 'misconfigured' : 'rail_unavailable' };
}

/** The time between two timestamps without a time zone; 0 when they are malformed. */
function lifetimeOf(effective: string | null, expiration: string | null): number {
  const lifetimeMs = timeMs(expiration) - timeMs(effective);
  return Number.isFinite(lifetimeMs) ? Math.max(lifetimeMs, 0) : 0;
}

/** `yyyyMMddHHmmss`, read as UTC; NaN for anything else. */
function timeMs(text: string | null): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text ?? '');
  if (parts === null) {
    return Number.NaN;
  }
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map(Number);
  return Date.UTC(year, month - 1, day, hours, minutes, seconds);
}

/** Minor units of an amount in major units, zeros after two decimals allowed; null otherwise. */
export function minorFromText(text: string): number | null {
  const parts = /^(\d{1,12})(?:\.(\d{1,2})0{0,4})?$/.exec(text);
  return parts === null ? null : Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
}
