import { vi } from 'vitest';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Moves the clock; alarms do not fire on their own. */
export function advance(byMs: number): void {
  vi.setSystemTime(Date.now() + byMs);
}
