import {
  CURRENCIES,
  type Currency,
  type Environment,
  type Method,
} from '../../../src/domain/method.ts';
import { type CommissionRate, majorText } from '../../../src/domain/money.ts';
import type { MethodState } from '../../../src/merchants/methods.ts';
import { railConfiguration } from '../../../src/rails/settings.ts';

/**
 * Which rail a method has. The sandbox always simulates, and also has the provider's test system if
 * the operator has connected it. Production needs the rail.
 */
export type RailStanding =
  | 'simulated'
  | 'simulated_and_test'
  | 'connected'
  | 'missing'
  | 'misconfigured';

/** A method as its merchant sees it. */
export interface MethodStanding extends MethodState {
  readonly rail: RailStanding;
  /** Empty without a rail. */
  readonly currencies: readonly Currency[];
  readonly standing: 'on' | 'off' | 'not_offered' | 'not_connected';
}

export function methodStanding(
  env: Env,
  environment: Environment,
  state: MethodState,
): MethodStanding {
  const { rail, currencies } = railStanding(env, environment, state.method);
  return { ...state, rail, currencies, standing: standingOf(state, currencies.length > 0) };
}

function standingOf(state: MethodState, isConnected: boolean): MethodStanding['standing'] {
  if (!state.offered) {
    return 'not_offered';
  }
  if (!state.enabled) {
    return 'off';
  }
  return isConnected ? 'on' : 'not_connected';
}

function railStanding(
  env: Env,
  environment: Environment,
  method: Method,
): Pick<MethodStanding, 'rail' | 'currencies'> {
  const configuration = railConfiguration(env, environment, method);
  if (configuration.state === 'misconfigured') {
    // Only the operator may see what is wrong with the secret.
    return { rail: 'misconfigured', currencies: [] };
  }
  const rail = configuration.state === 'configured' ? configuration.rail : null;
  if (environment === 'sandbox') {
    return { rail: rail === null ? 'simulated' : 'simulated_and_test', currencies: CURRENCIES };
  }
  return rail === null
    ? { rail: 'missing', currencies: [] }
    : { rail: 'connected', currencies: rail.currencies };
}

/** "2.5% + 1.00"; null for a method without commission. */
export function rateText({ basisPoints, fixedMinor }: CommissionRate): string | null {
  const percent = majorText(basisPoints).replace(/\.?0+$/, '');
  const parts = [basisPoints > 0 && `${percent}%`, fixedMinor > 0 && majorText(fixedMinor)];
  const text = parts.filter(Boolean).join(' + ');
  return text === '' ? null : text;
}
