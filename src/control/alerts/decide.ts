import { REPEAT_EVERY_MS } from '../../engine/alerts/subjects.ts';

/** When the operator is told of a subject. Pure. */

/** What the operator knows of a subject. */
export interface Told {
  /** Whether the last message said that something needs a person. */
  readonly isOpen: boolean;
  /** When the last message about something that needs a person was written; null: never. */
  readonly saidAtMs: number | null;
  /** Whether more has happened since. */
  readonly hasMore: boolean;
}

/** What to say now, and when to decide again if nothing changes; null: never. */
export interface Saying {
  readonly say: 'new' | 'repeat' | 'resolved' | null;
  readonly againAtMs: number | null;
}

/**
 * A subject is told at once, then at most hourly, and only when more of it has happened. Its end is
 * told once. What comes back within the hour waits for its end: a fault that flickers makes two
 * messages an hour at most. `count`: the things that need a person now.
 */
export function decideNotice(told: Told, count: number, nowMs: number): Saying {
  if (count === 0) {
    return { say: told.isOpen ? 'resolved' : null, againAtMs: null };
  }
  if (told.isOpen && !told.hasMore) {
    return { say: null, againAtMs: null };
  }
  const mayAtMs = told.saidAtMs === null ? nowMs : told.saidAtMs + REPEAT_EVERY_MS;
  if (mayAtMs > nowMs) {
    return { say: null, againAtMs: mayAtMs };
  }
  return { say: told.isOpen ? 'repeat' : 'new', againAtMs: null };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits between the tries of one message: about a day, as long as a channel may be down. */
const TRY_WAITS_MS: readonly number[] = [
  ...[10 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS],
  ...Array.from({ length: 24 }, () => HOUR_MS),
];

/** What a channel refuses again must not hold up what comes after it. */
const REFUSED_TRIES_MAX = 5;

/** When to send again after so many tries, at least 1; null: give up. */
export function nextTryAtMs(
  tries: number,
  {
    isRefused,
    retryAfterMs,
  }: { readonly isRefused: boolean; readonly retryAfterMs: number | null },
  nowMs: number,
): number | null {
  const waitMs = isRefused && tries >= REFUSED_TRIES_MAX ? undefined : TRY_WAITS_MS[tries - 1];
  return waitMs === undefined
    ? null
    : nowMs + Math.max(waitMs, Math.min(retryAfterMs ?? 0, HOUR_MS));
}

/** 08:00 in Addis Ababa, before shops open. */
export const DIGEST_AT_MS = 8 * HOUR_MS;
