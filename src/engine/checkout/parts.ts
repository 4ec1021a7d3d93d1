import type { Handler } from '../../kit/http/router.ts';
import { partHeaders } from '../../kit/ui/headers.ts';
import { railPageUrl } from '../attempts/rail-page.ts';
import { merchantLogo } from '../merchants/logo.ts';
import { unknownPage } from './notices.ts';
import { type LinkCall, verifiedLink } from './open-link.ts';
import { checkoutView } from './view.ts';

/** What a page fetches: its payment's status, the merchant's logo, the code of its URL. */

/**
 * GET /checkout/:token/status: what a waiting page polls, a few bytes instead of a whole page. A
 * `state` that differs from the page's `data-state` means that the page is out of date.
 */
export async function showStatus({ env, client, intent }: LinkCall): Promise<Response> {
  const railPage = await railPageUrl(env, client, intent);
  const { tag, remainingMs } = checkoutView(intent, Date.now(), { railPage });
  return Response.json({ state: tag, remainingMs }, { headers: partHeaders() });
}

/**
 * The URL names the logo's digest, so its bytes never change. Private, because the URL contains the
 * customer's link.
 */
export const FOR_EVER = 'private, max-age=31536000, immutable';

/**
 * GET …/:token/logo/:digest: the logo that the payment was created with, and no other. The
 * link is verified first, so forged URLs cause no D1 query.
 */
export async function showLogo({ request, env, params, intent }: LinkCall): Promise<Response> {
  const { merchantId, branding } = intent.terms;
  const { digest } = params;
  if (digest === undefined || digest !== branding?.logoDigest) {
    return unknownPage(request);
  }
  const logo = await merchantLogo(env, merchantId, digest);
  if (logo === null) {
    return unknownPage(request);
  }
  const headers = partHeaders();
  headers.set('content-type', logo.mediaType);
  headers.set('cache-control', FOR_EVER);
  return new Response(logo.bytes, { headers });
}

/**
 * GET /checkout/:token/qr.svg, /receipt/:token/qr.svg: the page's own URL as a code, for a phone
 * next to the desktop or the paper.
 */
export function showQr(purpose: 'checkout' | 'receipt'): Handler {
  return async (request, env, _ctx, params) => {
    const { token = '' } = params();
    const verified = await verifiedLink(request, env, purpose, token);
    if (verified instanceof Response) {
      return verified;
    }
    // A third of the checkout's packages by size, and few pages show a code.
    const { qrCode } = await import('./qr.ts');
    const url = `${new URL(request.url).origin}/${purpose}/${token}`;
    const headers = partHeaders();
    headers.set('content-type', 'image/svg+xml');
    return new Response(qrCode(url), { headers });
  };
}
