/** Where the generated client goes; set before the first call. */
export const connection = { baseUrl: '', apiKey: '' };

/** What the generated client calls instead of `fetch`. */
export async function kefelFetch<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set('apiKey', connection.apiKey);
  const { status, ...response } = await answered(connection.baseUrl + path, { ...init, headers });
  return { status, ...response } as Answer;
}

async function answered(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, data: await response.json(), headers: response.headers };
}
