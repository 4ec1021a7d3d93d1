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

/**
 * Error codes with which the gateway rejects a request before it reaches the order system, so that
 * no order exists. They count at any HTTP status: the gateway sends them with 400 and with 500.
 *
 * Two codes are left out on purpose, and so are unclear. With 49401024991 ("southbound service
 * unavailable") the gateway lost the order system's answer or never reached it. 60320025 ("payment
 * platform failed") does not say either.
 */
const REFUSALS: Readonly<Record<string, FailureReason>> = {
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
};

/** The code of success. */
export const SUCCESS_CODE = '0';

/** Reads the answer to a signed call. HTTP 200 alone is not enough. */
export function readAnswer(answer: RailAnswer): CallResult {
  const message = answer.type === 'answered' ? jsonObject(answer.text) : null;
  if (answer.type === 'no_answer' || message === null) {
    return { type: 'unclear' };
  }
  const { result, biz_content: content } = message;
  const code = codeOf(message) ?? '';
  const reason = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
  if (reason !== undefined && result !== 'SUCCESS') {
    return { type: 'refused', reason };
  }
  const isSuccess = answer.status === 200 && result === 'SUCCESS' && code === SUCCESS_CODE;
  return isSuccess && isFields(content) ? { type: 'success', content } : { type: 'unclear' };
}

/** The code in an answer as telebirr wrote it; null when there is none. */
export function codeIn(answer: RailAnswer): string | null {
  const message = answer.type === 'answered' ? jsonObject(answer.text) : null;
  return message && codeOf(message);
}

function codeOf(message: Fields): string | null {
  return textOf(message.errorCode) ?? textOf(message.code);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
export function readToken(
  answer: RailAnswer,
): FreshToken | Extract<CallResult, { readonly type: 'refused' }> {
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
