/** The refused requests of a merchant's keys, newest first: what its developers look at. */

/** One request that a valid key made, without anything of its body but the names of known fields. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly atMs: number;
  readonly method: string;
  /** As the reference names it: `/api/v1/payment/intents/{id}`. */
  readonly path: string;
  readonly status: number;
  readonly code: string;
  /** The fields that break a rule, and which: `items[0].price: too_small`. */
  readonly fields: readonly string[];
  readonly keyName: string;
}

/** Enough to find the request that has just failed; bounds the row. */
export const REFUSED_REQUESTS_MAX = 50;

/** One row of the object's own storage, because there are refused requests before any payment. */
const KEY = 'refused-requests';

export function readRefused({ kv }: DurableObjectStorage): readonly RefusedRequest[] {
  return kv.get<readonly RefusedRequest[]>(KEY) ?? [];
}

/** Adds requests, newest first. One that is sent twice is stored once. */
export function recordRefused(
  storage: DurableObjectStorage,
  added: readonly RefusedRequest[],
): void {
  const ids = new Set(added.map(({ requestId }) => requestId));
  const known = readRefused(storage).filter(({ requestId }) => !ids.has(requestId));
  storage.kv.put(KEY, [...added, ...known].slice(0, REFUSED_REQUESTS_MAX));
}
