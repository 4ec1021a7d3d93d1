/** A request that users send, before a mutation. */
export interface Template {
  readonly method: string;
  /** Percent-encoded, with its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/**
 * Stand for credentials that some requests end: a form signs out, a key is revoked. The request gets
 * those in force when it is sent.
 */
export const COOKIE = 'fuzz-cookie';
export const CSRF = 'fuzz-csrf';
export const SANDBOX_KEY = 'fuzz-sandbox-key';
export const PRODUCTION_KEY = 'fuzz-production-key';

/** What the placeholders stand for. */
export interface Credentials {
  readonly [COOKIE]: string;
  readonly [CSRF]: string;
  readonly [SANDBOX_KEY]: string;
  readonly [PRODUCTION_KEY]: string;
}

export function filledIn(text: string, credentials: Credentials): string {
  return Object.entries(credentials).reduce(
    (filled, [placeholder, value]) => filled.replaceAll(placeholder, value),
    text,
  );
}

/** The other way, so that what was recorded holds no credential. */
export function emptied(text: string, credentials: Credentials): string {
  return Object.entries(credentials).reduce(
    (left, [placeholder, value]) => left.replaceAll(value, placeholder),
    text,
  );
}
