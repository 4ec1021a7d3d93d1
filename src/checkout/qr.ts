import { partHeaders } from '../ui/headers.ts';
import { pathSegment, verifiedLink } from './open-link.ts';

/** White modules around the code, as ISO/IEC 18004 requires. */
const QUIET_ZONE_MODULES = 4;

/** GET /checkout/:token/qr.svg: the page's own URL as a code, for a phone next to the desktop. */
export async function showQr(request: Request, env: Env): Promise<Response> {
  const token = pathSegment(request, 1);
  const verified = await verifiedLink(request, env, 'checkout', token);
  if (verified instanceof Response) {
    return verified;
  }
  // A third of the checkout's packages by size, and few pages show a code.
  const { renderSVG } = await import('uqr');
  const url = `${new URL(request.url).origin}/checkout/${token}`;
  const headers = partHeaders();
  headers.set('content-type', 'image/svg+xml');
  return new Response(renderSVG(url, { border: QUIET_ZONE_MODULES, ecc: 'L' }), { headers });
}
