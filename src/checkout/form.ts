import { readBytes } from '../http/read-bytes.ts';

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
  const bytes = await readBytes(request, FORM_BYTES_MAX);
  return bytes === null ? null : new URLSearchParams(new TextDecoder().decode(bytes));
}

/**
 * The link in the path is the first guard against forged posts; this one also stops a site that
 * knows the link. `Origin` cannot be used: under no-referrer browsers send it as `null`.
 */
function isCrossSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}
