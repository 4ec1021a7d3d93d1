import type { Refusal } from '../../engine/api/router.ts';
import { codeOf, type FieldErrors } from '../../kit/http/field-error.ts';
import { logLimited } from '../../kit/platform/limited-log.ts';
import { errorText } from '../../kit/platform/log.ts';
import { bookOf } from '../book/client.ts';
import { REFUSED_REQUESTS_MAX, type RefusedRequest } from '../book/refused-requests.ts';

/**
 * Stores a refused request for the merchant's developers, after the answer. A flood of them must not
 * become a flood of writes: an isolate writes a tenant's at most so often, and the next write brings
 * the newest of those in between.
 */
const WRITES_MAX = 10;
const PERIOD_MS = 60_000;
/** Bounds the memory. A tenant that is forgotten may write again at once. */
const TENANTS_MAX = 500;

interface Tenant {
  startedAtMs: number;
  writes: number;
  /** Newest first. */
  unwritten: RefusedRequest[];
}

const tenants = new Map<string, Tenant>();

/** For tests, whose gateways share an isolate. */
export function forgetRefusedRequests(): void {
  tenants.clear();
}

/** Volume 0 exists as long as the merchant. */
const VOLUME = 0;

/** Never throws. */
export async function recordRefused(env: Env, refusal: Refusal): Promise<void> {
  const { access, atMs } = refusal;
  const due = takeDue(`${access.environment}/${access.merchantId}`, requestOf(refusal), atMs);
  if (due.length === 0) {
    return;
  }
  try {
    await bookOf(env, access, VOLUME).recordRefused(due);
  } catch (error) {
    logLimited('refused_requests_not_recorded', { error: errorText(error) });
  }
}

/** What to write now, newest first; empty while the tenant has written enough. */
function takeDue(name: string, request: RefusedRequest, nowMs: number): readonly RefusedRequest[] {
  const known = tenants.get(name);
  const isOver = known === undefined || Math.abs(nowMs - known.startedAtMs) >= PERIOD_MS;
  const unwritten = [request, ...(known?.unwritten ?? [])].slice(0, REFUSED_REQUESTS_MAX);
  const tenant = isOver ? { startedAtMs: nowMs, writes: 0, unwritten } : { ...known, unwritten };
  const isDue = tenant.writes < WRITES_MAX;
  if (known === undefined && tenants.size >= TENANTS_MAX) {
    tenants.clear();
  }
  tenants.set(name, isDue ? { ...tenant, writes: tenant.writes + 1, unwritten: [] } : tenant);
  return isDue ? unwritten : [];
}

function requestOf({ access, atMs, requestId, method, path, problem }: Refusal): RefusedRequest {
  return {
    requestId,
    atMs,
    method: method.toUpperCase(),
    path,
    status: problem.status,
    code: problem.code,
    fields: fieldsOf(problem.validationErrors ?? {}),
    keyName: access.keyName,
  };
}

const FIELDS_MAX = 5;
/** A path of the API's own names. Its digits are places in lists, so it contains no phone number. */
const KNOWN_PATH = /^[A-Za-z]{1,40}(?:\[\d{1,3}\]|\.[A-Za-z]{1,40}){0,4}$/;

/** The merchant invents the names of unknown fields and of metadata: they are not stored. */
function fieldsOf(errors: FieldErrors): readonly string[] {
  return Object.entries(errors)
    .slice(0, FIELDS_MAX)
    .map(([path, error]) => {
      const code = codeOf(error);
      const name = path.startsWith('metadata') ? 'metadata' : path;
      return code === 'unknown_field' || !KNOWN_PATH.test(name) ? code : `${name}: ${code}`;
    });
}
