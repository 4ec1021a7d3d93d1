import type { AboutPayment } from '../../../src/control/rpc/operator.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';

type Shown = Pick<AboutPayment, 'kind' | 'method' | 'transactionIds'>;

/** The line below a payment's id in each list: how to look it up, and how it is paid. */
export function AboutPaymentLine({ kind, method, transactionIds }: Shown) {
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const { kind: kindName } = useTexts(DASHBOARD_TEXTS).payment;
  return (
    <span class="about-payment small">
      {transactionIds.map((id) => (
        <code>{id}</code>
      ))}
      <span class="quiet">
        {[...(method === null ? [] : [methodName[method]]), kindName[kind]].join(' · ')}
      </span>
    </span>
  );
}
