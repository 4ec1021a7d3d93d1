import { readBytes } from './read-bytes.ts';

/** Which forms are accepted. */
export interface FormRules {
  readonly bytesMax: number;
  readonly types: readonly ('application/x-www-form-urlencoded' | 'multipart/form-data')[];
}

/** The fields of a posted form. */
export class Form {
  static readonly EMPTY = new Form(new FormData());

  readonly #data: FormData;

  constructor(data: FormData) {
    this.#data = data;
  }

  /** A field's text as posted, or null when it is missing. */
  get(name: string): string | null {
    const value = this.#data.get(name);
    return typeof value === 'string' ? value : null;
  }

  /** A field's text without surrounding blanks; empty when it is missing. */
  text(name: string): string {
    return this.get(name)?.trim() ?? '';
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

/** The posted form, or null when the body is not a form of an accepted type. */
export async function readForm(
  request: Request,
  { bytesMax, types }: FormRules,
): Promise<Form | 'too_large' | null> {
  const contentType = request.headers.get('content-type') ?? '';
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!types.some((accepted) => accepted === type)) {
    return null;
  }
  const bytes = await readBytes(request, bytesMax);
  if (bytes === null) {
    return 'too_large';
  }
  try {
    const body = new Response(bytes, { headers: { 'content-type': contentType } });
    return new Form(await body.formData());
  } catch {
    // A malformed form, which no browser sends.
    return null;
  }
}

/**
 * Whether one of our own pages sent the request, according to the browser's headers. Only for pages
 * whose referrer policy lets browsers send `Origin`.
 */
export function isFromOwnPage(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) {
    return site === 'same-origin';
  }
  const origin = request.headers.get('origin');
  return origin === null || origin === new URL(request.url).origin;
}

/**
 * Whether the browser reports that another site sent the request. Pages under `no-referrer` cannot
 * check more, because their forms send `Origin: null`.
 */
export function isFromOtherSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}
