import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { base64FromBytes } from '../crypto/encoding.ts';
import { documentHeaders } from '../ui/headers.ts';
import { CHECKOUT_CSS_SHA256 } from './assets.generated.ts';
import { webUrl } from './return-url.ts';

export interface PageOptions {
  readonly status?: number;
  /**
   * Addresses where a form post on this page can end up by redirect. Chrome holds every hop to
   * `form-action`, and merchants redirect on (to their "www", for one), so the scheme is allowed
   * rather than the host: with the host alone the customer's button would seem dead.
   */
  readonly formTargets?: readonly (string | null)[];
  readonly retryAfterSeconds?: number;
  /** The style sheet that the page holds beside our own. */
  readonly brandCss?: string | null;
}

/** An HTML answer out of a page component. */
export async function pageResponse<Props>(
  request: Request,
  page: VNode<Props>,
  options: PageOptions = {},
): Promise<Response> {
  const headers = documentHeaders(request, await contentSecurityPolicy(options));
  if (options.retryAfterSeconds !== undefined) {
    headers.set('retry-after', String(options.retryAfterSeconds));
  }
  const html = `<!doctype html>${renderToString(page)}`;
  return new Response(html, { status: options.status ?? 200, headers });
}

/** Nothing but our own script, our own styles and, as images, what this origin serves. */
async function contentSecurityPolicy(options: PageOptions): Promise<string> {
  const formTargets = new Set(["'self'"]);
  for (const target of options.formTargets ?? []) {
    const source = webUrl(target)?.protocol ?? null;
    if (source !== null) {
      formTargets.add(source);
    }
  }
  const styles = [`'sha256-${CHECKOUT_CSS_SHA256}'`];
  if (options.brandCss) {
    styles.push(`'sha256-${await sha256Base64(options.brandCss)}'`);
  }
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.join(' ')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action ${[...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64FromBytes(new Uint8Array(digest));
}
