import { localSecrets } from '../../scripts/dev/local-secrets.ts';

/** The operator's secret of local gateways. */
export async function operatorSecret(): Promise<string> {
  return (await localSecrets()).OPERATOR_SECRETS.split(',')[0] ?? '';
}

/** Posts to the operator's API, and returns the content of the answer. */
export async function operate<Content>(
  baseUrl: string,
  path: string,
  body: object,
): Promise<Content> {
  const answer = await fetch(`${baseUrl}/operator/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await operatorSecret()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status} ${text}`);
  }
  return JSON.parse(text).content;
}
