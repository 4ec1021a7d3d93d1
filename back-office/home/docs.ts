import { type PublicLink, type Support, supportOf } from '../../src/engine/config.ts';
import { originOf } from '../../src/kit/http/envelope.ts';
import { problem } from '../../src/kit/http/problem.ts';
import { isLoopback } from '../../src/kit/loopback.ts';
import { documentHeaders } from '../../src/kit/ui/headers.ts';
import type { BackOfficeEnv } from '../env.ts';

/** Stands for the gateway in the built pages (site/gateway.ts). */
const EXAMPLE_ORIGIN = 'https://pay.example.com';
/** The same before a path of the back office, which may have a host of its own. */
const OWN_ADDRESS = /https:\/\/pay\.example\.com(?=\/(?:docs|llms|dashboard|operator))/g;
/** Stands in the pages for a gateway on the reader's own machine. */
const LOCAL_ORIGIN = 'http://localhost:8787';
/** Built by site/eleventy.config.mjs. */
const MISSING_PATH = '/docs/404';
/** Where the built pages show the operator's support. */
const SUPPORT_MARK = '<!-- support -->';

/**
 * A page of the documentation with the gateway's own origin in its samples and links, and with the
 * operator's support. Other answers, such as a redirect to the address with a slash, pass unchanged.
 */
export async function showDocument(request: Request, env: BackOfficeEnv): Promise<Response> {
  // Without the reader's conditions: the page's tag says nothing about the settings.
  const found = await env.ASSETS.fetch(request.url, { redirect: 'manual' });
  if (found.status !== 200 && found.status !== 404) {
    return new Response(found.body, found);
  }
  const isMissing = found.status === 404;
  const page = isMissing ? await missingPage(request, env, found) : found;
  const isHtml = page.headers.get('content-type')?.startsWith('text/html') === true;
  const gateway = env.PAYMENTS_BASE_URL || originOf(request, env);
  const isLocal = isLoopback(URL.parse(gateway)?.hostname ?? '');
  const text = (await page.text())
    .replaceAll(SUPPORT_MARK, () => supportText(env, isHtml))
    .replaceAll(OWN_ADDRESS, () => originOf(request, env))
    .replaceAll(EXAMPLE_ORIGIN, () => gateway)
    .replaceAll(LOCAL_ORIGIN, () => (isLocal ? gateway : LOCAL_ORIGIN));
  // No cache may keep this 404, because the page may exist later.
  const policy = page.headers.get('content-security-policy') ?? "default-src 'none'";
  const headers = isMissing ? documentHeaders(request, policy) : new Headers(page.headers);
  headers.delete('etag');
  headers.delete('content-length');
  return new Response(text, { headers, status: found.status });
}

/** The 404 page with the menu of the documentation. Without it, the router shows `MissingPage`. */
async function missingPage(
  request: Request,
  env: BackOfficeEnv,
  found: Response,
): Promise<Response> {
  await found.body?.cancel();
  const page = await env.ASSETS.fetch(new URL(MISSING_PATH, request.url));
  if (page.status !== 200) {
    throw problem('path_not_found');
  }
  return page;
}

/** One or two sentences, or nothing where the operator names no support. */
function supportText(env: BackOfficeEnv, isHtml: boolean): string {
  const { contact, status } = supportFrom(env);
  const shown = ({ href, text }: PublicLink) =>
    isHtml ? `<a href="${escaped(href)}">${escaped(text)}</a>` : text;
  const sentences = [
    contact && `Support: ${shown(contact)}.`,
    status && `Service status: ${shown(status)}.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Payments' own answers name a malformed setting; the pages go without it. */
function supportFrom(env: BackOfficeEnv): Support {
  try {
    return supportOf(env);
  } catch {
    return { contact: null, status: null };
  }
}

/** `URL` has percent-encoded quotes and angle brackets; ampersands remain. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;');
}
