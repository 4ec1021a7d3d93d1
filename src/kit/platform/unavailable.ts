/** A part of the gateway is unreachable. It may or may not have executed the call. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  /** When the caller may retry. */
  readonly retryAfterSeconds = 1;
}

/** SQLite names what is wrong with a statement; D1 names no such code when it is down itself. */
const DATABASE_OUTAGE = /^D1_ERROR: (?!.*SQLITE_(?!FULL|READONLY|BUSY|IOERR))/s;

/** The outage behind an error, also of D1, or null for an error of the gateway. */
export function outageBehind(error: unknown): Unavailable | null {
  if (error instanceof Unavailable) {
    return error;
  }
  return error instanceof Error && DATABASE_OUTAGE.test(error.message)
    ? new Unavailable(error.message)
    : null;
}
