import { seal, unseal } from '../../kit/crypto/sealed.ts';
import { BoundedCache, type CacheEntry } from '../../kit/platform/bounded-cache.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { type Bindings, configOf } from '../config.ts';

/**
 * What D1 answered, kept in the data center's cache for isolates that know nothing yet when D1 fails
 * (docs/operations.md#when-d1-is-down). Other Workers of the zone share that cache, so copies are
 * sealed. At `workers.dev` the cache keeps nothing. Loaded only in the background and while D1 fails.
 */

export interface CopyPlace {
  readonly env: Bindings;
  /** An address of the gateway's own: Cloudflare would look up another host in DNS. */
  readonly url: string;
  /** What the copy is of. It may not be read as another one. */
  readonly name: string;
}

interface Copy<Value> {
  readonly value: Value;
  /** When the read of D1 began. */
  readonly readAtMs: number;
}

/** As long as an isolate's memory keeps a key, because a revoked one must not work for longer. */
const COPY_AGE_MS_MAX = 5 * 60 * 1_000;
/** An isolate stores the same value at most this often. */
const STORE_EVERY_MS = 60_000;
/** The merchant's server has already waited for D1. */
const READ_TIMEOUT_MS = 500;
/** The clocks of two machines may differ by this. */
const AHEAD_MS_MAX = 1_000;

/** The values that this isolate has stored, as JSON. */
const stored = new BoundedCache<string>({ sizeMax: 2_000, ageMsMax: STORE_EVERY_MS });

/** Only logs a failure. */
export async function storeCopy(place: CopyPlace, value: unknown, readAtMs: number): Promise<void> {
  const address = addressOf(place);
  const text = JSON.stringify(value);
  if (stored.get(address, readAtMs)?.value === text) {
    return;
  }
  stored.set(address, text, readAtMs);
  await attempt(async () => {
    const copy = JSON.stringify({ value, readAtMs } satisfies Copy<unknown>);
    const sealed = await seal(keysOf(place), copy, contextOf(place));
    const headers = { 'cache-control': `max-age=${COPY_AGE_MS_MAX / 1_000}` };
    await cache().put(address, new Response(sealed, { headers }));
  });
}

/** The copy unless it is forged, of another place, too old or late. Only logs a failure. */
export async function readCopy<Value>(
  place: CopyPlace,
  nowMs: number,
): Promise<CacheEntry<Value> | undefined> {
  return attempt(async () => {
    const sealed = await Promise.race([readText(place), scheduler.wait(READ_TIMEOUT_MS)]);
    const text = sealed ? await unseal(keysOf(place), sealed, contextOf(place)) : null;
    if (text === null) {
      return undefined;
    }
    const copy: Copy<Value> = JSON.parse(text);
    const ageMs = nowMs - copy.readAtMs;
    return ageMs < COPY_AGE_MS_MAX && ageMs > -AHEAD_MS_MAX ? copy : undefined;
  });
}

/** Only logs a failure. */
export async function deleteCopy(place: CopyPlace): Promise<void> {
  const address = addressOf(place);
  stored.delete(address);
  await attempt(() => cache().delete(address));
}

async function readText(place: CopyPlace): Promise<string | undefined> {
  const response = await cache().match(addressOf(place));
  return response?.text();
}

/** The types of browsers, which the project has too, lack Cloudflare's own cache. */
function cache(): Cache {
  return (caches as unknown as { readonly default: Cache }).default;
}

function keysOf({ env }: CopyPlace) {
  return configOf(env).dataEncryptionKeys;
}

/**
 * A version reads only its own copies, whose form it knows. One with another jurisdiction reads none,
 * because only D1 says whether that is the gateway's.
 */
function contextOf({ env, name }: CopyPlace): string {
  return `copies/${env.VERSION.id}/${env.OBJECT_JURISDICTION || 'none'}/${name}`;
}

function addressOf(place: CopyPlace): string {
  return new URL(`/${contextOf(place)}`, place.url).href;
}

async function attempt<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await step();
  } catch (error) {
    log('warn', 'copy_failed', { error: errorText(error) });
    return undefined;
  }
}
