/** Whether the page is visible, busy or restored, and how it reloads. */

const RETRY_MS = 1_000;

/** A page that has not loaded by then was stopped, or its request was lost. */
const LEAVING_MS_MAX = 30_000;

let isLeaving = false;

/** Undefined before Safari 15. */
export const navigation = performance.getEntriesByType('navigation')[0] as
  | PerformanceNavigationTiming
  | undefined;

/**
 * The page is visible, and the browser reports a network. It may be wrong about that, often behind
 * a VPN, so only work that may be delayed indefinitely waits for this.
 */
export function isAttended(): boolean {
  return !document.hidden && navigator.onLine;
}

/** A navigation is in progress. Another one would cancel it, again and again on slow networks. */
export function isBusy(): boolean {
  return isLeaving || document.querySelector('form[aria-busy]') !== null;
}

/** Not `reload()`, because the query may name a form that was refused before. */
export function reloadPage(): void {
  const { page } = document.body.dataset;
  if (page === undefined || isLeaving) {
    return;
  }
  if (isBusy()) {
    setTimeout(reloadPage, RETRY_MS);
    return;
  }
  isLeaving = true;
  setTimeout(() => {
    isLeaving = false;
  }, LEAVING_MS_MAX);
  location.replace(page);
}

/** Calls when the page is visible again, the network is back, or Back restored the page. */
export function onWake(wake: () => void): void {
  document.addEventListener('visibilitychange', () => !document.hidden && wake());
  addEventListener('online', wake);
  onRestore(wake);
}

/** Calls when the page is restored from the back/forward cache, in the state it was left in. */
export function onRestore(restore: () => void): void {
  addEventListener('pageshow', ({ persisted }) => persisted && restore());
}
