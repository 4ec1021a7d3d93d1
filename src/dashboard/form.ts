import { readBytes } from '../http/read-bytes.ts';

/** A logo of 16 KiB with its form round it; every other form is much smaller. */
const FORM_BYTES_MAX = 32 * 1024;

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** The fields of a posted form. */
export class Form {
  static readonly EMPTY = new Form(new FormData());

  readonly #data: FormData;

  constructor(data: FormData) {
    this.#data = data;
  }

  /** A field's text without the blanks around it; empty when it is missing. */
  text(name: string): string {
    const value = this.#data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  }

  /** Whether a box of that name was ticked, or a button of that name pressed. */
  has(name: string): boolean {
    return this.#data.has(name);
  }

  /** The texts of all fields of that name. */
  all(name: string): readonly string[] {
    return this.#data.getAll(name).filter((value) => typeof value === 'string');
  }

  /** The bytes of an uploaded file, or null when none was chosen. */
  async file(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const value = this.#data.get(name);
    if (value === null || typeof value === 'string') {
      return null;
    }
    const bytes = new Uint8Array(await value.arrayBuffer());
    return bytes.length === 0 ? null : bytes;
  }
}

/** The posted form; null for what our pages do not send. */
export async function readForm(request: Request): Promise<Form | 'too_large' | null> {
  const contentType = request.headers.get('content-type') ?? '';
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!FORM_TYPES.includes(type)) {
    return null;
  }
  const bytes = await readBytes(request, FORM_BYTES_MAX);
  if (bytes === null) {
    return 'too_large';
  }
  try {
    const body = new Response(bytes, { headers: { 'content-type': contentType } });
    return new Form(await body.formData());
  } catch {
    // The runtime's parser found no form in it: nothing that a browser sends.
    return null;
  }
}

/**
 * Whether the request comes from one of our own pages, as far as the browser says: SameSite cookies
 * and the CSRF token say it too, each by another mechanism.
 */
export function isFromOwnPage(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) {
    return site === 'same-origin';
  }
  const origin = request.headers.get('origin');
  return origin === null || origin === new URL(request.url).origin;
}
