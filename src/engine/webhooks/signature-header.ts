/** The extra signature header of webhooks, under a name that the merchant's server expects. */

/** The longest known name is shorter. */
export const SIGNATURE_HEADER_CHARACTERS_MAX = 64;

/** RFC 9110 "token". */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Names in lower case with a meaning for proxies, servers or the gateway itself. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  // Hop-by-hop headers.
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  // Credentials.
  ...['authorization', 'cookie', 'set-cookie'],
  // What every request says, and what a proxy adds.
  ...['date', 'expect', 'host', 'origin', 'referer', 'user-agent'],
  ...['forwarded', 'via', 'x-real-ip'],
]);
const RESERVED_PREFIXES: readonly string[] = [
  ...['accept', 'access-control-', 'content-', 'if-', 'sec-'],
  ...['cf-', 'proxy-', 'x-forwarded-'],
  'webhook-',
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
