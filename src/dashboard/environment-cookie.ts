import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import { type Cookie, cookieValue, setCookie } from '../http/cookie.ts';

/** The environment that the member visited last. Links on merchant-wide pages lead to it. */
const ENVIRONMENT_COOKIE: Cookie = {
  name: 'kefel_environment',
  path: '/dashboard',
  sameSite: 'Lax',
  maxAgeSeconds: 31_536_000,
};

/** The environment with that name, or null. */
export function environmentFrom(text: string | undefined | null): Environment | null {
  return ENVIRONMENTS.find((environment) => environment === text) ?? null;
}

export function lastEnvironment(request: Request): Environment {
  return environmentFrom(cookieValue(request, ENVIRONMENT_COOKIE)) ?? 'sandbox';
}

/** The `Set-Cookie` that remembers it, or null when nothing changes. */
export function environmentCookie(request: Request, environment: Environment): string | null {
  return cookieValue(request, ENVIRONMENT_COOKIE) === environment
    ? null
    : setCookie(request, ENVIRONMENT_COOKIE, environment);
}
