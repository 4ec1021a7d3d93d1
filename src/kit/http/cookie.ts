/**
 * The limit bounds the parsing. Other hosts of the domain may add cookies, each about 4 KiB at
 * most.
 */
const COOKIE_LENGTH_MAX = 16_384;

/** A cookie that scripts cannot read. On https pages the browser sends it only over https. */
export interface Cookie {
  readonly name: string;
  readonly path: '/' | '/dashboard';
  readonly sameSite: 'Lax' | 'Strict';
  readonly maxAgeSeconds: number;
  /**
   * Over https its name begins with `__Host-`, so that no other host of the domain can set it.
   * Needs the path `/`.
   */
  readonly boundToHost?: true;
}

/** The cookie's value in the request, or null. */
export function cookieValue(request: Request, cookie: Cookie): string | null {
  const header = request.headers.get('cookie') ?? '';
  if (header.length > COOKIE_LENGTH_MAX) {
    return null;
  }
  const start = `${nameOf(request, cookie)}=`;
  const entry = header
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(start));
  return entry?.slice(start.length) ?? null;
}

/** The `Set-Cookie` that sets the cookie to `value`. */
export function setCookie(
  request: Request,
  cookie: Cookie,
  value: string,
  maxAgeSeconds = cookie.maxAgeSeconds,
): string {
  const { path, sameSite } = cookie;
  const secure = isHttps(request) ? '; Secure' : '';
  return `${nameOf(request, cookie)}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The `Set-Cookie` that removes the cookie. */
export function clearCookie(request: Request, cookie: Cookie): string {
  return setCookie(request, cookie, '', 0);
}

function nameOf(request: Request, { name, boundToHost }: Cookie): string {
  return boundToHost && isHttps(request) ? `__Host-${name}` : name;
}

function isHttps(request: Request): boolean {
  return new URL(request.url).protocol === 'https:';
}
