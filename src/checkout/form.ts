/** A page's form has a few short fields; nothing honest is larger. */
const FORM_BYTES_MAX = 4 * 1024;

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * The fields of a posted form, or null for anything that our own pages do not send: another type,
 * too many bytes, or a form that another site submitted in the customer's browser.
 */
export async function readForm(request: Request): Promise<URLSearchParams | null> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE || isCrossSite(request)) {
    return null;
  }
  const text = await boundedText(request);
  return text === null ? null : new URLSearchParams(text);
}

/**
 * The link in the path is the first guard against forged posts; this one also stops a site that
 * knows the link. `Origin` cannot be used: under no-referrer browsers send it as `null`.
 */
function isCrossSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** The body as text, read no further than the limit. */
async function boundedText(request: Request): Promise<string | null> {
  const reader = request.body?.getReader();
  if (reader === undefined) {
    return '';
  }
  const decoder = new TextDecoder();
  let text = '';
  let byteCount = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    byteCount += value.byteLength;
    if (byteCount > FORM_BYTES_MAX) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
