import type { FailureReason, Outcome } from '../../domain/attempt.ts';
import type { IntentTerms } from '../../domain/terms.ts';
import type { StartResult } from '../rail.ts';

/** A time of an attempt: so long after its start, or after the payment's expiry. */
export interface AttemptTime {
  readonly from: 'start' | 'expiry';
  readonly afterMs: number;
}

/** What the simulator plays, without the customer, for a payment of a certain amount. */
export interface Scenario {
  /** Without commission, in either currency. */
  readonly amountMinor: number;
  /** Null: accepted. `unknown`: no answer. */
  readonly start: StartResult | null;
  /** When the rail's window closes without an outcome; null: with the payment. */
  readonly window: (AttemptTime & { readonly isFinal: boolean }) | null;
  /** When a status query first finds the outcome; null: never. */
  readonly resolution: (AttemptTime & { readonly outcome: Outcome }) | null;
  /** Hosted: the customer can leave the attempt for another one, with every method. */
  readonly isAbandonable: boolean;
}

/** When an ordinary scenario gets its outcome: docs/decisions.md#22, "within a second or so". */
export const SIMULATED_OUTCOME_AFTER_MS = 500;
/** Long enough to see the payment in progress. */
const SLOW_AFTER_MS = 20_000;
/** Time to leave the checkout page's first attempt and to start a second one. */
const TWICE_AFTER_MS = 30_000;
const TIMED_OUT_AFTER_MS = 5_000;
/** The payment is unresolved from the end of the window to the proof. */
const UNKNOWN_WINDOW_MS = 10_000;
const UNKNOWN_PAID_AFTER_MS = 20_000;
/** After the expiry: the merchant has received `PAYMENT_EXPIRED` by then, unless it is held up. */
const LATE_AFTER_MS = 10_000;
/** Long enough to see that a provider holds up the expiry, short enough to wait for. */
const HELD_MS = 30_000;
const HELD = { from: 'expiry', afterMs: HELD_MS, isFinal: true } as const;

const PAID: Outcome = { type: 'succeeded', receipt: null };

/** The single source of the sandbox's table of amounts (docs/sandbox.md#amounts). */
export const SCENARIOS = {
  declined: failing(100_01, 'declined'),
  insufficient_funds: failing(100_02, 'insufficient_funds'),
  canceled_by_customer: failing(100_03, 'canceled_by_customer'),
  wrong_pin: failing(100_04, 'wrong_pin'),
  abandoned: failing(100_05, 'abandoned'),
  timed_out: {
    ...paid(100_06, 0),
    window: { from: 'start', afterMs: TIMED_OUT_AFTER_MS, isFinal: true },
    resolution: null,
  },
  rail_unavailable: { ...paid(100_07, 0), start: { type: 'refused', reason: 'rail_unavailable' } },
  misconfigured: { ...paid(100_08, 0), start: { type: 'refused', reason: 'misconfigured' } },
  paid_slowly: paid(100_11, SLOW_AFTER_MS),
  unknown_then_paid: {
    ...paid(100_12, UNKNOWN_PAID_AFTER_MS),
    start: { type: 'unknown' },
    window: { from: 'start', afterMs: UNKNOWN_WINDOW_MS, isFinal: false },
  },
  paid_late: {
    ...paid(100_13, 0),
    window: { from: 'expiry', afterMs: 0, isFinal: false },
    resolution: { from: 'expiry', afterMs: LATE_AFTER_MS, outcome: PAID },
  },
  paid_twice: { ...paid(100_14, TWICE_AFTER_MS), isAbandonable: true },
  expired: { ...paid(100_15, 0), resolution: null },
  expired_held: { ...paid(100_16, 0), window: HELD, resolution: null },
  paid_held: {
    ...paid(100_17, 0),
    window: HELD,
    resolution: { from: 'expiry', afterMs: LATE_AFTER_MS, outcome: PAID },
  },
  // 100.21 and more are amounts of refunds (`refunds.ts`).
} as const satisfies Readonly<Record<FailureReason, Scenario> & Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

function paid(amountMinor: number, afterMs: number): Scenario {
  return {
    amountMinor,
    start: null,
    window: null,
    resolution: { from: 'start', afterMs, outcome: PAID },
    isAbandonable: false,
  };
}

function failing(amountMinor: number, reason: FailureReason): Scenario {
  const outcome: Outcome = { type: 'failed', reason };
  const resolution = { from: 'start', afterMs: SIMULATED_OUTCOME_AFTER_MS, outcome } as const;
  return { ...paid(amountMinor, 0), resolution };
}

const BY_AMOUNT: ReadonlyMap<number, Scenario> = new Map(
  Object.values(SCENARIOS).map((scenario) => [scenario.amountMinor, scenario]),
);

/**
 * The scenario of a payment in the simulator; null: none. A SIMULATED_TEST that is to fail does so
 * with every amount, because its first answer says that it failed.
 */
export function scenarioOf(
  terms: Pick<IntentTerms, 'environment' | 'simulation' | 'amountMinor'>,
): Scenario | null {
  return terms.environment === 'sandbox' && terms.simulation !== 'fail'
    ? (BY_AMOUNT.get(terms.amountMinor) ?? null)
    : null;
}

/** Milliseconds since 1970. */
export function timeOf(
  { from, afterMs }: AttemptTime,
  { expiresAtMs }: Pick<IntentTerms, 'expiresAtMs'>,
  startedAtMs: number,
): number {
  return (from === 'start' ? startedAtMs : expiresAtMs) + afterMs;
}
