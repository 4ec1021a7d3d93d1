/** Adds an `x-request-id` to the answer: Cloudflare's ray id if there is one, else a random id. */
export async function withRequestId(
  request: Request,
  answer: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = request.headers.get('cf-ray') ?? crypto.randomUUID();
  const response = await answer(requestId);
  response.headers.set('x-request-id', requestId);
  return response;
}
