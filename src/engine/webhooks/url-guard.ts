import { URL_CHARACTERS_MAX } from '../../kit/http/url-fields.ts';
import { isLoopback } from '../../kit/loopback.ts';

/**
 * Decides whether the gateway may call a merchant's webhook URL (docs/decisions.md#18), before
 * every try. The guard checks names, not the addresses they resolve to: Cloudflare's network has no
 * route to private addresses.
 */

/** RFC 1035: a name and each of its labels. */
const HOST_LENGTH_MAX = 253;
/** WHATWG parsing has made the name lower case and punycode. Underscores do occur in DNS. */
const LABEL = /^[a-z0-9_-]{1,63}$/;
/** The only form in which the WHATWG parser leaves an IPv4 address, however it was written. */
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Names, with all names below them, that never lead to a merchant on the public Internet. */
const SPECIAL_USE_NAMES: readonly string[] = [
  // RFC 6761, 6762, 7686, 8375 (in arpa), 9476.
  ...['localhost', 'local', 'test', 'example', 'invalid', 'onion', 'alt', 'arpa'],
  // ICANN: reserved for private use, or never to be delegated because private networks use them.
  ...['internal', 'home', 'corp', 'mail'],
  // These names are never delegated, and are common in routers, offices and clusters.
  ...['lan', 'localdomain', 'intranet', 'private', 'svc'],
  // Cloud metadata services with a name outside `.internal`.
  ...['metadata.goog', 'metadata.tencentyun.com'],
];

export interface GuardOptions {
  /** Refuse `http:` (`CALLBACK_HTTPS_ONLY`), but not to an allowed loopback address. */
  readonly httpsOnly: boolean;
  /** Local development sets it: the guard also allows localhost, 127.0.0.0/8 and [::1]. */
  readonly allowLoopback: boolean;
  /** Our own hosts in the form of `URL.host`: with a port unless it is the scheme's default. */
  readonly ownHosts: readonly string[];
}

/** The merchant sees it as the error of a try. */
export type GuardReason =
  | `URL is longer than ${typeof URL_CHARACTERS_MAX} characters`
  | 'URL cannot be parsed'
  | 'URL is not http or https'
  | 'URL is not https'
  | 'URL carries a user name or password'
  | 'port is 0'
  | 'host is an IP address'
  | 'host is not a domain name'
  | 'host is a single label'
  | 'host is reserved for special use'
  | 'host is Kefel itself';

/** Why the gateway may not call this URL, or null. Never throws. */
export function guardCallbackUrl(text: string, options: GuardOptions): GuardReason | null {
  // The length is checked before parsing, whose cost grows with it.
  if (text.length > URL_CHARACTERS_MAX) {
    return `URL is longer than ${URL_CHARACTERS_MAX} characters`;
  }
  const url = URL.parse(text);
  if (url === null) {
    return 'URL cannot be parsed';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return 'URL is not http or https';
  }
  if (url.username !== '' || url.password !== '') {
    return 'URL carries a user name or password';
  }
  if (url.port === '0') {
    return 'port is 0';
  }
  if (options.allowLoopback && isLoopback(url.hostname)) {
    // On loopback only the port distinguishes the merchant's server from ours.
    return options.ownHosts.includes(url.host) ? 'host is Kefel itself' : null;
  }
  // This check is last: creation accepts plain http with a warning, but nothing that is refused
  // above.
  return (
    hostRefusal(url.hostname, options.ownHosts) ??
    (options.httpsOnly && url.protocol !== 'https:' ? 'URL is not https' : null)
  );
}

function hostRefusal(hostname: string, ownHosts: readonly string[]): GuardReason | null {
  if (hostname.startsWith('[') || IPV4.test(hostname)) {
    return 'host is an IP address';
  }
  const name = withoutRootDot(hostname);
  const labels = name.split('.');
  if (name.length > HOST_LENGTH_MAX || !labels.every((label) => LABEL.test(label))) {
    return 'host is not a domain name';
  }
  if (labels.length === 1) {
    return 'host is a single label';
  }
  if (SPECIAL_USE_NAMES.some((special) => name === special || name.endsWith(`.${special}`))) {
    return 'host is reserved for special use';
  }
  // Ports do not matter: any port of a public name of ours is the gateway.
  if (ownHosts.some((own) => isOf(withoutRootDot(hostnameOf(own)), name))) {
    return 'host is Kefel itself';
  }
  return null;
}

/**
 * Whether the name leads to the Worker with that own name. At workers.dev each version has a further
 * name, `1a2b3c4d-kefel.example.workers.dev`. Other names there are servers of other people.
 */
function isOf(own: string, name: string): boolean {
  return name === own || (own.endsWith('.workers.dev') && name.endsWith(`-${own}`));
}

/** `example.com.` is `example.com`. Removes only one dot: a name with two is invalid. */
function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function hostnameOf(host: string): string {
  return URL.parse(`https://${host}`)?.hostname ?? host;
}
