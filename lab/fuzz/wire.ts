import { request } from 'node:http';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';

/** HTTP/1.1 over a socket of its own: sends what no client library would. */

/** A request as bytes. Texts are Latin-1: each character is a byte. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  /** Sends the body in chunks of this many bytes instead of announcing its length. */
  readonly chunkBytes: number | null;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** No complete answer in time, or a connection that closed without one. */
export type NoAnswer = 'hang' | 'closed';

export function send(
  port: number,
  wireRequest: WireRequest,
  timeoutMs: number,
): Promise<WireAnswer | NoAnswer> {
  const socket = connect(port, '127.0.0.1');
  // Node's client only parses the answer: what it would send itself is dropped.
  const parser = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  socket.on('data', (bytes) => parser.push(bytes));
  socket.on('end', () => parser.push(null));
  // After a reset, what has arrived still counts: a server may refuse a body that it did not read.
  socket.on('error', () => parser.push(null));
  socket.write(bytesOf(wireRequest));
  return new Promise((resolve) => {
    const end = (answer: WireAnswer | NoAnswer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end('hang'), timeoutMs);
    const closed = () => end('closed');
    const method = wireRequest.method === 'HEAD' ? 'HEAD' : 'GET';
    const parsed = request({ createConnection: () => parser, method }, (answer) => {
      const headers = new Headers();
      for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
        values.map((value) => headers.append(name, value));
      }
      const chunks: Buffer[] = [];
      const finish = () =>
        end({ status: answer.statusCode ?? 0, headers, body: Buffer.concat(chunks) });
      if (headers.get('content-type')?.startsWith('text/event-stream')) {
        // A stream of events is complete with its head.
        finish();
        return;
      }
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', closed);
      answer.on('end', finish);
    });
    parsed.on('error', closed);
    parsed.end();
  });
}

function bytesOf({ method, target, headers, body, chunkBytes }: WireRequest): Buffer {
  const framing =
    body === null
      ? []
      : [chunkBytes === null ? `content-length: ${body.length}` : 'transfer-encoding: chunked'];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...framing,
    'connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([head, ...(body === null ? [] : framed(body, chunkBytes))]);
}

function framed(body: Buffer, chunkBytes: number | null): readonly Buffer[] {
  if (chunkBytes === null) {
    return [body];
  }
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}

/** The request as a command for a terminal. Bash reads `$'…'`. */
export function asCurl(origin: string, { method, target, headers, body, chunkBytes }: WireRequest) {
  const parts = [
    'curl -sS -i --path-as-is',
    `-X ${quoted(method)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(chunkBytes === null ? [] : ["-H 'transfer-encoding: chunked'"]),
    ...(body === null ? [] : [`--data-binary ${quoted(body.toString('latin1'))}`]),
    `--request-target ${quoted(target)}`,
    origin,
  ];
  return parts.join(' ');
}

/** The shown length of each header, the target and the body: the seed gives the rest. */
const SHOWN_LENGTH_MAX = 500;

function quoted(text: string): string {
  const shown = text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
  const escaped = shown.replaceAll(/[^ !#-&(-[\]-~]/g, (character) => {
    const code = character.charCodeAt(0);
    return code > 255 ? character : `\\x${code.toString(16).padStart(2, '0')}`;
  });
  return `$'${escaped}'`;
}

/** The JSON value of a text; undefined for other texts. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
