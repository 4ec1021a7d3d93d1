import type { VNode } from 'preact';
import { base64FromBytes, utf8 } from '../../kit/crypto/encoding.ts';
import { languageOf } from '../../kit/i18n/language.ts';
import { documentHeaders } from '../../kit/ui/headers.ts';
import { htmlIn } from '../../kit/ui/texts.ts';
import { CHECKOUT_CSS_SHA256 } from './assets.generated.ts';
import { wayBackUrl } from './return-url.ts';
import { loadTexts } from './texts.ts';

export interface PageOptions {
  readonly status?: number;
  /**
   * URLs where a form post on this page can end after redirects. Chrome checks every redirect
   * against `form-action`, and merchants redirect further (to their "www", for example). So the
   * scheme is allowed instead of the host: with the host alone, the customer's button could do
   * nothing.
   */
  readonly formTargets?: readonly (string | null)[];
  readonly retryAfterSeconds?: number;
  /** An inline style sheet next to our own. */
  readonly brandCss?: string | null;
}

/** The HTML response of a page component. */
export async function pageResponse<Props>(
  request: Request,
  page: VNode<Props>,
  options: PageOptions = {},
): Promise<Response> {
  const headers = documentHeaders(request, await contentSecurityPolicy(options));
  if (options.retryAfterSeconds !== undefined) {
    headers.set('retry-after', String(options.retryAfterSeconds));
  }
  const language = languageOf(request);
  await loadTexts(language);
  return new Response(htmlIn(language, page), { status: options.status ?? 200, headers });
}

/** Allows only our own script and styles, and images from this origin. */
async function contentSecurityPolicy(options: PageOptions): Promise<string> {
  const targets = (options.formTargets ?? []).flatMap((url) => wayBackUrl(url)?.protocol ?? []);
  const formTargets = new Set(["'self'", ...targets]);
  const { brandCss } = options;
  const brand = brandCss && (await crypto.subtle.digest('SHA-256', utf8(brandCss)));
  const brandSource = brand ? ` 'sha256-${base64FromBytes(brand)}'` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${CHECKOUT_CSS_SHA256}'${brandSource}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action ${[...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
