import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import { CURRENCIES, METHODS_BY_PROMPT, type Method } from '../../domain/method.ts';
import type { Rail, RailOrder, RailPage, RecoverablePage, StatusQuery } from '../rail.ts';

/** When a SIMULATED_TEST payment gets its outcome: docs/decisions.md#22, "within a second or so". */
export const SIMULATED_OUTCOME_AFTER_MS = 500;

/**
 * The customer has at least this long, as a provider's customer would, so that merchants can try an
 * expiry during an attempt: long enough to see it, short enough to wait for (docs/decisions.md#30).
 */
export const SIMULATED_WINDOW_MS = 30_000;

/** The simulator sends nothing outside this Worker. */
const START_TIMEOUT_MS = 1_000;

/**
 * The sandbox's rail: the customer or `testMode` decides the outcome, and no money moves. The
 * customer decides on our own page, so no provider sends callbacks.
 */
export const simulator: Rail & RecoverablePage & StatusQuery = {
  id: 'simulator',
  currencies: CURRENCIES,
  startTimeoutMs: START_TIMEOUT_MS,
  timeNeededMs: 0,

  plan(terms: IntentTerms, method: Method, nowMs: number): AttemptPlan {
    const interactive = isInteractive(terms);
    return {
      // As in production, so that merchants can test both flows: a page and a phone prompt.
      flow: interactive && !METHODS_BY_PROMPT.includes(method) ? 'redirect' : 'push',
      deadlineAtMs: Math.max(terms.expiresAtMs, nowMs + SIMULATED_WINDOW_MS),
      // No provider can report anything later.
      windowIsFinal: true,
      checkAtMs: interactive ? null : nowMs + SIMULATED_OUTCOME_AFTER_MS,
    };
  },

  async start(order) {
    const none = { redirectUrl: null, railReference: null };
    return { type: 'accepted', ...(simulator.page(order) ?? none) };
  },

  page({ terms, attemptToken }: RailOrder): RailPage | null {
    return isInteractive(terms)
      ? { redirectUrl: `${terms.baseUrl}/simulator/${attemptToken}`, railReference: null }
      : null;
  },

  async query({ terms }: RailOrder): Promise<Outcome> {
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

/** Hosted payments have no simulation: in the sandbox the customer plays the provider. */
export function isInteractive(terms: IntentTerms): boolean {
  return terms.simulation === null || terms.simulation === 'interactive';
}
