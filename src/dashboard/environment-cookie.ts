import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import { cookieValue } from '../http/cookie.ts';

/** Which environment the member looked at last: where links of merchant-wide pages lead back to. */
const COOKIE_NAME = 'kefel_environment';
const COOKIE_SECONDS = 31_536_000;

/** The environment of that name, or null. */
export function environmentFrom(text: string | undefined | null): Environment | null {
  return ENVIRONMENTS.find((environment) => environment === text) ?? null;
}

export function lastEnvironment(request: Request): Environment {
  return environmentFrom(cookieValue(request, COOKIE_NAME)) ?? 'sandbox';
}

/** The `Set-Cookie` that remembers it, or null when nothing changes. */
export function environmentCookie(request: Request, environment: Environment): string | null {
  if (cookieValue(request, COOKIE_NAME) === environment) {
    return null;
  }
  const secure = new URL(request.url).protocol === 'https:' ? '; Secure' : '';
  return `${COOKIE_NAME}=${environment}; Path=/dashboard; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}
