import { BODY_BYTES_MAX } from '../config.ts';
import { readBytes } from '../http/read-bytes.ts';
import { Problem } from './problem.ts';

const JSON_CONTENT_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** A request body, as sent and as parsed. */
export interface JsonBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly value: unknown;
}

/**
 * The JSON body of a request. Problems: 415 for another content type (a missing one is taken as
 * JSON), 413 beyond BODY_BYTES_MAX, 400 for anything that is not UTF-8 JSON (decision 10).
 */
export async function readJsonBody(request: Request): Promise<JsonBody> {
  const contentType = request.headers.get('content-type');
  if (contentType !== null && !JSON_CONTENT_TYPE.test(contentType.trim())) {
    throw new Problem(415, 'Content-Type must be application/json');
  }
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes === null) {
    throw new Problem(413, `The body is larger than ${BODY_BYTES_MAX} bytes`);
  }
  try {
    return { bytes, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    throw new Problem(400, 'The body is not valid JSON');
  }
}
