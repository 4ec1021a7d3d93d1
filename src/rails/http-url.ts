import * as v from 'valibot';

const MESSAGE = 'must be an http or https URL without user, query or fragment';

/**
 * An operator's setting: the absolute URL to which paths are appended, or a complete one. Without a
 * user name or password, which would appear wherever the URL is logged. A final slash is dropped, and
 * so is a final question mark.
 */
export const httpUrl = v.pipe(
  v.string(MESSAGE),
  v.trim(),
  v.transform((text) => text.replace(/[/?]+$/, '')),
  v.check(isPlainHttpUrl, MESSAGE),
);

function isPlainHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:\/\/[^@?#\s\\]+$/i.test(text) &&
    url.username === '' &&
    url.password === ''
  );
}
