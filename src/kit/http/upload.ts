import { utf8 } from '../crypto/encoding.ts';
import { Form } from './form.ts';

/** Reads posted forms whose last field is a file, which is never held as a whole. */

/** A file as it arrives. */
export interface PostedFile {
  /** As the browser says it; empty when none was chosen. */
  readonly name: string;
  /** Can be read once. Ends early, with an error, when the connection does. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Upload {
  readonly form: Form;
  readonly file: PostedFile;
}

const FILE_HEAD = /\r\ncontent-disposition:[^\r\n]*;\s*filename=[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/i;

/** `too_large`: the fields before the file have more than `fieldsBytesMax` bytes. Null: no such form. */
export async function readUpload(
  request: Request,
  fieldsBytesMax: number,
): Promise<Upload | 'too_large' | null> {
  const contentType = request.headers.get('content-type') ?? '';
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined || request.body === null) {
    return null;
  }
  const chunks = request.body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array<ArrayBuffer>>;
  let read = new Uint8Array();
  for (;;) {
    const found = FILE_HEAD.exec(latin(read));
    if (found !== null) {
      const end = found.index + found[0].length;
      const delimiter = utf8(`\r\n--${boundary}`);
      // As if the file were empty: the platform reads its name and the fields.
      const fields = await joined(read.subarray(0, end), delimiter, utf8('--\r\n'));
      const data = await formIn(fields, contentType);
      const bytes = bytesTo(delimiter, read.subarray(end), chunks);
      return data && { form: new Form(data), file: { name: fileName(data), bytes } };
    }
    if (read.length > fieldsBytesMax) {
      return 'too_large';
    }
    const next = await chunks.next();
    if (next.done === true) {
      return null;
    }
    read = await joined(read, next.value);
  }
}

async function formIn(body: Uint8Array<ArrayBuffer>, type: string): Promise<FormData | null> {
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData();
  } catch {
    // A malformed form, which no browser sends.
    return null;
  }
}

function fileName(data: FormData): string {
  const files = [...data.values()].flatMap((value) => (value instanceof File ? value.name : []));
  return files[0] ?? '';
}

async function* bytesTo(
  delimiter: Uint8Array,
  first: Uint8Array<ArrayBuffer>,
  chunks: AsyncIterator<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array> {
  let held = first;
  for (;;) {
    const end = indexOf(held, delimiter);
    if (end >= 0) {
      yield held.subarray(0, end);
      return;
    }
    const next = await chunks.next();
    if (next.done === true) {
      throw new Error('the upload ends within the file');
    }
    // The delimiter may begin at the end of what is held.
    const sure = Math.max(0, held.length - delimiter.length + 1);
    yield held.subarray(0, sure);
    held = await joined(held.subarray(sure), next.value);
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const [first = 0] = wanted;
  let at = bytes.indexOf(first);
  while (at >= 0 && !wanted.every((byte, index) => bytes[at + index] === byte)) {
    at = bytes.indexOf(first, at + 1);
  }
  return at;
}

/** The bytes in parts of `size`, of which the last may be shorter. Each is valid until the next. */
export async function* partsOf(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(size);
  let length = 0;
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; ) {
      const piece = chunk.subarray(from, from + size - length);
      part.set(piece, length);
      from += piece.length;
      length += piece.length;
      if (length === size) {
        yield part;
        length = 0;
      }
    }
  }
  if (length > 0) {
    yield part.subarray(0, length);
  }
}

/** Each byte is a character, so places in the text are places in the bytes. */
function latin(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}

async function joined(...parts: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
