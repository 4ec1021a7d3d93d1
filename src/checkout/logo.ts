import { merchantLogo } from '../merchants/logo.ts';
import { partHeaders } from '../ui/headers.ts';
import { unknownPage } from './notices.ts';
import type { LinkCall } from './open-link.ts';

/**
 * The URL names the logo's digest, so its bytes never change. Private, because the URL contains the
 * customer's link.
 */
const FOR_EVER = 'private, max-age=31536000, immutable';

/**
 * GET /checkout/:token/logo/:digest: the logo that the payment was created with, and no other. The
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
