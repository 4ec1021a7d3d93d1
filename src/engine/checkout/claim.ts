import { h } from 'preact';
import { brandCss } from '../../kit/ui/brand.ts';
import { seeOther } from '../../kit/ui/headers.ts';
import type { Intent } from '../domain/intent.ts';
import { claimableAttempt, claimedReceipt } from '../domain/receipt-claim.ts';
import { readForm } from './form.ts';
import { badFormPage, unknownPage } from './notices.ts';
import type { LinkCall } from './open-link.ts';
import { pageResponse } from './page-response.ts';
import { ClaimPage } from './pages/claim.tsx';
import { checkoutView } from './view.ts';

/**
 * "I have paid": the customer types the number of the provider's message. It is kept as a claim for the
 * operator (docs/decisions.md#65). Not a part of the waiting page, which reloads while one types.
 */

/** Query of the form after a text that is no receipt. */
const WRONG_PARAMETER = 'wrong';

/** GET /checkout/:token/claim */
export function showClaim({ request, intent, token }: LinkCall): Promise<Response> {
  return claimPage(request, intent, `/checkout/${token}`);
}

/** `path`: the payment's page, to which this leads when there is nothing to claim. */
export async function claimPage(request: Request, intent: Intent, path: string): Promise<Response> {
  const nowMs = Date.now();
  const view = checkoutView(intent, nowMs);
  const attempt = claimableAttempt(intent, nowMs);
  if (attempt === null) {
    return seeOther(path);
  }
  const isWrong = new URL(request.url).searchParams.has(WRONG_PARAMETER);
  return pageResponse(request, h(ClaimPage, { view, path, attempt, isWrong }), {
    formTargets: [intent.terms.baseUrl],
    brandCss: brandCss(view.summary.branding?.color ?? null),
  });
}

/** POST /checkout/:token/claim. The payment's page shows what it has. */
export async function takeClaim({ request, client, token }: LinkCall): Promise<Response> {
  const path = `/checkout/${token}`;
  const form = await readForm(request);
  const attemptId = form?.get('attempt') ?? null;
  if (form === null || attemptId === null) {
    return badFormPage(request, path);
  }
  const receipt = claimedReceipt(form.get('receipt') ?? '');
  if (receipt === null) {
    return seeOther(`${path}/claim?${WRONG_PARAMETER}=1`);
  }
  const claimed = await client.execute([{ type: 'claim_receipt', attemptId, receipt }]);
  return claimed.type === 'not_found' ? unknownPage(request) : seeOther(path);
}
