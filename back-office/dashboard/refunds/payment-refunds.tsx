import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Refund } from '../../../src/engine/domain/refund.ts';
import { refundableMinor } from '../../../src/engine/domain/refund-amounts.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useRequesterText } from '../../elements/payment-history.tsx';
import { Refunds } from '../../elements/payment-refunds.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { shownText } from '../../ui/untrusted-text.ts';
import { mayChange, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { listIn, paymentPath, refundPath, withList } from '../paths.ts';

/** Refunds on the page of a payment. */

interface Props {
  readonly intent: Intent;
}

/** Leads to the form; nothing where there is nothing to refund or the member may not. */
export function RefundButton(
  props: Props & { readonly attemptId: string | null; readonly label?: string },
) {
  const call = useCall();
  const { intent, attemptId, label } = props;
  const attempt = intent.attempts.find(({ id }) => id === attemptId);
  const isPossible = attempt !== undefined && refundableMinor(intent, attempt) > 0;
  return !isPossible || !mayChange(call, 'refunds') ? null : (
    <a class="button" href={refundPath(call, intent.terms.uniqueId, attempt.reference)}>
      {label ?? useTexts(DASHBOARD_TEXTS).refunds.refund}
    </a>
  );
}

export function OwnRefunds(props: Props & { readonly names: ReadonlyMap<string, string> }) {
  const call = useCall();
  const { intent, names } = props;
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const requester = ({ requester: by }: Refund) =>
    by.type === 'operator' ? text.requester.operator : shownText(useRequesterText(by, names));
  const cancelPath = (refundId: string) =>
    withList(
      paymentPath(
        call.environment,
        intent.terms.uniqueId,
        `/refunds/${encodeURIComponent(refundId)}/cancel`,
      ),
      listIn(call.url),
    );
  return (
    <Refunds
      intent={intent}
      requester={requester}
      actions={({ id, status }) =>
        status === 'pending' &&
        mayChange(call, 'refunds') && (
          <ButtonForm
            action={cancelPath(id)}
            label={text.cancel}
            tone="bad"
            confirm={text.cancelQuestion}
          />
        )
      }
    />
  );
}
