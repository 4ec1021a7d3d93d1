import type { EventSubject } from '../../engine/alerts/standing.ts';

/** How often something happens that leaves nothing behind, by the hour. Pure. */

const HOUR_MS = 60 * 60 * 1_000;

export interface EventWindow {
  /** When the hour that is counted began. */
  readonly startedAtMs: number;
  readonly count: number;
  /** How often it happens in an hour without a fault. */
  readonly usual: number;
  /** When it first happened too often; null: it does not. */
  readonly openSinceMs: number | null;
  /** How often it has happened since the hour in which it first was too often. */
  readonly total: number;
  /** The last things that it happened to, newest first. */
  readonly details: readonly string[];
}

export const QUIET: EventWindow = {
  startedAtMs: 0,
  count: 0,
  usual: 0,
  openSinceMs: null,
  total: 0,
  details: [],
};

/** Too often in an hour is more than this, and more than `times` the usual. */
const LIMITS: Readonly<Record<EventSubject, { readonly most: number; readonly times: number }>> = {
  starts_waiting: { most: 0, times: 0 },
  messages_waiting: { most: 0, times: 0 },
  // A member who has lost a passkey tries a few times; a program tries thousands.
  sign_ins_refused: { most: 20, times: 4 },
};

const DETAILS_MAX = 5;
/** The weight of one hour: about the last day counts. */
const WEIGHT = 1 / 24;
/** Hours after which what was usual is forgotten. */
const FORGOTTEN_HOURS = 24 * 7;

/** Counts what happened, or with a count of 0 only the time. An hour without too much of it is its end. */
export function countEvents(
  subject: EventSubject,
  window: EventWindow,
  count: number,
  detail: string | null,
  nowMs: number,
): EventWindow {
  const current = nowMs - window.startedAtMs < HOUR_MS ? window : nextHour(subject, window, nowMs);
  const counted = { ...current, count: current.count + count, total: current.total + count };
  return {
    ...counted,
    openSinceMs: counted.openSinceMs ?? (isTooMuch(subject, counted) ? nowMs : null),
    details:
      detail === null
        ? counted.details
        : [detail, ...counted.details.filter((known) => known !== detail)].slice(0, DETAILS_MAX),
  };
}

/** When the window must be looked at although nothing happens; null: never. */
export function windowEndsAtMs({ openSinceMs, startedAtMs }: EventWindow): number | null {
  return openSinceMs === null ? null : startedAtMs + HOUR_MS;
}

function isTooMuch(subject: EventSubject, { count, usual }: EventWindow): boolean {
  const { most, times } = LIMITS[subject];
  return count > Math.max(most, times * usual);
}

function nextHour(subject: EventSubject, window: EventWindow, nowMs: number): EventWindow {
  const hours = Math.min(Math.floor((nowMs - window.startedAtMs) / HOUR_MS), FORGOTTEN_HOURS);
  const isOpen = window.openSinceMs !== null && isTooMuch(subject, window) && hours < 2;
  // A flood is not what is usual.
  const seen = isTooMuch(subject, window) ? window.usual : window.count;
  const usual = (window.usual + (seen - window.usual) * WEIGHT) * (1 - WEIGHT) ** (hours - 1);
  return {
    startedAtMs: nowMs,
    count: 0,
    usual,
    openSinceMs: isOpen ? window.openSinceMs : null,
    total: isOpen ? window.total : 0,
    details: isOpen ? window.details : [],
  };
}
