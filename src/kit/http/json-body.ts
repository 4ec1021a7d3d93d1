import { parseExactly } from './exact-json.ts';
import { fieldError } from './field-error.ts';
import { problem, validationProblem } from './problem.ts';
import { readBytes } from './read-bytes.ts';
import { repeatedPaths } from './repeated-paths.ts';

const JSON_CONTENT_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
/** UTF-8 and its subset. */
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;

/** A request body, as sent and as parsed. */
export interface JsonBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly value: unknown;
}

/**
 * The JSON body of a request. Problems: 415 for another content type (a missing one counts as
 * JSON), another charset or a compressed body, 413 beyond `bytesMax`, 400 for a body that is not
 * UTF-8 JSON (docs/decisions.md#10), or in which an object names a field twice.
 */
export async function readJsonBody(request: Request, bytesMax: number): Promise<JsonBody> {
  refuseOtherFormats(request.headers);
  const bytes = await readBytes(request, bytesMax);
  if (bytes === null) {
    throw problem('body_too_large', { bytesMax });
  }
  const { text, value } = parsed(bytes);
  const repeated = repeatedPaths(text);
  if (repeated.length > 0) {
    throw validationProblem(Object.fromEntries(repeated.map((path) => [path, REPEATED])));
  }
  return { bytes, value };
}

const REPEATED = fieldError('duplicate', 'This field is given more than once.');

function parsed(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: parseExactly(text) };
  } catch {
    throw problem('invalid_json');
  }
}

function refuseOtherFormats(headers: Headers): void {
  const contentType = headers.get('content-type');
  // Two headers arrive as one with a comma.
  const times = contentType?.includes(',') ? ', given once: this request has more than one' : '';
  if (contentType !== null && (times !== '' || !JSON_CONTENT_TYPE.test(contentType.trim()))) {
    throw problem('unsupported_content_type', { times });
  }
  const charset = CHARSET.exec(contentType ?? '')?.[1];
  if (charset !== undefined && !UTF_8.test(charset)) {
    throw problem('unsupported_charset', { charset });
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const accepted = { 'accept-encoding': 'identity' };
    throw problem('unsupported_content_encoding', { headers: accepted });
  }
}
