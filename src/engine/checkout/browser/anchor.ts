/** The remaining time at one moment, by both of the device's clocks. */
export interface Anchor {
  readonly remainingMs: number;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** A smaller jump is a correction of the wall clock by the network. */
const SLEEP_MS_MIN = 2_000;

/**
 * The same anchor, moved to the present. It uses the monotonic clock, because the wall clock may be
 * wrong or changed. But on some devices only the wall clock runs during sleep.
 */
export function anchorNow(
  anchor: Anchor,
  monotonicMs: number,
  wallMs: number,
): Anchor & { readonly hasSlept: boolean } {
  const monotonicElapsedMs = monotonicMs - anchor.monotonicMs;
  const wallElapsedMs = wallMs - anchor.wallMs;
  const hasSlept = wallElapsedMs > monotonicElapsedMs + SLEEP_MS_MIN;
  const elapsedMs = hasSlept ? wallElapsedMs : monotonicElapsedMs;
  return { remainingMs: anchor.remainingMs - elapsedMs, monotonicMs, wallMs, hasSlept };
}
