/** How soon a change appears, at the price of a request each time. */
const CHECK_EVERY_MS = 2_000;
/** Two minutes. What takes longer than that is not watched. */
const CHECKS_MAX = 60;

/**
 * A fold opens for what a link to this page names inside it, and stays open when the page reloads
 * itself.
 */
export function keptFold(): void {
  const fold = document.querySelector<HTMLDetailsElement>('details[data-kept]');
  if (fold === null) {
    return;
  }
  const openForTarget = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target !== null && !fold.open && fold.contains(target)) {
      fold.open = true;
      target.scrollIntoView();
    }
  };
  fold.open ||= history.state?.isOpen === true;
  fold.addEventListener('toggle', () => history.replaceState({ isOpen: fold.open }, ''));
  addEventListener('hashchange', openForTarget);
  openForTarget();
}

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
