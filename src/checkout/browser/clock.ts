const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** "9:05" or "1:09:05"; null from a day on, where a countdown is no help. */
export function clockText(remainingMs: number): string | null {
  // Rounded up, so that "0:00" does not appear while time is left.
  const seconds = Math.max(Math.ceil(remainingMs / SECOND_MS), 0);
  const minutes = Math.floor(seconds / MINUTE_SECONDS) % MINUTE_SECONDS;
  const hours = Math.floor(seconds / HOUR_SECONDS);
  if (seconds >= DAY_SECONDS) {
    return null;
  }
  const lead = hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes;
  return `${lead}:${twoDigits(seconds % MINUTE_SECONDS)}`;
}

/** Until the text changes: to the next full second, not a second from now. */
export function nextTickMs(remainingMs: number): number {
  return Math.ceil(remainingMs % SECOND_MS) || SECOND_MS;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
