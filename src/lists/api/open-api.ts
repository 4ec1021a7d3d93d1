import { ROOT } from '../../engine/api/operation.ts';
import { originOf } from '../../kit/http/envelope.ts';

/** How the file `public/openapi.json` names its server: it does not know where it will be served. */
const OWN_SERVER = `"url": "${ROOT}`;

/** The document with the gateway's own address, without which Postman and others call nothing. */
export async function showOpenApi(request: Request, env: Env): Promise<Response> {
  const found = await env.ASSETS.fetch(request.url, { method: request.method });
  const text = (await found.text()).replace(
    OWN_SERVER,
    () => `"url": "${originOf(request, env)}${ROOT}`,
  );
  const headers = new Headers(found.headers);
  headers.delete('etag');
  headers.delete('content-length');
  return new Response(request.method === 'HEAD' ? null : text, { status: found.status, headers });
}
