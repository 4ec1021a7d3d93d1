/** Answers with an `x-request-id`: Cloudflare's own ray where there is one, else a fresh one. */
export async function withRequestId(
  request: Request,
  answer: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = request.headers.get('cf-ray') ?? crypto.randomUUID();
  const response = await answer(requestId);
  response.headers.set('x-request-id', requestId);
  return response;
}
