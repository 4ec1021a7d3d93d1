import type { Environment } from '../../kit/tenant.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { Method } from '../domain/method.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { Rail, RailRules } from './rail.ts';
import { configuredRail, productionRules } from './settings.ts';
import { simulator } from './simulator/rail.ts';

export { CALLBACK_ROUTES } from './settings.ts';

/** The terms that decide which rail a new attempt uses. */
type Payment = Pick<IntentTerms, 'environment' | 'kind' | 'simulation' | 'currency' | 'appForm'>;

/**
 * The rail that starts an attempt by `method`. Null when no configured rail accepts the currency, or
 * starts in the payment's form: the method is then not enabled (docs/decisions.md#23). The sandbox
 * never gets a production rail. It simulates, unless an express payment asks for the provider's test
 * system and the operator has credentials for it (docs/decisions.md#22).
 */
export function railFor(env: Env, payment: Payment, method: Method): Rail | null {
  return chosenRail(configuredRail(env, payment.environment, method), payment);
}

function chosenRail(
  configured: Rail | null,
  { environment, kind, simulation, currency, appForm }: Payment,
): Rail | null {
  if (environment === 'sandbox' && !(kind === 'express' && simulation === 'interactive')) {
    return simulator;
  }
  // Most requests to rails name no currency: the rail would charge the amount in its own.
  const takesCurrency = configured?.currencies.includes(currency);
  const hasForm = appForm === undefined || configured?.appForms?.includes(appForm);
  const rail = takesCurrency && hasForm ? configured : null;
  return environment === 'sandbox' ? (rail ?? simulator) : rail;
}

/** The rail that an attempt was started with, or null when it is no longer configured. */
export function railOf(env: Env, terms: IntentTerms, attempt: Attempt): Rail | null {
  if (attempt.railId === simulator.id) {
    return terms.environment === 'sandbox' ? simulator : null;
  }
  const configured = configuredRail(env, terms.environment, attempt.method);
  return configured?.id === attempt.railId ? configured : null;
}

/**
 * Whether a number (251XXXXXXXXX) can have an account with the rail that would start the attempt.
 * Checked before the attempt, because the provider's own refusal looks like a bank's decline.
 */
export function acceptsPhone(env: Env, payment: Payment, method: Method, phone: string): boolean {
  return railFor(env, payment, method)?.acceptsPhone?.(phone) ?? true;
}

/** What a method takes and which rail starts a payment by it: one answer for a whole request. */
export interface MethodSupport {
  /** In production. The sandbox warns by them, perhaps before production is set up. */
  readonly rules: RailRules;
  /** As `railFor` says. */
  readonly chooseRail: (payment: Payment) => Rail | null;
}

/** Null when the method is not enabled (docs/decisions.md#13 and #23). */
export function methodSupport(
  env: Env,
  environment: Environment,
  method: Method,
): MethodSupport | null {
  const configured = configuredRail(env, environment, method);
  const rules = environment === 'production' ? configured : productionRules(env, method);
  return rules && { rules, chooseRail: (payment) => chosenRail(configured, payment) };
}
