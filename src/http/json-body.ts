import { problem } from './problem.ts';
import { readBytes } from './read-bytes.ts';

const JSON_CONTENT_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** A request body, as sent and as parsed. */
export interface JsonBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly value: unknown;
}

/**
 * The JSON body of a request. Problems: 415 for another content type (a missing one counts as
 * JSON), 413 beyond `bytesMax`, 400 for a body that is not UTF-8 JSON (docs/decisions.md#10).
 */
export async function readJsonBody(request: Request, bytesMax: number): Promise<JsonBody> {
  const contentType = request.headers.get('content-type');
  if (contentType !== null && !JSON_CONTENT_TYPE.test(contentType.trim())) {
    throw problem('unsupported_content_type');
  }
  const bytes = await readBytes(request, bytesMax);
  if (bytes === null) {
    throw problem('body_too_large', { bytesMax });
  }
  try {
    return { bytes, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    throw problem('invalid_json');
  }
}
