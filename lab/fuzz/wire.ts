import { connect } from 'node:net';

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
  request: WireRequest,
  timeoutMs: number,
): Promise<WireAnswer | NoAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    const end = (answer: WireAnswer | NoAnswer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end('hang'), timeoutMs);
    const finish = (isClosed: boolean) => {
      const answer = answerIn(Buffer.concat(received), request.method, isClosed);
      if (answer !== null || isClosed) {
        end(answer ?? 'closed');
      }
    };
    socket.on('data', (bytes) => {
      received.push(bytes);
      finish(false);
    });
    socket.on('end', () => finish(true));
    // After a reset, what has arrived still counts: a server may refuse a body that it did not read.
    socket.on('error', () => finish(true));
    socket.write(bytesOf(request));
  });
}

export function bytesOf({ method, target, headers, body, chunkBytes }: WireRequest): Buffer {
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

/** The answer, once it is complete. A stream of events is complete with its head. */
function answerIn(bytes: Buffer, method: string, isClosed: boolean): WireAnswer | null {
  const headEnds = bytes.indexOf('\r\n\r\n');
  if (headEnds < 0) {
    return null;
  }
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnds).split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(headEnds + 4);
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (method === 'HEAD' || isStream || status === 204 || status === 304) {
    return { status, headers, body: Buffer.alloc(0) };
  }
  const length = headers.get('content-length');
  if (length !== null) {
    return rest.length >= Number(length) ? { status, headers, body: rest } : null;
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = unchunked(rest);
    return body && { status, headers, body };
  }
  return isClosed ? { status, headers, body: rest } : null;
}

function unchunked(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnds = bytes.indexOf('\r\n', at);
    const length = lineEnds < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at), 16);
    if (!(lineEnds + 2 + length + 2 <= bytes.length)) {
      return null;
    }
    if (length === 0) {
      return Buffer.concat(parts);
    }
    parts.push(bytes.subarray(lineEnds + 2, lineEnds + 2 + length));
    at = lineEnds + 2 + length + 2;
  }
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

/** Of each header, the target and the body: the seed gives the rest. */
const SHOWN_LENGTH_MAX = 500;

function quoted(text: string): string {
  const shown = text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
  const escaped = shown.replaceAll(/[^ !#-&(-[\]-~]/g, (character) => {
    const code = character.charCodeAt(0);
    return code > 255 ? character : `\\x${code.toString(16).padStart(2, '0')}`;
  });
  return `$'${escaped}'`;
}
