import type { Attempt, IntentTerms } from '../domain/intent.ts';
import { CURRENCIES, type Currency, type Environment, type Method } from '../domain/method.ts';
import type { Rail } from './rail.ts';
import { configuredRail } from './settings.ts';
import { simulator } from './simulator/rail.ts';

/** The terms that decide which rail a new attempt uses. */
type Payment = Pick<IntentTerms, 'environment' | 'kind' | 'simulation' | 'currency'>;

/**
 * The rail that starts an attempt by `method`. Null when no configured rail accepts the currency:
 * the method is then not enabled (docs/decisions.md#23). The sandbox never gets a production rail.
 * It simulates, unless an express payment asks for the provider's test system and the operator has
 * credentials for it (docs/decisions.md#22).
 */
export function railFor(env: Env, payment: Payment, method: Method): Rail | null {
  const { environment, kind, simulation, currency } = payment;
  if (environment === 'sandbox' && !(kind === 'express' && simulation === 'interactive')) {
    return simulator;
  }
  const configured = configuredRail(env, environment, method);
  // Most requests to rails name no currency: the rail would charge the amount in its own.
  const rail = configured?.currencies.includes(currency) ? configured : null;
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

/** The currencies of a method; none when it is not enabled (docs/decisions.md#13 and #23). */
export function currenciesOf(
  env: Env,
  environment: Environment,
  method: Method,
): readonly Currency[] {
  return environment === 'sandbox'
    ? CURRENCIES
    : (configuredRail(env, 'production', method)?.currencies ?? []);
}
