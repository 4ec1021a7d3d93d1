import type { Method } from '../../engine/domain/method.ts';
import { railConfiguration } from '../../engine/rails/settings.ts';
import { runAct } from '../../kit/audit/log.ts';
import { found } from '../../kit/http/problem.ts';
import { CURRENCIES } from '../../kit/money.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { type MethodState, methodSettings, setMethodEnabled } from '../merchants/methods.ts';
import { byMember } from './member.ts';
import type { Plane } from './plane.ts';

/** A tenant's methods, and the largest payment in each currency. */
export async function standings({ env }: Plane, tenant: Tenant) {
  const { methods, limits } = await methodSettings(env.DB, tenant);
  return {
    methods: methods.map((state) => methodStanding(env, tenant.environment, state)),
    limits,
  };
}

/** Enables or disables an offered method for new payments. Problem 404 for any other method. */
export const setEnabled = byMember(async (by, name: string, isEnabled: boolean): Promise<void> => {
  const { methods } = await methodSettings(by.env.DB, by.tenant);
  const { method } = found(methods.find((state) => state.method === name && state.offered));
  const action = isEnabled ? 'method.enabled' : 'method.disabled';
  await runAct(by, [setMethodEnabled(by.tenant, method, isEnabled)], { action, target: method });
});

/** A method as its merchant sees it. */
function methodStanding(env: Env, environment: Environment, state: MethodState) {
  const { rail, currencies } = railStanding(env, environment, state.method);
  return { ...state, rail, currencies, standing: standingOf(state, currencies.length > 0) };
}

export type MethodStanding = ReturnType<typeof methodStanding>;

function standingOf(
  state: MethodState,
  isConnected: boolean,
): 'on' | 'off' | 'not_offered' | 'not_connected' {
  if (!state.offered) {
    return 'not_offered';
  }
  if (!state.enabled) {
    return 'off';
  }
  return isConnected ? 'on' : 'not_connected';
}

/**
 * Which rail a method has, and its currencies; none without a rail. The sandbox always simulates, and
 * also has the provider's test system if the operator has connected it. Production needs the rail.
 */
function railStanding(env: Env, environment: Environment, method: Method) {
  const configuration = railConfiguration(env, environment, method);
  if (configuration.state === 'misconfigured') {
    // Only the operator may see what is wrong with the secret.
    return { rail: 'misconfigured', currencies: [] } as const;
  }
  const rail = configuration.state === 'configured' ? configuration.rail : null;
  if (environment === 'sandbox') {
    const standing = rail === null ? 'simulated' : 'simulated_and_test';
    return { rail: standing, currencies: CURRENCIES } as const;
  }
  return rail === null
    ? ({ rail: 'missing', currencies: [] } as const)
    : ({ rail: 'connected', currencies: rail.currencies } as const);
}
