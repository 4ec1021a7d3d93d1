/** Other sites of the same domain may set cookies too; browsers keep about 4 KiB of each. */
const COOKIE_LENGTH_MAX = 16_384;

/** A cookie that scripts cannot read and that goes over https only where the page came by https. */
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

/** The request's value of the cookie, or null. */
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

/** The `Set-Cookie` that gives the cookie this value. */
export function setCookie(request: Request, cookie: Cookie, value: string): string {
  return written(request, cookie, value, cookie.maxAgeSeconds);
}

/** The `Set-Cookie` that removes the cookie. */
export function clearCookie(request: Request, cookie: Cookie): string {
  return written(request, cookie, '', 0);
}

function written(request: Request, cookie: Cookie, value: string, maxAgeSeconds: number): string {
  const { path, sameSite } = cookie;
  const secure = isHttps(request) ? '; Secure' : '';
  return `${nameOf(request, cookie)}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

function nameOf(request: Request, { name, boundToHost }: Cookie): string {
  return boundToHost && isHttps(request) ? `__Host-${name}` : name;
}

function isHttps(request: Request): boolean {
  return new URL(request.url).protocol === 'https:';
}
