/** The extra signature header of webhooks, under a name that the merchant's server expects. */

/** No known name is longer. */
export const SIGNATURE_HEADER_CHARACTERS_MAX = 64;

/** RFC 9110 "token". */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Names in lower case with a meaning for proxies, servers or the gateway itself: hop-by-hop headers,
 * what describes the body, credentials, and what a proxy adds.
 */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'cookie',
  'date',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'x-real-ip',
]);
const RESERVED_PREFIXES: readonly string[] = [
  'accept',
  'access-control-',
  'cf-',
  'content-',
  'if-',
  'proxy-',
  'sec-',
  'webhook-',
  'x-forwarded-',
];

export type SignatureHeaderProblem = 'too_long' | 'no_token' | 'reserved';

/** What is wrong with the name, or null. */
export function signatureHeaderProblem(name: string): SignatureHeaderProblem | null {
  if (name.length > SIGNATURE_HEADER_CHARACTERS_MAX) {
    return 'too_long';
  }
  if (!TOKEN.test(name)) {
    return 'no_token';
  }
  const lower = name.toLowerCase();
  const isReserved =
    RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
  return isReserved ? 'reserved' : null;
}
