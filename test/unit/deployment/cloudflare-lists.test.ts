import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { listenLocally } from '../../../lab/harness/local-server.ts';
import { Cloudflare } from '../../../scripts/deployment/cloudflare.ts';

/**
 * Goal: no list is cut, whatever Cloudflare says of its length: not every call documents its pages.
 * Method: a server that answers with 120 rows in pages, and describes them in one of the known ways.
 */

const ROWS = Array.from({ length: 120 }, (_, index) => ({ id: index }));

interface Request {
  readonly page: number;
  readonly size: number;
  readonly cursor: number;
}
type Answer = (request: Request) => { readonly result: unknown; readonly result_info?: object };

const pageOf = ({ page, size }: Request) => ROWS.slice((page - 1) * size, page * size);

/** By what an answer says of its list. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'the count of all rows': (request) => ({
    result: pageOf(request),
    result_info: { page: request.page, per_page: request.size, total_count: ROWS.length },
  }),
  'smaller pages than asked for': ({ page }) => ({
    result: pageOf({ page, size: 20, cursor: 0 }),
    result_info: { page, per_page: 20, total_count: ROWS.length },
  }),
  'the count of its own rows alone': (request) => {
    const result = pageOf(request);
    return { result, result_info: { page: request.page, total_count: result.length } };
  },
  nothing: (request) => ({ result: pageOf(request) }),
  'a cursor': ({ cursor }) => ({
    result: ROWS.slice(cursor, cursor + 25),
    result_info: { cursor: cursor + 25 < ROWS.length ? String(cursor + 25) : '' },
  }),
  'a cursor after it': ({ cursor }) => ({
    result: ROWS.slice(cursor, cursor + 25),
    result_info: {
      cursors: { after: cursor + 25 < ROWS.length ? String(cursor + 25) : undefined },
    },
  }),
  'all rows at once': () => ({ result: ROWS, result_info: { per_page: 50, total_count: 999 } }),
  'its rows as items': () => ({ result: { items: ROWS } }),
};

let server: Server | null = null;

afterEach(() => server?.close());

async function clientOf(answer: Answer): Promise<Cloudflare> {
  server = createServer(({ url = '' }, response) => {
    const { searchParams: query } = new URL(url, 'http://localhost');
    const asked = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise);
    const request = {
      page: asked('page', 1),
      size: asked('per_page', 50),
      cursor: asked('cursor', 0),
    };
    response.end(JSON.stringify({ success: true, errors: [], ...answer(request) }));
  });
  return new Cloudflare('token', await listenLocally(server));
}

test.each(Object.entries(ANSWERS))('reads all rows of a list that says %s', async (_, answer) => {
  const client = await clientOf(answer);
  expect(await client.list('/rows')).toEqual(ROWS);
});

test.each(['a cursor', 'all rows at once', 'its rows as items', 'the count of all rows'])(
  'reads all rows of a list that is documented as whole, and says %s',
  async (name) => {
    const client = await clientOf(ANSWERS[name] as Answer);
    expect(await client.listWhole('/rows?deployable=true')).toEqual(ROWS);
  },
);
