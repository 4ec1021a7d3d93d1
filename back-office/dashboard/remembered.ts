import { type Cookie, cookieValue, setCookie } from '../../src/kit/http/cookie.ts';
import { ENVIRONMENTS, type Environment } from '../../src/kit/tenant.ts';
import { isAllowed, type Role } from '../members/permissions.ts';
import { CALENDARS, type Calendar } from './days.ts';

/** What the browser remembers of a member's choices, in cookies. */

function remembered(name: string): Cookie {
  return { name, path: '/dashboard', sameSite: 'Lax', maxAgeSeconds: 31_536_000 };
}

/** The environment that the member visited last. Links on merchant-wide pages lead to it. */
const ENVIRONMENT_COOKIE = remembered('kefel_environment');
const CALENDAR_COOKIE = remembered('kefel_calendar');

/** The query parameter of the links that choose a calendar. */
export const CALENDAR_PARAMETER = 'calendar';

/** The environment with that name, or null. */
export function environmentFrom(text: string | undefined | null): Environment | null {
  return ENVIRONMENTS.find((environment) => environment === text) ?? null;
}

/** Before the first visit: the sandbox for those who set the merchant up, production for the others. */
export function lastEnvironment(request: Request, role: Role): Environment {
  const visited = environmentFrom(cookieValue(request, ENVIRONMENT_COOKIE));
  return visited ?? (isAllowed(role, 'develop') ? 'sandbox' : 'production');
}

/** The calendar that the member chose by a link, now or earlier; else the Gregorian one. */
export function chosenCalendar(request: Request): Calendar {
  return (
    calendarNamed(new URL(request.url).searchParams.get(CALENDAR_PARAMETER)) ??
    calendarNamed(cookieValue(request, CALENDAR_COOKIE)) ??
    'gregorian'
  );
}

function calendarNamed(text: string | null): Calendar | null {
  return CALENDARS.find((calendar) => calendar === text) ?? null;
}

/** The `Set-Cookie` headers of choices that are new; `environment` is the one in the path. */
export function rememberingCookies(
  request: Request,
  environment: Environment | null,
): readonly string[] {
  const calendar = chosenCalendar(request);
  return [
    ...(environment === null || cookieValue(request, ENVIRONMENT_COOKIE) === environment
      ? []
      : [setCookie(request, ENVIRONMENT_COOKIE, environment)]),
    ...((cookieValue(request, CALENDAR_COOKIE) ?? 'gregorian') === calendar
      ? []
      : [setCookie(request, CALENDAR_COOKIE, calendar)]),
  ];
}
