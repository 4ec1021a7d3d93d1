/** The remaining time as it was at one moment, by both of the device's clocks. */
export interface Anchor {
  readonly remainingMs: number;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Less is the wall clock being set right by the network. */
const SLEEP_MS_MIN = 2_000;

/**
 * The same anchor moved to the present. Time is told by the monotonic clock, because the wall clock
 * may be wrong or be set; but only the wall clock goes on while some devices sleep.
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
