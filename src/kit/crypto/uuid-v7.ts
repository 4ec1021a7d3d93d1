/** The last time that a UUIDv7 can carry: 48 bits of milliseconds, in the year 10889. */
export const UUID_V7_TIME_MAX_MS = 2 ** 48 - 1;

/** A UUIDv7 in its usual text form, in lower case. */
export const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * A UUIDv7 (RFC 9562, section 5.7) in its usual text form: the time, and 74 random bits.
 *
 * @param atMs whole milliseconds since 1970 in UTC, from 0 to `UUID_V7_TIME_MAX_MS`
 * @throws {RangeError} for another time, which would not fit into its 48 bits
 */
export function uuidV7(atMs: number): string {
  if (!Number.isInteger(atMs) || atMs < 0 || atMs > UUID_V7_TIME_MAX_MS) {
    throw new RangeError(`a UUIDv7 cannot carry the time ${atMs}`);
  }
  const time = atMs.toString(16).padStart(12, '0');
  // A random UUID has the same layout: the version's digit, then random bits around the variant.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** The time that a UUIDv7 carries, in milliseconds since 1970 in UTC; null for any other text. */
export function uuidV7TimeMs(uuid: string): number | null {
  const [, high, low] = UUID_V7.exec(uuid) ?? [];
  return high === undefined ? null : Number.parseInt(`${high}${low}`, 16);
}
