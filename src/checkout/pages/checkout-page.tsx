import type { Messages } from '../../pages/messages.ts';
import type { CheckoutView } from '../view.ts';
import { ChoosePage } from './choose.tsx';
import { PaidPage, UnpaidPage } from './ended.tsx';
import { PushPage, RedirectPage } from './processing.tsx';

/** The page of a payment in whatever state it is. */
export function CheckoutPage(props: {
  readonly text: Messages;
  readonly view: CheckoutView;
  readonly path: string;
}) {
  const { summary, state } = props.view;
  const common = { text: props.text, summary, path: props.path };
  switch (state.kind) {
    case 'choose':
      return <ChoosePage {...common} state={state} />;
    case 'redirect':
      return <RedirectPage {...common} state={state} />;
    case 'push':
      return <PushPage {...common} state={state} />;
    case 'paid':
      return <PaidPage {...common} state={state} />;
    case 'failed':
    case 'expired':
    case 'canceled':
      return <UnpaidPage {...common} state={state} />;
  }
}
