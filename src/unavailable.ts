/** A part of the gateway cannot be reached for the moment. Whether it did what was asked is unknown. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  /** When the caller may retry. */
  readonly retryAfterSeconds = 1;
}
