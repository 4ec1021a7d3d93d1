/**
 * An absolute http or https URL to which paths can be appended: no query, no fragment, and no user
 * name, because a secret there ends up wherever URLs are logged.
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
