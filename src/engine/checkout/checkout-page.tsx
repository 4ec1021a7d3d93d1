import type { VNode } from 'preact';
import { brandCss } from '../../kit/ui/brand.ts';
import type { Config } from '../config.ts';
import type { Intent } from '../domain/intent.ts';
import { receiptOverPage } from './notices.ts';
import { pageResponse } from './page-response.ts';
import { ChoosePage } from './pages/choose.tsx';
import type { PageProps } from './pages/props.ts';
import { FORM_PARAMETER } from './refused-form.ts';
import { ALREADY_PARAMETER, checkoutView, type ViewContext } from './view.ts';

/**
 * The response that shows a payment's current state. `path`: of its page, without a query.
 * `receiptPath`: of its receipt, once it is paid.
 */
export async function checkoutPage(
  request: Request,
  { methodLogos: logos, support }: Pick<Config, 'methodLogos' | 'support'>,
  intent: Intent,
  path: string,
  context: ViewContext,
  receiptPath: string | null = null,
): Promise<Response> {
  const nowMs = Date.now();
  const view = checkoutView(intent, nowMs, context);
  if (view.state.kind === 'paid' && nowMs >= view.state.receipt.openUntilMs) {
    return receiptOverPage(request);
  }
  const query = keptQuery(new URL(request.url).searchParams);
  const page = await pageOf({ view, path, query, logos, receiptPath, support });
  return pageResponse(request, page, {
    formTargets: [intent.terms.baseUrl, context.railPage ?? null],
    brandCss: brandCss(view.summary.branding?.color ?? null),
  });
}

/** What the page shows in another language as well. */
function keptQuery(given: URLSearchParams): string {
  const kept = [FORM_PARAMETER, ALREADY_PARAMETER].flatMap((name) => {
    const value = given.get(name);
    return value === null ? [] : [`${name}=${encodeURIComponent(value)}&`];
  });
  return kept.join('');
}

/**
 * The page of a payment, in any state. An isolate loads the pages after the first one when needed.
 */
export async function pageOf(props: PageProps): Promise<VNode> {
  const { state } = props.view;
  switch (state.kind) {
    case 'choose':
      return <ChoosePage {...props} state={state} />;
    case 'redirect': {
      const { RedirectPage } = await import('./pages/processing.tsx');
      return <RedirectPage {...props} state={state} />;
    }
    case 'push': {
      const { PushPage } = await import('./pages/processing.tsx');
      return <PushPage {...props} state={state} />;
    }
    case 'paid': {
      if (state.isFresh) {
        const { PaidPage } = await import('./pages/ended.tsx');
        return <PaidPage {...props} state={state} />;
      }
      const { ReceiptPage } = await import('./pages/receipt.tsx');
      return <ReceiptPage {...props} state={state} />;
    }
    case 'failed':
    case 'expired':
    case 'canceled': {
      const { UnpaidPage } = await import('./pages/ended.tsx');
      return <UnpaidPage {...props} state={state} />;
    }
  }
}
