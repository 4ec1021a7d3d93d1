import { METHODS, type Method } from '../../engine/domain/method.ts';
import type { ProbeResult } from '../../engine/rails/rail.ts';
import { railConfiguration, railSecretName } from '../../engine/rails/settings.ts';
import { type Actor, record } from '../../kit/audit/log.ts';
import { problem } from '../../kit/http/problem.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { callOf, entryBy, type Gateway, type Target } from '../operator/call.ts';
import { environmentField, methodField, pathPart } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';

/** Every method in both environments. Reads the configuration and calls no provider. */
export function railStates(env: Env): readonly RailState[] {
  return ENVIRONMENTS.toReversed().flatMap((environment) =>
    METHODS.map((method) => railState(env, environment, method)),
  );
}

export type RailState = ReturnType<typeof railState>;

function railState(env: Env, environment: Environment, method: Method) {
  const configuration = railConfiguration(env, environment, method);
  return {
    environment,
    method,
    /** The name of the secret with its credentials. */
    secret: railSecretName(environment, method),
    /** The sandbox simulates a rail that has no secret. */
    state:
      configuration.state === 'not_configured' && environment === 'sandbox'
        ? ('simulated' as const)
        : configuration.state,
    /** The adapter of a configured method. */
    rail: configuration.state === 'configured' ? configuration.rail.id : null,
    /** Which field of the secret is invalid, and why. Never a value. */
    problem: configuration.state === 'misconfigured' ? configuration.problem : null,
  };
}

/** The period of RAIL_PROBE_RATE_LIMIT. */
const PROBE_PERIOD_SECONDS = 60;

/** What a probe of one rail saw. */
export interface ProbedRail extends ProbeResult {
  readonly environment: Environment;
  readonly method: Method;
  /** The binding that the calls went through; null: over the internet. */
  readonly through: string | null;
}

/**
 * Tries the credentials of the rail that the path names; see `Rail.probe`. Problem 404 for a malformed
 * path, 409 without a valid secret, 429 after a few probes in a minute. `origin`: the gateway's, for
 * a gateway without PUBLIC_BASE_URL.
 */
export async function probe(
  gateway: Gateway,
  by: Actor,
  target: Target,
  origin: string,
): Promise<ProbedRail> {
  const call = callOf(gateway, by);
  const { env, config } = call;
  const environment = pathPart(environmentField, target.environment);
  const method = pathPart(methodField, target.method);
  const secret = railSecretName(environment, method);
  const configuration = railConfiguration(env, environment, method);
  const { rail = null, through = null } = configuration.state === 'configured' ? configuration : {};
  if (rail?.probe === undefined) {
    throw operationProblem('rail_not_configured', { secret });
  }
  if (!(await isWithinLimit(config, env.RAIL_PROBE_RATE_LIMIT, secret))) {
    throw problem('too_many_requests', { retryAfterSeconds: PROBE_PERIOD_SECONDS });
  }
  const entry = { merchantId: null, environment, target: method } as const;
  await record(env.DB, entryBy(call, { ...entry, action: 'rail.probe_requested' }));
  // This address belongs to no payment, so Kefel refuses what a provider posts there.
  const resultUrl = `${config.publicBaseUrl ?? origin}/rails/${rail.id}/probe`;
  const result = await rail.probe(resultUrl);
  const { outcome, status: httpStatus } = result;
  const detail = { outcome, httpStatus };
  await record(env.DB, entryBy(call, { ...entry, action: 'rail.probed', detail }));
  return { environment, method, through, ...result };
}
