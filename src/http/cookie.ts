/** Other sites of the same domain may set cookies too; browsers keep some 4 KiB of each. */
const COOKIE_LENGTH_MAX = 16_384;

/** The value of the request's cookie of that name, or null. */
export function cookieValue(request: Request, name: string): string | null {
  const header = request.headers.get('cookie') ?? '';
  if (header.length > COOKIE_LENGTH_MAX) {
    return null;
  }
  const entry = header
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(`${name}=`));
  return entry?.slice(name.length + 1) ?? null;
}
