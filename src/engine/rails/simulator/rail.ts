import { CURRENCIES } from '../../../kit/money.ts';
import type { AttemptPlan, Outcome } from '../../domain/attempt.ts';
import { TRAITS } from '../../domain/method.ts';
import type { RefundCapability } from '../../domain/refund.ts';
import type { IntentTerms } from '../../domain/terms.ts';
import type { Rail, RailPage, StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import { type Scenario, SIMULATED_OUTCOME_AFTER_MS, scenarioOf, timeOf } from './scenarios.ts';

/** The simulator sends nothing outside this Worker. */
const START_TIMEOUT_MS = 1_000;

/**
 * The sandbox's rail: the payment's amount (`scenarios.ts`), `testMode` or else the customer decides
 * the outcome, and no money moves. The customer decides on our own page, so no provider sends
 * callbacks.
 */
export const simulator = {
  id: 'simulator',
  currencies: CURRENCIES,
  startTimeoutMs: START_TIMEOUT_MS,

  plan(terms, method, nowMs) {
    const scenario = scenarioOf(terms);
    const isByPrompt = TRAITS[method].confirmsOn === 'phone' && !scenario?.isAbandonable;
    return {
      // As in production, so that merchants can test both flows: a page and a phone prompt.
      flow: hasCustomer(terms) && !isByPrompt ? 'redirect' : 'push',
      ...(scenario === null ? ordinaryTimes(terms, nowMs) : timesOf(scenario, terms, nowMs)),
    };
  },

  async start(order): Promise<StartResult> {
    if (order.terms.simulation === 'fail') {
      return { type: 'refused', reason: 'declined' };
    }
    const { redirectUrl } = (await pageOf(order)) ?? { redirectUrl: null };
    const accepted = { type: 'accepted', redirectUrl, railReference: null } as const;
    return scenarioOf(order.terms)?.start ?? accepted;
  },

  page: pageOf,

  async query({ terms, attempt }, nowMs): Promise<Outcome> {
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

  refunds: { takesParts: true, wholeAmountsOnly: false, windowMs: null } as RefundCapability,

  refundStartsAfterMs: async (amountMinor) =>
    (await import('./refunds.ts')).startsAfterMs(amountMinor),

  refund: async (order) => (await import('./refunds.ts')).refund(order),

  refundStatus: async (order, nowMs) => (await import('./refunds.ts')).refundStatus(order, nowMs),
} satisfies Rail;

async function pageOf({ terms, attemptToken }: RailOrder): Promise<RailPage | null> {
  return isInteractive(terms)
    ? { redirectUrl: `${terms.baseUrl}/simulator/${attemptToken}`, railReference: null }
    : null;
}

type Times = Pick<AttemptPlan, 'deadlineAtMs' | 'windowIsFinal' | 'checkAtMs'>;

/** The sandbox expires at `expireIn`, also during an attempt (docs/decisions.md#22). */
function ordinaryTimes(terms: IntentTerms, nowMs: number): Times {
  return {
    deadlineAtMs: terms.expiresAtMs,
    // No provider can report anything later.
    windowIsFinal: true,
    checkAtMs: isInteractive(terms) ? null : nowMs + SIMULATED_OUTCOME_AFTER_MS,
  };
}

/**
 * When the scenario's window closes, and when the first query is worthwhile. Only a scenario that is
 * about the time after the expiry outlasts the payment.
 */
function timesOf({ window, resolution }: Scenario, terms: IntentTerms, startedAtMs: number): Times {
  const { expiresAtMs } = terms;
  const endsAtMs = window === null ? expiresAtMs : timeOf(window, terms, startedAtMs);
  const deadlineAtMs = window?.from === 'expiry' ? endsAtMs : Math.min(endsAtMs, expiresAtMs);
  const windowIsFinal = window?.isFinal ?? true;
  const resolvesAtMs = resolution === null ? null : timeOf(resolution, terms, startedAtMs);
  // After a final window the customer has not paid, so there is nothing to query.
  const isInTime = resolvesAtMs !== null && (!windowIsFinal || resolvesAtMs < deadlineAtMs);
  return { deadlineAtMs, windowIsFinal, checkAtMs: isInTime ? resolvesAtMs : null };
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
  if (nowMs < resolvesAtMs) {
    return { type: 'unknown', checkAtMs: resolvesAtMs };
  }
  const { outcome } = resolution;
  return outcome.type === 'succeeded' ? { ...outcome, paidAtMs: resolvesAtMs } : outcome;
}

/** Whether a customer decides on the simulator's page. */
export function isInteractive(terms: IntentTerms): boolean {
  return hasCustomer(terms) && scenarioOf(terms) === null;
}

/** Hosted payments and ACTUAL_TEST: in the sandbox the customer plays the provider. */
function hasCustomer({ simulation }: IntentTerms): boolean {
  return simulation === null || simulation === 'interactive';
}
