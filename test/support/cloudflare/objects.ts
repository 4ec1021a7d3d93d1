import type { Account } from './account.ts';
import { Answer, ApiError, type Handlers, page } from './api.ts';
import type { Runtime } from './runtime.ts';

const NAMESPACES = '/accounts/{account}/workers/durable_objects/namespaces';
const OBJECTS = '/accounts/{account}/r2/buckets/{bucket}/objects';
const OBJECTS_SHOWN = 1000;

/** What the project's own scripts ask: see test/fixtures/cloudflare/calls.json. */
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
