import { readForm } from '../../checkout/form.ts';
import { badFormPage } from '../../checkout/notices.ts';
import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import { CURRENCIES, METHODS_BY_PROMPT, type Method } from '../../domain/method.ts';
import { seeOther } from '../../ui/headers.ts';
import type { CallbackResult, Rail, RailOrder, RailPage, StartResult } from '../rail.ts';

/**
 * How long a SIMULATED_TEST takes to settle by itself: docs/decisions.md#22, "within a second or
 * so".
 */
export const SIMULATED_SETTLE_AFTER_MS = 500;

/** Nothing leaves this Worker. */
const START_TIMEOUT_MS = 1_000;

/** What the buttons of the simulator's page post. */
export const SIMULATOR_OUTCOMES = ['approve', 'decline', 'give_up'] as const;
export type SimulatorOutcome = (typeof SIMULATOR_OUTCOMES)[number];

/** The sandbox's rail: the customer or `testMode` says how a payment ends; no money moves. */
export const simulator: Rail = {
  id: 'simulator',
  currencies: CURRENCIES,
  startTimeoutMs: START_TIMEOUT_MS,
  startsInQueue: false,

  plan(terms: IntentTerms, method: Method, nowMs: number): AttemptPlan {
    const interactive = isInteractive(terms);
    return {
      // As in production, so that merchants see both: sent to a page, or waiting for the phone.
      flow: interactive && !METHODS_BY_PROMPT.includes(method) ? 'redirect' : 'push',
      // An attempt that is nobody's but ours never outlives the payment (docs/decisions.md#30).
      deadlineAtMs: terms.expiresAtMs,
      windowIsFinal: true,
      checkAtMs: interactive ? null : nowMs + SIMULATED_SETTLE_AFTER_MS,
    };
  },

  async start(order: RailOrder): Promise<StartResult> {
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
        // Only the person in front of the page knows.
        return { type: 'unknown', checkAtMs: null };
    }
  },

  async handleCallback(request: Request, order: RailOrder): Promise<CallbackResult> {
    const chosen = (await readForm(request))?.get('outcome') ?? '';
    // A simulated payment has no page: nobody but `testMode` decides it.
    if (!isSimulatorOutcome(chosen) || !isInteractive(order.terms)) {
      return {
        type: 'refused',
        suspicion: 'unreadable',
        answer: await badFormPage(request, order.checkoutUrl),
      };
    }
    return {
      type: 'outcome',
      outcome: OUTCOME[chosen],
      givesUp: chosen === 'give_up',
      onlyPending: true,
      answer: ({ customerUrl }) => seeOther(request, customerUrl),
    };
  },
};

const OUTCOME: Readonly<Record<SimulatorOutcome, Outcome>> = {
  approve: { type: 'succeeded', receipt: null },
  decline: { type: 'failed', reason: 'declined' },
  give_up: { type: 'failed', reason: 'abandoned' },
};

function isSimulatorOutcome(text: string): text is SimulatorOutcome {
  return SIMULATOR_OUTCOMES.some((outcome) => outcome === text);
}

/** Hosted payments have no simulation: in the sandbox the customer plays the rail. */
function isInteractive(terms: IntentTerms): boolean {
  return terms.simulation === null || terms.simulation === 'interactive';
}
