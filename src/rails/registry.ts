import type { Attempt, IntentTerms } from '../domain/intent.ts';
import { CURRENCIES, type Currency, type Environment, type Method } from '../domain/method.ts';
import type { Rail } from './rail.ts';
import { configuredRail } from './settings.ts';
import { simulator } from './simulator/rail.ts';

/** What decides which rail a new attempt goes to. */
type Payment = Pick<IntentTerms, 'environment' | 'kind' | 'simulation' | 'currency'>;

/**
 * The rail that starts an attempt by `method`, or null when none is configured that takes the
 * currency: the method is then not enabled (docs/decisions.md#23). The sandbox never gets a production rail;
 * it simulates, unless an express payment asks for the rail's own test system and there are
 * credentials for it (docs/decisions.md#22).
 */
export function railFor(env: Env, payment: Payment, method: Method): Rail | null {
  const { environment, kind, simulation, currency } = payment;
  if (environment === 'sandbox' && !(kind === 'express' && simulation === 'interactive')) {
    return simulator;
  }
  const configured = configuredRail(env, environment, method);
  // Most rails name no currency in what they are sent: another one would be charged as their own.
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
 * Checked before an attempt is made, because a rail's own refusal looks like a bank's.
 */
export function acceptsPhone(env: Env, payment: Payment, method: Method, phone: string): boolean {
  return railFor(env, payment, method)?.acceptsPhone?.(phone) ?? true;
}

/** The currencies that a method takes; none when it is not enabled (docs/decisions.md#13 and #23). */
export function currenciesOf(
  env: Env,
  environment: Environment,
  method: Method,
): readonly Currency[] {
  return environment === 'sandbox'
    ? CURRENCIES
    : (configuredRail(env, 'production', method)?.currencies ?? []);
}
