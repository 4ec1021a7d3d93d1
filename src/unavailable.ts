/** A part of the gateway is unreachable. It may or may not have executed the call. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  /** When the caller may retry. */
  readonly retryAfterSeconds = 1;
}
