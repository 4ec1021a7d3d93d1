/** Times as texts, and the day of Addis Ababa, which is three hours ahead of UTC all year. */
export const AHEAD_OF_UTC_MS = 3 * 60 * 60 * 1_000;
export const DAY_MS = 24 * 60 * 60 * 1_000;
const ISO_DAY_LENGTH = 'YYYY-MM-DD'.length;

/** The form of all times in answers and events. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/**
 * The milliseconds since 1970 of a date or time in ISO 8601; null when there is none. `Date.parse`
 * reads 30 February as 2 March.
 */
export function timeMsOf(text: string): number | null {
  const [atMs, dayMs] = [Date.parse(text), Date.parse(text.slice(0, ISO_DAY_LENGTH))];
  const isOne = !Number.isNaN(atMs) && text.startsWith(isoTime(dayMs).slice(0, ISO_DAY_LENGTH));
  return isOne ? atMs : null;
}

/** The day of a time in Addis Ababa, counted from 1970. */
export function businessDay(atMs: number): number {
  return Math.floor((atMs + AHEAD_OF_UTC_MS) / DAY_MS);
}

/** The start of such a day, in milliseconds since 1970 in UTC. */
export function businessDayStartMs(day: number): number {
  return day * DAY_MS - AHEAD_OF_UTC_MS;
}

/** `2026-11-21`: such a day in every language. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** `20260131123456` or `2026-01-31 12:34:56`. */
const DATE_AND_TIME = /^(\d{4})(-?)(\d\d)\2(\d\d) ?(\d\d)(:?)(\d\d)\6(\d\d)$/;

/**
 * A provider's date and time, as milliseconds since 1970; null for anything else. Providers name no
 * time zone, so it is Ethiopia's.
 */
export function ethiopianTimeMs(text: string | null): number | null {
  const [, year, , month, day, hours, , minutes, seconds] = DATE_AND_TIME.exec(text ?? '') ?? [];
  return timeMsOf(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}+03:00`);
}

/** `2026-01-31 12:34:56`. */
export function ethiopianTimestamp(atMs: number): string {
  const iso = new Date(atMs + AHEAD_OF_UTC_MS).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** `20260131123456`. */
export function ethiopianDigits(atMs: number): string {
  return digitsOf(atMs + AHEAD_OF_UTC_MS);
}

/** The same in UTC. */
export function digitsOf(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
}
