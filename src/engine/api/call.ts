import type { Changing } from '../../kit/audit/log.ts';
import { type Problem, problem } from '../../kit/http/problem.ts';
import {
  clientAddress,
  clientNetwork,
  isWithinLimit,
  type RatePolicy,
} from '../../kit/http/rate-limit.ts';
import type { Environment } from '../../kit/tenant.ts';
import { type Config, configOf } from '../config.ts';
import type { MerchantRequester } from '../domain/refund.ts';
import type { MerchantAccess } from '../merchants/access.ts';
import { genuineApiKeyDigest } from '../merchants/api-key.ts';
import { authenticate } from '../merchants/directory.ts';
import { grants, type KeyPermission } from '../merchants/key-permissions.ts';

/** An authenticated request, with what routes need. */
export interface MerchantCall {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly config: Config;
  readonly access: MerchantAccess;
  /** When the request began. Decides which cached values are fresh enough. */
  readonly nowMs: number;
  /** The `id` in the path, percent-decoded, for routes that have one. */
  readonly id: string;
}

/** A call with a valid key, before its route. */
type IdentifiedCall = Omit<MerchantCall, 'id'>;

/** Counts the calls with one API key. */
const KEY_POLICY: RatePolicy = { name: 'key', requestsMax: 1_000, periodSeconds: 10 };
/** Counts the calls without a valid key from one network. */
const NETWORK_POLICY: RatePolicy = { name: 'network', requestsMax: 30, periodSeconds: 60 };

/** Counts the calls of a merchant that send events again. */
export const RESEND_POLICY: RatePolicy = { name: 'resend', requestsMax: 60, periodSeconds: 60 };

/** The limits of all calls that need a key. */
export const CALL_POLICIES = [KEY_POLICY, NETWORK_POLICY];

/** What a call's key must be good for. */
export interface Requirement {
  readonly environment: Environment | 'any';
  /** Null: any key will do. */
  readonly permission: KeyPermission | null;
}

/**
 * Checks the `apiKey` header (docs/decisions.md#9) and the key's rate limit (docs/decisions.md#27).
 * An invented key costs no D1 query, and a genuine one, even if revoked, no more than its rate limit.
 * Problems: 401, 429. Calls no object.
 */
export async function identify(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<IdentifiedCall> {
  const config = configOf(env);
  const nowMs = Date.now();
  const refuse = (refusal: Problem) => refuseKey({ request, env, config }, refusal);
  const apiKey = request.headers.get('apiKey');
  if (apiKey === null) {
    return refuse(problem('api_key_missing'));
  }
  const digest = await genuineApiKeyDigest(config.dataEncryptionKeys, apiKey, nowMs);
  if (digest === null) {
    return refuse(problem('api_key_invalid'));
  }
  await limitCalls(config, env.API_RATE_LIMIT, digest, KEY_POLICY);
  const access = await authenticate({ env, ctx, url: request.url, digest, nowMs });
  return access === null
    ? refuse(problem('api_key_invalid'))
    : { request, env, ctx, config, access, nowMs };
}

/**
 * Checks that the key is of this environment and has the permission (docs/decisions.md#37). Problems:
 * 403, 429.
 */
export async function requireRight(
  call: IdentifiedCall,
  { environment, permission }: Requirement,
): Promise<void> {
  const { access } = call;
  if (environment !== 'any' && access.environment !== environment) {
    return refuseKey(call, problem('api_key_wrong_environment', { environment }));
  }
  if (permission !== null && !grants(access.permissions, permission)) {
    throw problem('permission_missing', { permission });
  }
}

/** Counts the call against its network, and throws the refusal. */
async function refuseKey(
  { request, env, config }: Pick<MerchantCall, 'request' | 'env' | 'config'>,
  refusal: Problem,
): Promise<never> {
  await limitCalls(config, env.FAILED_KEY_RATE_LIMIT, clientNetwork(request), NETWORK_POLICY);
  throw refusal;
}

/** Counts a call. Problem 429 when there were too many. */
export async function limitCalls(
  config: Config,
  limiter: RateLimit,
  key: string,
  { periodSeconds }: RatePolicy,
): Promise<void> {
  if (!(await isWithinLimit(config, limiter, key))) {
    throw problem('too_many_requests', { retryAfterSeconds: periodSeconds });
  }
}

/** A program that changes something with an API key. */
export function changing({ request, env, access, nowMs }: MerchantCall): Changing {
  const { keyDigest: id, keyName: name } = access;
  const actor = { kind: 'api_key', id, name, address: clientAddress(request) } as const;
  return { env, tenant: access, actor, nowMs };
}

/**
 * The program, as the payment's own history names it: what a key does to payments is not in the audit
 * log (docs/decisions.md#54).
 */
export function requesterOf({ access }: Pick<MerchantCall, 'access'>): MerchantRequester {
  return { type: 'api', keyId: access.keyDigest };
}

/** The origin of the customer's pages (docs/decisions.md#26). */
export function ownOriginOf({
  config,
  request,
}: Pick<MerchantCall, 'config'> & { readonly request: Pick<Request, 'url'> }): string {
  return config.publicBaseUrl ?? new URL(request.url).origin;
}
