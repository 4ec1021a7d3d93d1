import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../domain/method.ts';
import { successResponse } from '../http/envelope.ts';
import { railConfiguration, railSecretName } from '../rails/settings.ts';
import type { OperatorCall } from './call.ts';

export interface RailState {
  readonly environment: Environment;
  readonly method: Method;
  /** The secret that holds its credentials, by name. */
  readonly secret: string;
  readonly state: 'configured' | 'not_configured' | 'misconfigured';
  /** The adapter that a configured method goes to. */
  readonly rail: string | null;
  /** What is wrong with which field of the secret, never a value. */
  readonly problem: string | null;
}

/** GET …/rails: which methods have a rail. */
export async function listRails({ env }: OperatorCall): Promise<Response> {
  return successResponse('Rails', railStates(env));
}

/** Every method in both environments. Reads the configuration and asks no rail. */
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
