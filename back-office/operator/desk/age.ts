import type { DeskMessages } from '../../i18n/messages.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long something has waited, in its largest full unit: "3 h". Less than a minute is 0 min. */
export function ageText(ms: number, units: DeskMessages['pages']['ageUnits']): string {
  if (ms >= DAY_MS) {
    return units.days(String(Math.floor(ms / DAY_MS)));
  }
  return ms >= HOUR_MS
    ? units.hours(String(Math.floor(ms / HOUR_MS)))
    : units.minutes(String(Math.max(0, Math.floor(ms / MINUTE_MS))));
}
