/** `20260131123456` or `2026-01-31 12:34:56`. */
const DATE_AND_TIME = /^(\d{4})(-?)(\d\d)\2(\d\d) ?(\d\d)(:?)(\d\d)\6(\d\d)$/;

/**
 * A provider's date and time, as milliseconds since 1970; null for anything else. Providers name no
 * time zone, so we read Ethiopia's, which has no daylight saving time.
 */
export function ethiopianTimeMs(text: string | null): number | null {
  const [, year, , month, day, hours, , minutes, seconds] = DATE_AND_TIME.exec(text ?? '') ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}+03:00`);
  return Number.isNaN(atMs) ? null : atMs;
}
