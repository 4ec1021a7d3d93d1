import { BODY_BYTES_MAX } from '../config.ts';
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

/** At most `bytesMax` bytes of the body, or null when there are more. Stops reading at the bound. */
export async function readBytes(
  request: Request,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) {
    return null;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) {
      return null;
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
