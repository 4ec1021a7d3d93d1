import { type Answer, answerOf, call } from './support.ts';

/** The two secrets of test/support/secrets.ts, as during a rotation. */
export const SECRET = `kfl_op_${'n'.repeat(43)}`;
export const OLDER_SECRET = `kfl_op_${'o'.repeat(43)}`;

export interface OperateOptions {
  /** Null: no header at all. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request to the operator's side: GET without a body, otherwise POST. */
export function operate(
  path: string,
  body?: unknown,
  { authorization = `Bearer ${SECRET}`, headers = {} }: OperateOptions = {},
): Promise<Response> {
  return call(path, {
    method: body === undefined ? 'GET' : 'POST',
    apiKey: null,
    ...(body !== undefined && { body: JSON.stringify(body), contentType: 'application/json' }),
    headers: { ...(authorization !== null && { authorization }), ...headers },
  });
}

/** The same to the API, with the parsed answer. */
export function operateApi(
  path: string,
  body?: unknown,
  options?: OperateOptions,
): Promise<Answer> {
  return answerOf(operate(`/operator/v1${path}`, body, options));
}

/** The content of a successful answer. */
export async function content<Content>(answer: Promise<Answer>): Promise<Content> {
  const { status, text, envelope } = await answer;
  if (status !== 200) {
    throw new Error(`answered ${status}: ${text}`);
  }
  return envelope.content as Content;
}
