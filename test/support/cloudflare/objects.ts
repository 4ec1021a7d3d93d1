import type { Account } from './account.ts';
import { Answer, ApiError, type Call, type Handlers, jsonOf, page } from './api.ts';
import type { Runtime } from './runtime.ts';

const NAMESPACES = '/accounts/{account}/workers/durable_objects/namespaces';
const OBJECTS = '/accounts/{account}/r2/buckets/{bucket}/objects';
const OBJECTS_SHOWN = 1000;

/** What the project's own scripts ask: see test/fixtures/cloudflare/additions.json. */
export function objectHandlers(account: Account, runtime: Runtime): Handlers {
  const namespaces = () =>
    [...account.scripts.values()].flatMap((script) =>
      script.namespaces.map((namespace) => ({
        ...namespace,
        name: `${script.name}_${namespace.class}`,
        script: script.name,
      })),
    );
  return {
    [`GET ${NAMESPACES}`]: ({ query }) => page(namespaces(), query),
    [`GET ${NAMESPACES}/{namespace}/objects`]: async ({ params, query }) => {
      const namespace = namespaces().find(({ id }) => id === params.namespace);
      if (namespace === undefined) {
        throw new ApiError(10066, 'The namespace does not exist', 404);
      }
      const ids = (await runtime.objects(namespace)).toSorted();
      const after = query.get('cursor') ?? '';
      const limit = Number(query.get('limit') ?? OBJECTS_SHOWN);
      const shown = ids.filter((id) => id > after).slice(0, limit);
      const more = shown.at(-1) === ids.at(-1) ? {} : { cursors: { after: shown.at(-1) } };
      return new Answer(
        shown.map((id) => ({ id, hasStoredData: true })),
        { info: { count: shown.length, ...more } },
      );
    },
    [`GET ${OBJECTS}`]: async ({ params, query }) => {
      const bucket = await runtime.bucket(params.bucket ?? '');
      const cursor = query.get('cursor');
      const listed = await bucket.list({
        limit: Number(query.get('per_page') ?? OBJECTS_SHOWN),
        prefix: query.get('prefix') ?? '',
        ...(cursor !== null && { cursor }),
      });
      const objects = listed.objects.map(({ key, size, etag }) => ({ key, size, etag }));
      const info = listed.truncated
        ? { cursor: listed.cursor, is_truncated: true }
        : { is_truncated: false };
      return new Answer(objects, { info });
    },
    [`DELETE ${OBJECTS}/{object}`]: async ({ params }) => {
      await (await runtime.bucket(params.bucket ?? '')).delete(params.object ?? '');
      return { key: params.object };
    },
  };
}

interface GraphqlQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What a query of invocations may name. */
const INVOCATION_QUERY =
  /^(?:query|viewer|accounts|workersInvocationsAdaptive|dimensions|sum|filter|limit|accountTag|scriptName|scriptVersion|status|datetime(?:_geq|_leq|_gt|_lt)?|requests|errors|string|uint64|Time|String|\d+)$/;

/**
 * GraphQL's `workersInvocationsAdaptive`, grouped by Worker, version and status: counts of the
 * requests that the gateway has passed on. The variables filter: those that hold a Worker's name, and
 * the first time, which ends what is older.
 */
export function invocations(call: Call, account: Account, runtime: Runtime): unknown {
  const { query, variables } = jsonOf<GraphqlQuery>(call);
  const declared = Object.keys(variables);
  const unknown = [...query.replaceAll(/"[^"]*"/g, '').matchAll(/\w+/g)]
    .map(([word]) => word)
    .find((word) => !INVOCATION_QUERY.test(word) && !declared.includes(word) && word !== 'Query');
  if (unknown !== undefined) {
    return { data: null, errors: [{ message: `unknown field "${unknown}"` }] };
  }
  const texts = [...Object.values(variables).map(String), ...quoted(query)];
  const names = [...account.scripts.keys()].filter((name) => texts.includes(name));
  const since = texts.filter((text) => /^\d{4}-\d{2}-\d{2}T/.test(text)).sort()[0] ?? '';
  const counts = new Map<string, number>();
  for (const { script, version, status, at } of runtime.invocations) {
    if ((names.length === 0 || names.includes(script)) && at >= since) {
      const key = JSON.stringify({ scriptName: script, scriptVersion: version, status });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const groups = [...counts].map(([key, requests]) => {
    const dimensions = JSON.parse(key);
    return {
      dimensions,
      sum: { requests, errors: dimensions.status === 'success' ? 0 : requests },
    };
  });
  return {
    data: { viewer: { accounts: [{ workersInvocationsAdaptive: groups }] } },
    errors: null,
  };
}

function quoted(query: string): readonly string[] {
  return [...query.matchAll(/"([^"]*)"/g)].map(([, text]) => text ?? '');
}
