/**
 * How many unpaid payments of one link can be open, although any visitor of its page can make one. The
 * register counts submissions by windows as long as such a payment lives, so those of the last two
 * windows are at least all open ones.
 */

/** How long a customer has to pay. Long enough to fetch a phone or top up a wallet. */
export const LINK_PAYMENT_SECONDS = 30 * 60;
const WINDOW_MS = LINK_PAYMENT_SECONDS * 1_000;

/** From here on a visitor waits before a submission counts. A busy shop has a sale every ten seconds. */
export const SLOW_FROM = 300;
/** How long such a visitor waits: a person barely minds, a program gets a few a minute. */
export const SLOW_WAIT_MS = 10_000;
/**
 * What a link never exceeds. One network submits 20 a minute at most (wrangler.toml), which makes 1,200
 * in two windows: alone it cannot lock the shop out.
 */
export const OPEN_MAX = 2_000;

/** The counts of a link; `window` is the number of the newest one. */
export interface Openings {
  readonly window: number;
  readonly opened: number;
  readonly openedBefore: number;
}

export const NO_OPENINGS: Openings = { window: 0, opened: 0, openedBefore: 0 };

export type OpeningResult =
  /** The submission counts, and may make a payment. */
  | { readonly type: 'taken'; readonly openings: Openings }
  /** The visitor must wait first. */
  | { readonly type: 'wait' }
  | { readonly type: 'full' };

export function takeOpening(openings: Openings, nowMs: number, hasWaited: boolean): OpeningResult {
  const { window, opened, openedBefore } = openingsAt(openings, nowMs);
  const open = opened + openedBefore;
  if (open >= OPEN_MAX) {
    return { type: 'full' };
  }
  if (open >= SLOW_FROM && !hasWaited) {
    return { type: 'wait' };
  }
  return { type: 'taken', openings: { window, opened: opened + 1, openedBefore } };
}

function openingsAt(openings: Openings, nowMs: number): Openings {
  const window = Math.floor(nowMs / WINDOW_MS);
  switch (window - openings.window) {
    case 0:
      return openings;
    case 1:
      return { window, opened: 0, openedBefore: openings.opened };
    default:
      return { window, opened: 0, openedBefore: 0 };
  }
}
