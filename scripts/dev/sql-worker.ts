import type { SqlStatement } from '../../src/kit/platform/database.ts';

/**
 * Local databases, through a Worker that runs a whole batch for one request. Miniflare's own bindings
 * block the event loop at each `prepare`, so that on a busy machine workerd closes idle connections
 * meanwhile, and the next batch fails with "other side closed".
 */
export const SQL_SCRIPT = `export default {
  async fetch(request, env) {
    const { id, statements } = await request.json();
    try {
      const prepared = statements.map(({ sql, params }) => env[id].prepare(sql).bind(...params));
      return Response.json({ results: await env[id].batch(prepared) });
    } catch (error) {
      return Response.json({ failure: error.message });
    }
  },
}`;

/** The part of D1 that scripts use. */
export interface LocalDatabase {
  /** Runs all statements, or none when one fails. */
  batch(statements: readonly SqlStatement[]): Promise<readonly LocalResult[]>;
}

/** What D1 answers to one statement. */
interface LocalResult {
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/** The database that the Worker has as `id`. `send` sends a request to the Worker. */
export function localDatabase(
  id: string,
  send: (init: { method: string; body: string }) => Promise<{ json(): Promise<unknown> }>,
): LocalDatabase {
  return {
    batch: async (statements) => {
      if (statements.length === 0) {
        return [];
      }
      const body = JSON.stringify({ id, statements });
      const answer = (await (await send({ method: 'POST', body })).json()) as
        | { readonly results: readonly LocalResult[] }
        | { readonly failure: string };
      if ('failure' in answer) {
        throw new Error(answer.failure);
      }
      return answer.results;
    },
  };
}
