import { ethiopianTimeMs } from '../../../kit/ethiopian-time.ts';
import type { FailureReason } from '../../domain/attempt.ts';
import type { FreshToken, NoToken } from '../bearer-tokens.ts';
import type { RailAnswer } from '../call-rail.ts';
import { isAbsent, jsonObject, type Members, matching, membersOf, scalarOf } from '../members.ts';
import { meaningOfStatus, STATUSES } from '../statuses.ts';

/** What telebirr's answer means. `providerCode`: its error code. */
export type CallResult =
  | { readonly type: 'success'; readonly content: Members }
  /** telebirr certainly created no order. */
  | {
      readonly type: 'refused';
      readonly reason: FailureReason;
      readonly providerCode?: string | null;
    }
  /** telebirr may or may not have acted. */
  | { readonly type: 'unclear'; readonly providerCode?: string | null };

/** "API not found". */
const NO_SUCH_CALL = '49401026001';
const NOT_FOUND = 404;

/**
 * Error codes whose reason is known. They count at any HTTP status: the gateway sends them with
 * 400 and with 500.
 */
const REFUSALS: Readonly<Record<string, FailureReason>> = {
  /** No valid token, as a code. */
  '401': 'misconfigured',
  /** The account has no contract for this product. */
  '60200098': 'misconfigured',
  /** Our signature is invalid: another key, or another padding. */
  '60200099': 'misconfigured',
  /** No such merchant code. */
  '60200087': 'misconfigured',
  /** A malformed parameter: most often the two app ids are mixed up. */
  '49401024995': 'misconfigured',
  /** A required parameter is empty. */
  '60320006': 'misconfigured',
  /** No such call at this URL. */
  [NO_SUCH_CALL]: 'misconfigured',
  /** Too many calls; the next may pass. */
  '49401021002': 'rail_unavailable',
  /** Southbound service unavailable. */
  '49401024991': 'rail_unavailable',
  /** Payment platform failed. */
  '60320025': 'rail_unavailable',
};

const INTERNAL_ERROR = '500';

/** Why telebirr refused a call, if the code tells. */
export function refusalReason(code: string, status: number | null): FailureReason | undefined {
  const isInternalError = code === INTERNAL_ERROR && status !== null && status >= 500;
  return isInternalError ? 'rail_unavailable' : REFUSALS[code];
}

/** The code of success. */
export const SUCCESS_CODE = '0';

/** The spellings of the success code: a live host answers queries with `00000`. */
export const SUCCESS_CODES: ReadonlySet<string> = new Set([SUCCESS_CODE, '00000']);

/** Reads the answer to a signed call. HTTP 200 alone is not enough. */
export function readAnswer(answer: RailAnswer): CallResult {
  const message = jsonObject(answer.text);
  if (message === null) {
    return { type: 'unclear' };
  }
  const result = message.result ?? null;
  const code = codeOf(message) ?? '';
  const content = snakeCased(message.biz_content ?? message.bizContent);
  const isSuccess = SUCCESS_CODES.has(code);
  const hasActed = Boolean(content?.prepay_id ?? content?.receive_code ?? content?.refund_status);
  if (!isSuccess && result !== 'SUCCESS' && isOwnCode(code) && !hasActed) {
    // Without a prepay_id or receiveCode nothing opens the order, so the customer cannot pay it even
    // if it exists.
    return { type: 'refused', reason: refusalReason(code, answer.status) ?? 'declined' };
  }
  const isWhole = isSuccess && answer.status === 200 && (result === 'SUCCESS' || result === null);
  return isWhole && content !== null ? { type: 'success', content } : { type: 'unclear' };
}

/** Whether there is no such call at this URL, so that it did nothing. */
export function hasNoSuchCall(answer: RailAnswer): boolean {
  const message = jsonObject(answer.text);
  const code = message && codeOf(message);
  const isNotFound = code === NO_SUCH_CALL || (answer.status === NOT_FOUND && code === null);
  return isNotFound && isAbsent(message?.biz_content) && isAbsent(message?.bizContent);
}

/** telebirr's own codes are digits; anything else may come from a proxy. */
export function isOwnCode(code: string): boolean {
  return /^\d{1,16}$/.test(code);
}

/**
 * `merchOrderId` as `merch_order_id`: the documentation has the one form, some hosts answer in the
 * other. Null when a name is there in both forms with different values, which proves nothing.
 */
function snakeCased(content: unknown): Members | null {
  const members = membersOf(content);
  if (members === null) {
    return null;
  }
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(members)) {
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
  const message = jsonObject(answer.text);
  return message && codeOf(message);
}

function codeOf(message: Members): string | null {
  return scalarOf(message.errorCode) ?? scalarOf(message.code);
}

/** Ready for the header `Authorization`, "Bearer" included. */
const TOKEN = /^[\x21-\x7e]{1,32} ?[\x21-\x7e]{1,4096}$/;

/** We renew a token this long before its end, so that it does not expire during a call. */
const TOKEN_MARGIN_MS = 60_000;

/**
 * Reads the answer to a token request. It moves no money, so no answer is a refusal too. The token
 * expires a while after `requestedAtMs`.
 */
export function readToken(answer: RailAnswer, requestedAtMs: number): FreshToken | NoToken {
  const { status } = answer;
  const message = jsonObject(answer.text);
  const token = matching(scalarOf(message?.token), TOKEN);
  const meaning = meaningOfStatus(answer, STATUSES.telebirrToken);
  if (meaning === 'answer' && token !== null) {
    const effective = scalarOf(message?.effectiveDate);
    const lifetimeMs = lifetimeOf(effective, scalarOf(message?.expirationDate));
    return { type: 'token', token, usableUntilMs: requestedAtMs + lifetimeMs - TOKEN_MARGIN_MS };
  }
  const code = scalarOf(message?.errorCode);
  const isOurs =
    code === null ? meaning === 'unread' : refusalReason(code, status) !== 'rail_unavailable';
  const reason = isOurs ? 'misconfigured' : 'rail_unavailable';
  return { type: 'no_token', reason, status, providerCode: message && codeOf(message) };
}

/** The time between two timestamps without a time zone; 0 when they are malformed. */
function lifetimeOf(effective: string | null, expiration: string | null): number {
  const lifetimeMs = (ethiopianTimeMs(expiration) ?? 0) - (ethiopianTimeMs(effective) ?? Infinity);
  return Math.max(lifetimeMs, 0);
}
