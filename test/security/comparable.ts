import { withoutRequestId } from '../support/problems.ts';

/** Status, headers and body, without what names the request itself. */
export async function comparable(response: Promise<Response>, ...ids: string[]) {
  const { status, headers, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    headers: [...answer.headers].filter(([name]) => name !== 'x-request-id'),
    text: await answer.text(),
  }));
  const text = headers.some(([, value]) => value.includes('json'))
    ? withoutRequestId(rest.text)
    : rest.text;
  const hidden = (value: string) =>
    ids.reduce(
      (left, id) => left.replaceAll(id, 'ID').replaceAll(encodeURIComponent(id), 'ID'),
      value,
    );
  return {
    status,
    headers: headers.map(([name, value]) => [name, hidden(value)]),
    text: hidden(text),
  };
}

export type Comparable = Awaited<ReturnType<typeof comparable>>;
