/**
 * An absolute http or https URL to which paths can be appended: without query and fragment, and
 * without user name or password, which would appear wherever the URL is logged.
 */
export function isPlainHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !/[?#\s]/.test(text)
  );
}
