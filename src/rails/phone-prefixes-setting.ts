import * as v from 'valibot';

/** The first digits of Ethio telecom's mobile numbers, and of Safaricom's. */
const PREFIXES = ['2519', '2517'] as const;

/** An operator's setting: the first digits of the phone numbers that have accounts at the provider. */
export function phonePrefixes(defaultPrefixes: readonly (typeof PREFIXES)[number][]) {
  return v.optional(
    v.pipe(
      v.array(v.picklist(PREFIXES, 'Must be "2519" or "2517".'), 'Must be a list.'),
      v.minLength(1, 'Must name at least one prefix.'),
    ),
    [...defaultPrefixes],
  );
}

/** Whether a text is a number (251XXXXXXXXX) that begins with one of the prefixes. */
export function hasPrefix(prefixes: readonly string[]): (phone: string) => boolean {
  return (phone) => /^251\d{9}$/.test(phone) && prefixes.some((prefix) => phone.startsWith(prefix));
}
