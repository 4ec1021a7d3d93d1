const YEAR_SECONDS = 31_536_000;

/**
 * Adds to every answer an `x-request-id`: Cloudflare's ray id if there is one, else a random id. Over
 * https also HSTS, so that the browser never again sends a link, a session or a key in the clear.
 */
export async function withCommonHeaders(
  request: Request,
  answer: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = request.headers.get('cf-ray') ?? crypto.randomUUID();
  const response = await answer(requestId);
  response.headers.set('x-request-id', requestId);
  if (request.url.startsWith('https:')) {
    response.headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
  }
  return response;
}
