import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { chargedMinor } from '../../../src/engine/domain/terms.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { type FactRow, Untrusted, untrustedRow, WhenExactly } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';

/** What identifies a payment, and what it is about. */
export function usePaymentFacts({ terms, status }: Intent): readonly FactRow[] {
  const text = useTexts(DESK_TEXTS).pages;
  return [
    [text.payment, <Untrusted text={terms.uniqueId} />],
    [text.merchant, <bdi>{shownText(terms.merchantName)}</bdi>],
    [text.environmentLabel, text.environment[terms.environment]],
    [text.state, useTexts(DASHBOARD_TEXTS).statuses[status]],
    [text.amount, useMoney(terms.currency)(terms.amountMinor)],
  ];
}

/** What the operator compares with the provider's records. */
export function useAttemptFacts({ terms }: Intent, attempt: Attempt): readonly FactRow[] {
  const text = useTexts(DESK_TEXTS).pages;
  const shared = useTexts(DASHBOARD_TEXTS).payment;
  const { method, reference, railReference, providerCode, status, startedAtMs } = attempt;
  return [
    [text.method, useTexts(CHECKOUT_TEXTS).methodName[method]],
    [text.charged, useMoney(terms.currency)(chargedMinor(terms, method))],
    [text.reference, <code>{reference}</code>],
    untrustedRow(shared.railReference, railReference),
    untrustedRow(shared.providerCode, providerCode),
    [text.attemptState, shared.attemptStatus[status]],
    [shared.startedAt, <WhenExactly atMs={startedAtMs} />],
    [shared.windowEndsAt, <WhenExactly atMs={attempt.deadlineAtMs} />],
  ];
}
