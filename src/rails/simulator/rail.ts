import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import { CURRENCIES, METHODS_BY_PROMPT, type Method } from '../../domain/method.ts';
import type { Rail, RailPage, RecoverablePage, StatusQuery } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { RefundStatusQuery, Refunds } from '../refund.ts';
import { simulatedRefunds } from './refunds.ts';
import { type Scenario, SIMULATED_OUTCOME_AFTER_MS, scenarioOf, timeOf } from './scenarios.ts';

/**
 * The customer has at least this long, as a provider's customer would, so that merchants can try an
 * expiry during an attempt: long enough to see it, short enough to wait for (docs/decisions.md#30).
 */
export const SIMULATED_WINDOW_MS = 30_000;

/** The simulator sends nothing outside this Worker. */
const START_TIMEOUT_MS = 1_000;

/**
 * The sandbox's rail: the payment's amount (`scenarios.ts`), `testMode` or else the customer decides
 * the outcome, and no money moves. The customer decides on our own page, so no provider sends
 * callbacks.
 */
export const simulator: Rail & RecoverablePage & StatusQuery & Refunds & RefundStatusQuery = {
  ...simulatedRefunds,
  id: 'simulator',
  currencies: CURRENCIES,
  startTimeoutMs: START_TIMEOUT_MS,
  timeNeededMs: 0,

  plan(terms: IntentTerms, method: Method, nowMs: number): AttemptPlan {
    const scenario = scenarioOf(terms);
    const isByPrompt = METHODS_BY_PROMPT.includes(method) && !scenario?.isAbandonable;
    const plan = {
      // As in production, so that merchants can test both flows: a page and a phone prompt.
      flow: hasCustomer(terms) && !isByPrompt ? 'redirect' : 'push',
      deadlineAtMs: Math.max(terms.expiresAtMs, nowMs + SIMULATED_WINDOW_MS),
      // No provider can report anything later.
      windowIsFinal: true,
      checkAtMs: isInteractive(terms) ? null : nowMs + SIMULATED_OUTCOME_AFTER_MS,
    } as const;
    return scenario === null ? plan : { ...plan, ...timesOf(scenario, terms, nowMs) };
  },

  async start(order) {
    const start = scenarioOf(order.terms)?.start ?? 'accepted';
    if (start === 'lost') {
      return { type: 'unknown' };
    }
    if (start !== 'accepted') {
      return { type: 'refused', reason: start.refused };
    }
    const none = { redirectUrl: null, railReference: null };
    return { type: 'accepted', ...(simulator.page(order) ?? none) };
  },

  page({ terms, attemptToken }: RailOrder): RailPage | null {
    return isInteractive(terms)
      ? { redirectUrl: `${terms.baseUrl}/simulator/${attemptToken}`, railReference: null }
      : null;
  },

  async query({ terms, attempt }: RailOrder, nowMs: number): Promise<Outcome> {
    const scenario = scenarioOf(terms);
    if (scenario !== null) {
      return outcomeIn(scenario, terms, attempt.startedAtMs, nowMs);
    }
    switch (terms.simulation) {
      case 'succeed':
        return { type: 'succeeded', receipt: null };
      case 'fail':
        return { type: 'failed', reason: 'declined' };
      default:
        // The customer decides on the simulator's page.
        return { type: 'unknown', checkAtMs: null };
    }
  },
};

/** When the scenario's window closes, and when the first query is worthwhile. */
function timesOf(
  { window, resolution }: Scenario,
  terms: IntentTerms,
  startedAtMs: number,
): Partial<AttemptPlan> {
  return {
    ...(window === null
      ? {}
      : { deadlineAtMs: timeOf(window, terms, startedAtMs), windowIsFinal: window.isFinal }),
    checkAtMs: resolution === null ? null : timeOf(resolution, terms, startedAtMs),
  };
}

function outcomeIn(
  { resolution }: Scenario,
  terms: IntentTerms,
  startedAtMs: number,
  nowMs: number,
): Outcome {
  if (resolution === null) {
    return { type: 'unknown', checkAtMs: null };
  }
  const resolvesAtMs = timeOf(resolution, terms, startedAtMs);
  return nowMs < resolvesAtMs ? { type: 'unknown', checkAtMs: resolvesAtMs } : resolution.outcome;
}

/** Whether a customer decides on the simulator's page. */
export function isInteractive(terms: IntentTerms): boolean {
  return hasCustomer(terms) && scenarioOf(terms) === null;
}

/** Hosted payments and ACTUAL_TEST: in the sandbox the customer plays the provider. */
function hasCustomer({ simulation }: IntentTerms): boolean {
  return simulation === null || simulation === 'interactive';
}
