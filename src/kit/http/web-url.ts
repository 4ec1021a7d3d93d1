/** A URL that a reader may be sent to: http or https, never a script or a download. */
export function webUrl(text: string | null): URL | null {
  const url = text === null ? null : URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}
