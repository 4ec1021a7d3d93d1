import { log } from './log.ts';

/** Failures that anyone can cause: a flood of them must not fill the log or cost its price. */

/** Enough to see who fails and how, in one isolate. */
const LINES_MAX = 10;
const PERIOD_MS = 60_000;

interface Period {
  readonly startedAtMs: number;
  lines: number;
  suppressed: number;
}

/** By event. Events are texts of the code, so there are few. */
const periods = new Map<string, Period>();

/**
 * Logs a warning, but at most LINES_MAX of an event in PERIOD_MS and isolate. The last of them has
 * `suppressesMore`; the first line after the period says how many were `suppressed`.
 */
export function logLimited(
  event: string,
  fields: Readonly<Record<string, string | number | boolean | null>>,
  nowMs: number = Date.now(),
): void {
  const known = periods.get(event);
  const isOver = known === undefined || nowMs - known.startedAtMs >= PERIOD_MS;
  const period = isOver ? { startedAtMs: nowMs, lines: 0, suppressed: 0 } : known;
  periods.set(event, period);
  if (period.lines >= LINES_MAX) {
    period.suppressed += 1;
    return;
  }
  period.lines += 1;
  log('warn', event, {
    ...fields,
    ...(isOver && known !== undefined && known.suppressed > 0 && { suppressed: known.suppressed }),
    ...(period.lines === LINES_MAX && { suppressesMore: true }),
  });
}
