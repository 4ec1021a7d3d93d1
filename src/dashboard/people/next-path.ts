/** Stands for our own origin, whatever it is called. */
const BASE = 'https://dashboard.invalid';

/** Nobody is led back to where they just came from. */
const NOT_AGAIN = /^\/dashboard\/(?:sign-in|sign-out|join)(?:\/|$)/;

/**
 * Where signing in leads: the page that was asked for if it is one of the dashboard's, else its
 * first. An address out of a link is read as a browser would read it, so that no spelling of another
 * site's address passes for ours.
 */
export function nextPath(text: string | null): string {
  const url = text?.startsWith('/') ? URL.parse(text, BASE) : null;
  if (url === null || url.origin !== BASE || NOT_AGAIN.test(url.pathname)) {
    return '/dashboard';
  }
  const isDashboard = url.pathname === '/dashboard' || url.pathname.startsWith('/dashboard/');
  return isDashboard ? `${url.pathname}${url.search}` : '/dashboard';
}
