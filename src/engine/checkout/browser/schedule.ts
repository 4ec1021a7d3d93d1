/** When to poll. Pure: uses neither a clock nor the network. */

/** A working connection answers faster than this. */
export const ANSWER_MS_MAX = 10_000;

/** A single failure is common; two in a row show a notice. */
export const TELLING_FAILURES = 2;

/** The expiry is stored at about this time, so the next few polls come sooner. */
export const EAGER_POLLS = 5;
export const EAGER_DELAY_MS = 1_000;

const BACKOFF_MS_MIN = 2_000;
const BACKOFF_MS_MAX = 30_000;

/** Jitter, because pages that failed together must not all retry together. */
const JITTER_SHARE = 0.25;

/** An absurd `Retry-After` must not overflow a timer, which would then fire at once. */
const RETRY_AFTER_SECONDS_MAX = 3_600;

const SECOND_MS = 1_000;

interface Pace {
  /** Delay before each poll up to the one with that number. */
  readonly steps: readonly (readonly [untilPoll: number, delayMs: number])[];
  readonly restMs: number;
}

/** An approval takes seconds. Frequent polls do not help a customer who needs minutes. */
const FAST: Pace = {
  steps: [
    [20, 1_500],
    [60, 3_000],
  ],
  restMs: 10_000,
};

/** No attempt is in flight: only expiry, a cancellation or another device can change the page. */
const SLOW: Pace = { steps: [[60, 5_000]], restMs: 15_000 };

/** The delay before the next poll, after `pollCount` polls. */
export function pollDelayMs(isFast: boolean, pollCount: number): number {
  const { steps, restMs } = isFast ? FAST : SLOW;
  return steps.find(([untilPoll]) => pollCount < untilPoll)?.[1] ?? restMs;
}

/** The delay after this many failures in a row; `random` is from 0 to 1. */
export function retryDelayMs(
  failureCount: number,
  random: number,
  retryAfter: string | null,
): number {
  const backoffMs = Math.min(BACKOFF_MS_MIN * 2 ** (failureCount - 1), BACKOFF_MS_MAX);
  return Math.max(backoffMs * (1 - JITTER_SHARE * random), retryAfterMs(retryAfter));
}

/** The value of a `Retry-After` header in seconds. A date or no header means no wait. */
export function retryAfterMs(retryAfter: string | null): number {
  return Math.min(Number(retryAfter) || 0, RETRY_AFTER_SECONDS_MAX) * SECOND_MS;
}
