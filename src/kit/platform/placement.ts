/**
 * Where objects live. Cloudflare fixes both when an object is first reached: the same name in another
 * jurisdiction is another, empty object.
 */
export interface Placement {
  /** Null: none. It can never change once a merchant exists. */
  readonly jurisdiction: 'eu' | 'us' | 'fedramp' | 'fedramp-high' | null;
  /** Where new objects should be; null: near their first caller. */
  readonly locationHint: LocationHint | null;
}

export const LOCATION_HINTS = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'afr',
  'me',
  'apac',
  'apac-ne',
  'apac-se',
  'oc',
] as const;

type LocationHint = (typeof LOCATION_HINTS)[number];
