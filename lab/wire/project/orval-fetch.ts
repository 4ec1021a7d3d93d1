/** Where the generated client sends its calls; set before the first one. */
export const connection = { baseUrl: '', apiKey: '' };

/** What the generated client calls instead of `fetch`. */
export async function kefelFetch<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set('apiKey', connection.apiKey);
  const response = await fetch(connection.baseUrl + path, { ...init, headers });
  const { status } = response;
  return { status, data: await response.json(), headers: response.headers } as Answer;
}
