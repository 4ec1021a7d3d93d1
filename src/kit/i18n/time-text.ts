/** A day in some calendar; `month` counts from 1. */
export interface CalendarDate {
  readonly day: number;
  readonly month: number;
  readonly year: number;
}

/** How a language writes a moment: the same day in both calendars, and the time. */
interface TimeTexts {
  readonly dateTime: (gregorian: CalendarDate, ethiopic: CalendarDate, time: string) => string;
}

const TIME_ZONE = 'Africa/Addis_Ababa';

// Intl gives only the numbers: the Workers runtime lacks month names in Afaan Oromo and Tigrinya,
// so the names are Kefel's.
const DATE = { day: 'numeric', month: 'numeric', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const gregorian = numberFormat({ ...DATE, calendar: 'gregory' });
const ethiopic = numberFormat({ ...DATE, calendar: 'ethiopic' });
const clock = numberFormat(CLOCK);
const clockWithSeconds = numberFormat({ ...CLOCK, second: '2-digit' });

/** A moment in Ethiopia's time zone, as the language writes it. */
export function timeText(atMs: number, text: TimeTexts): string {
  return text.dateTime(dateIn(gregorian, atMs), dateIn(ethiopic, atMs), clockText(atMs));
}

/** Until then, only one moment has this time of day. */
const SOON_MS = 12 * 3_600_000;

/** A moment that is near, by its time alone. */
export function soonText(
  atMs: number,
  nowMs: number,
  text: TimeTexts & { readonly timeOfDay: (time: string) => string },
): string {
  return Math.abs(atMs - nowMs) < SOON_MS ? text.timeOfDay(clockText(atMs)) : timeText(atMs, text);
}

/** `14:05` in Ethiopia's time zone. */
export function clockText(atMs: number): string {
  return clock.format(atMs);
}

/** The same to the second: for what happens faster than minutes tell. */
export function exactTimeText(atMs: number, text: TimeTexts): string {
  return text.dateTime(dateIn(gregorian, atMs), dateIn(ethiopic, atMs), exactClockText(atMs));
}

/** `14:05:09` in Ethiopia's time zone. */
export function exactClockText(atMs: number): string {
  return clockWithSeconds.format(atMs);
}

function numberFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: TIME_ZONE, ...options });
}

function dateIn(format: Intl.DateTimeFormat, atMs: number): CalendarDate {
  const parts = format.formatToParts(atMs);
  const numberOf = (type: string) =>
    Number(parts.find((part) => part.type === type)?.value ?? Number.NaN);
  return { day: numberOf('day'), month: numberOf('month'), year: numberOf('year') };
}
