const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;

/** With more time left, a ticking clock only distracts, so the page names the deadline instead. */
const COUNTED_SECONDS_MAX = 15 * MINUTE_SECONDS;

/** "9:05"; null while more time is left than the clock counts down. */
export function clockText(remainingMs: number): string | null {
  // Rounded up, so that "0:00" does not appear while time is left.
  const seconds = Math.max(Math.ceil(remainingMs / SECOND_MS), 0);
  return seconds > COUNTED_SECONDS_MAX
    ? null
    : `${Math.floor(seconds / MINUTE_SECONDS)}:${String(seconds % MINUTE_SECONDS).padStart(2, '0')}`;
}

/** Until the text changes: to the next full second, not a second from now. */
export function nextTickMs(remainingMs: number): number {
  return Math.ceil(remainingMs % SECOND_MS) || SECOND_MS;
}
