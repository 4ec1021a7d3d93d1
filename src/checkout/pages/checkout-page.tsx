import { ChoosePage } from './choose.tsx';
import { PaidPage, UnpaidPage } from './ended.tsx';
import { PushPage, RedirectPage } from './processing.tsx';
import type { PageProps } from './props.ts';

/** The page of a payment, in any state. */
export function CheckoutPage(props: PageProps) {
  const { state } = props.view;
  switch (state.kind) {
    case 'choose':
      return <ChoosePage {...props} state={state} />;
    case 'redirect':
      return <RedirectPage {...props} state={state} />;
    case 'push':
      return <PushPage {...props} state={state} />;
    case 'paid':
      return <PaidPage {...props} state={state} />;
    case 'failed':
    case 'expired':
    case 'canceled':
      return <UnpaidPage {...props} state={state} />;
  }
}
