import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../domain/method.ts';
import { successResponse } from '../http/envelope.ts';
import { railConfiguration, railSecretName } from '../rails/settings.ts';
import type { OperatorCall } from './call.ts';

export interface RailState {
  readonly environment: Environment;
  readonly method: Method;
  /** The name of the secret with its credentials. */
  readonly secret: string;
  readonly state: 'configured' | 'not_configured' | 'misconfigured';
  /** The adapter of a configured method. */
  readonly rail: string | null;
  /** Which field of the secret is invalid, and why. Never a value. */
  readonly problem: string | null;
}

/** GET …/rails: the rail of each method. */
export async function listRails({ env }: OperatorCall): Promise<Response> {
  return successResponse('Rails', railStates(env));
}

/** Every method in both environments. Reads the configuration and calls no provider. */
export function railStates(env: Env): readonly RailState[] {
  return ENVIRONMENTS.toReversed().flatMap((environment) =>
    METHODS.map((method) => railState(env, environment, method)),
  );
}

function railState(env: Env, environment: Environment, method: Method): RailState {
  const configuration = railConfiguration(env, environment, method);
  return {
    environment,
    method,
    secret: railSecretName(environment, method),
    state: configuration.state,
    rail: configuration.state === 'configured' ? configuration.rail.id : null,
    problem: configuration.state === 'misconfigured' ? configuration.problem : null,
  };
}
