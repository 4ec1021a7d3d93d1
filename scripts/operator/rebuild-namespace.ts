import type { Rebuilt } from '../../src/recovery/rebuild-books.ts';
import { GatewayError, send } from './client.ts';
import type { Gateway } from './command.ts';
import { type ApiRequest, type Given, UsageError } from './command.ts';

/**
 * Rebuilds books from nothing: Cloudflare lists the ids of all payments' objects, and each object
 * sends its payment again. A Worker cannot list objects, so this runs on the operator's machine.
 */

const CLOUDFLARE_API = 'https://api.cloudflare.com/client/v4';
/** Cloudflare's largest page. */
const LISTED_MAX = 10_000;
/** As many as one request to the gateway takes. */
const REBUILT_MAX = 200;
const TIMEOUT_MS = 60_000;

/**
 * A payment costs two calls of objects, and in an empty book up to nine rows and four of its search
 * index; in a full one no row.
 */
const DOLLARS_A_MILLION = { calls: 2 * 0.15, rowsMax: 13 };

/** How far the rebuild has come: the page of the list, and the ids of it that are done. */
interface Progress extends Rebuilt {
  /** The value of `--from` that continues here; null at the end. */
  readonly next: string | null;
  readonly costsDollarsAtMost: string;
}

/** Yields after each REBUILT_MAX payments. */
export async function* rebuildNamespace(
  gateway: Gateway,
  given: Given,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<Progress> {
  const total = { rebuilt: 0, missing: 0, failed: 0 };
  const [, cursor = '', skipped = '0'] = /^([^@]*)@(\d+)$/.exec(given.option('from') ?? '@0') ?? [];
  let skip = Number(skipped);
  for (let page: string | null = cursor; page !== null; skip = 0) {
    const listed: Listed = await listObjects(environment, given.at('NAMESPACE'), page);
    for (let done = skip; done < listed.ids.length; done += REBUILT_MAX) {
      const objectIds = listed.ids.slice(done, done + REBUILT_MAX);
      const request: ApiRequest = { path: '/books/rebuild', body: { objectIds } };
      const result = (await send(gateway, request)) as Rebuilt;
      total.rebuilt += result.rebuilt;
      total.missing += result.missing;
      total.failed += result.failed;
      const isPageOver = done + objectIds.length >= listed.ids.length;
      const here = isPageOver ? listed.cursor : page;
      yield {
        ...total,
        next: here === null ? null : `${here}@${isPageOver ? 0 : done + objectIds.length}`,
        costsDollarsAtMost: dollarsOf(total),
      };
    }
    page = listed.cursor;
  }
}

function dollarsOf({ rebuilt, missing, failed }: Rebuilt): string {
  const { calls, rowsMax } = DOLLARS_A_MILLION;
  return (((rebuilt + missing + failed) * calls + rebuilt * rowsMax) / 1e6).toFixed(4);
}

interface Listed {
  readonly ids: readonly string[];
  /** The cursor of the next page; null after the last one. */
  readonly cursor: string | null;
}

async function listObjects(
  environment: NodeJS.ProcessEnv,
  namespace: string,
  cursor: string,
): Promise<Listed> {
  const {
    CLOUDFLARE_ACCOUNT_ID: account,
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_API_BASE_URL: base = CLOUDFLARE_API,
  } = environment;
  if (!account || !token) {
    throw new UsageError('CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN must be set');
  }
  const query = new URLSearchParams({ limit: String(LISTED_MAX), ...(cursor && { cursor }) });
  const place = `accounts/${account}/workers/durable_objects/namespaces/${namespace}/objects`;
  const response = await fetch(`${base}/${place}?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    throw new GatewayError(`Cloudflare did not list the objects: ${response.status}`);
  }
  const { result, result_info: info } = (await response.json()) as {
    readonly result: readonly { readonly id: string; readonly hasStoredData: boolean }[];
    readonly result_info?: { readonly cursor?: string };
  };
  return {
    // An object without data is a name that was only asked for.
    ids: result.filter(({ hasStoredData }) => hasStoredData).map(({ id }) => id),
    cursor: info?.cursor || null,
  };
}
