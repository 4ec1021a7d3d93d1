import { h } from 'preact';
import type { Intent } from '../domain/intent.ts';
import { messagesFor } from '../i18n/language.ts';
import { brandCss } from '../ui/brand.ts';
import { pageResponse } from './page-response.ts';
import { CheckoutPage } from './pages/checkout-page.tsx';
import { checkoutView, type ViewContext } from './view.ts';

/** The response that shows a payment's current state. `path`: of its page, without a query. */
export async function checkoutPage(
  request: Request,
  intent: Intent,
  path: string,
  context: ViewContext,
): Promise<Response> {
  const view = checkoutView(intent, Date.now(), context);
  const page = h(CheckoutPage, { text: await messagesFor(request), view, path });
  return pageResponse(request, page, {
    status: view.state.kind === 'choose' && view.state.problem !== null ? 400 : 200,
    formTargets: [intent.terms.baseUrl, context.railPage ?? null],
    brandCss: brandCss(view.summary.branding?.color ?? null),
  });
}
