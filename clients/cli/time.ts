import { type Given, UsageError } from './command.ts';

const AGO = /^(\d+)([mhd])$/;
/** `Date.parse` reads 30 February as 2 March. */
const DAY = /^\d{4}-\d\d-\d\d/;
const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A time of an option: `2h` ago, or a date. Without a zone, a time is this machine's. */
export function timeIn(given: Given, name: string): Date | undefined {
  const text = given.text(name);
  if (text === undefined) {
    return undefined;
  }
  const [, count, unit = ''] = AGO.exec(text) ?? [];
  const [day = ''] = DAY.exec(text) ?? [];
  const isNoDay = day !== '' && !new Date(day).toJSON()?.startsWith(day);
  const atMs = isNoDay
    ? Number.NaN
    : count === undefined
      ? Date.parse(text)
      : Date.now() - Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  const time = new Date(atMs);
  if (Number.isNaN(time.getTime())) {
    throw new UsageError(
      `--${name} takes a time, not "${text}": 30m, 2h, 7d, 2026-11-22 or 2026-11-22T08:00:00Z`,
    );
  }
  return time;
}
