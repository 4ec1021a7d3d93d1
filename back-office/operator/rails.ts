import { auditEntry } from '../../src/audit/log.ts';
import { runBatch } from '../../src/database.ts';
import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../../src/domain/method.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { problem } from '../../src/http/problem.ts';
import { isWithinLimit } from '../../src/http/rate-limit.ts';
import type { ProbeResult } from '../../src/rails/rail.ts';
import { configuredRail, railConfiguration, railSecretName } from '../../src/rails/settings.ts';
import type { OperatorCall } from './call.ts';
import { operatorProblem } from './problems.ts';
import { environmentField, methodField, pathPart } from './schema.ts';

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

/** The period of RAIL_PROBE_RATE_LIMIT. */
const PROBE_PERIOD_SECONDS = 60;

/** What a probe of one rail saw. */
export interface ProbedRail extends ProbeResult {
  readonly environment: Environment;
  readonly method: Method;
}

/** POST …/rails/{environment}/{method}/probe: tries the credentials; see `Probe`. */
export async function postProbe(call: OperatorCall): Promise<Response> {
  return successResponse('Probed', await probeRail(call));
}

/**
 * Probes the rail that the path names. Problem 404 for a malformed path, 409 without a valid secret,
 * 429 after a few probes in a minute.
 */
export async function probeRail(call: OperatorCall): Promise<ProbedRail> {
  const { env, config, params, url, actor, nowMs: atMs } = call;
  const environment = pathPart(environmentField, params.environment);
  const method = pathPart(methodField, params.method);
  const secret = railSecretName(environment, method);
  const rail = configuredRail(env, environment, method);
  if (rail?.probe === undefined) {
    throw operatorProblem('rail_not_configured', { secret });
  }
  if (!(await isWithinLimit(config, env.RAIL_PROBE_RATE_LIMIT, secret))) {
    throw problem('too_many_requests', { retryAfterSeconds: PROBE_PERIOD_SECONDS });
  }
  // No payment is behind this address, so what a provider posts there is refused.
  const resultUrl = `${config.publicBaseUrl ?? url.origin}/rails/${rail.id}/probe`;
  const result = await rail.probe(resultUrl);
  const { outcome, status: httpStatus } = result;
  const entry = { actor, merchantId: null, environment, target: method, atMs } as const;
  const detail = { outcome, httpStatus };
  await runBatch(env.DB, [auditEntry({ ...entry, action: 'rail.probed', detail })]);
  return { environment, method, ...result };
}
