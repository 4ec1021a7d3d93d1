/** What the page as a whole is doing, and showing it anew. */

const RETRY_MS = 1_000;

/** A page that has not come by then was stopped, or its request was lost. */
const LEAVING_MS_MAX = 30_000;

let isLeaving = false;

/** Undefined before Safari 15. */
export const navigation = performance.getEntriesByType('navigation')[0] as
  | PerformanceNavigationTiming
  | undefined;

/**
 * Somebody looks, and the browser knows of a network. It may be wrong about that (behind a VPN it
 * often is), so only what can wait for ever waits for this.
 */
export function isAttended(): boolean {
  return !document.hidden && navigator.onLine;
}

/** A navigation is under way that another one would cut off, on slow networks again and again. */
export function isBusy(): boolean {
  return isLeaving || document.querySelector('form[aria-busy]') !== null;
}

/** Never a reload: the document may be the answer to a POST. */
export function showAnew(): void {
  const { page } = document.body.dataset;
  if (page === undefined || isLeaving) {
    return;
  }
  if (isBusy()) {
    setTimeout(showAnew, RETRY_MS);
    return;
  }
  isLeaving = true;
  setTimeout(stay, LEAVING_MS_MAX);
  location.replace(page);
}

function stay(): void {
  isLeaving = false;
}

/** Calls when the page is looked at again, the network is back, or Back brought the page back. */
export function onWake(wake: () => void): void {
  document.addEventListener('visibilitychange', () => !document.hidden && wake());
  addEventListener('online', wake);
  onRestore(wake);
}

/** Calls when the page comes out of the back/forward cache, in the state it was left in. */
export function onRestore(restore: () => void): void {
  addEventListener('pageshow', ({ persisted }) => persisted && restore());
}
