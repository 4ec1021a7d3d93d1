import type { VNode } from 'preact';
import { ChoosePage } from './choose.tsx';
import { PushPage, RedirectPage } from './processing.tsx';
import type { PageProps } from './props.ts';

/**
 * The page of a payment, in any state. An isolate loads the pages of ended payments when needed.
 */
export async function pageOf(props: PageProps): Promise<VNode> {
  const { state } = props.view;
  switch (state.kind) {
    case 'choose':
      return <ChoosePage {...props} state={state} />;
    case 'redirect':
      return <RedirectPage {...props} state={state} />;
    case 'push':
      return <PushPage {...props} state={state} />;
    case 'paid': {
      const { PaidPage } = await import('./ended.tsx');
      return <PaidPage {...props} state={state} />;
    }
    case 'failed':
    case 'expired':
    case 'canceled': {
      const { UnpaidPage } = await import('./ended.tsx');
      return <UnpaidPage {...props} state={state} />;
    }
  }
}
