/** How soon a change appears, at the price of a request each time. */
const CHECK_EVERY_MS = 2_000;
/** Two minutes. What takes longer than that is not watched. */
const CHECKS_MAX = 60;

/**
 * A page whose content is about to change reloads once the server shows another state. There is one
 * renderer, so the page is never patched.
 */
export function livePage(): void {
  const state = document.querySelector<HTMLElement>('[data-live]')?.dataset.live;
  if (state === undefined) {
    return;
  }
  let checks = 0;
  const check = async () => {
    checks += 1;
    if (!document.hidden && (await stateNow()) !== state) {
      location.reload();
    } else if (checks < CHECKS_MAX) {
      setTimeout(check, CHECK_EVERY_MS);
    }
  };
  setTimeout(check, CHECK_EVERY_MS);

  /** The page's state at the server; the known one while that does not answer. */
  async function stateNow(): Promise<string | undefined> {
    try {
      const response = await fetch(location.href);
      return response.ok ? /data-live="([^"]*)"/.exec(await response.text())?.[1] : state;
    } catch {
      return state;
    }
  }
}
