/** The body, or null when it has more than `bytesMax` bytes. Stops reading at the bound. */
export async function readBytes(
  request: Request | Response,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const announced = request.headers.get('content-length');
  if (Number(announced) > bytesMax) {
    return null;
  }
  if (announced !== null && request instanceof Request) {
    // HTTP limits a request to its announced length, so it is safe to read at once. It does not limit
    // a response: `fetch` decompresses, and 100 bytes of Brotli can hold megabytes.
    return new Uint8Array(await request.arrayBuffer());
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
