import type { ComponentChildren } from 'preact';
import type { Intent } from '../../src/engine/domain/intent.ts';
import type { Refund, RefundStatus } from '../../src/engine/domain/refund.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import {
  Badge,
  type BadgeTone,
  copyFact,
  Facts,
  Section,
  TechnicalDetails,
  untrustedRow,
  WhenExactly,
} from '../ui/elements.tsx';
import { useMoney } from './payment-elements.tsx';

const TONES: Readonly<Record<RefundStatus, BadgeTone>> = {
  pending: 'wait',
  processing: 'wait',
  unresolved: 'wait',
  requires_action: 'wait',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'plain',
};

export function RefundBadge(props: { readonly status: RefundStatus }) {
  return (
    <Badge tone={TONES[props.status]}>
      {useTexts(DASHBOARD_TEXTS).refunds.status[props.status]}
    </Badge>
  );
}

interface RefundsProps {
  readonly intent: Intent;
  /** Who asked for a refund. */
  readonly requester: (refund: Refund) => string;
  /** What the reader can do about a refund. */
  readonly actions?: (refund: Refund) => ComponentChildren;
}

/** Every refund of the payment, the latest first; nothing without refunds. */
export function Refunds(props: RefundsProps) {
  const { intent } = props;
  return intent.refunds.length === 0 ? null : (
    <Section id="refunds" title={useTexts(DASHBOARD_TEXTS).refunds.title} class="part">
      <div class="cards">
        {intent.refunds
          .map((refund, index) => (
            <RefundCard {...props} refund={refund} number={String(index + 1)} />
          ))
          .reverse()}
      </div>
    </Section>
  );
}

function RefundCard(props: RefundsProps & { readonly refund: Refund; readonly number: string }) {
  const { intent, refund, number, requester, actions } = props;
  const { refunds: text, payment } = useTexts(DASHBOARD_TEXTS);
  const money = useMoney(intent.terms.currency);
  // The customer gets no money, and the operator returns no commission.
  const isOff = refund.status === 'failed' || refund.status === 'canceled';
  return (
    <article class="card" id={`refund-${number}`}>
      <div class="card-head">
        <h3>{text.one(number)}</h3>
        <RefundBadge status={refund.status} />
      </div>
      <p>{text.meaning[refund.status]}</p>
      <Facts
        rows={[
          [text.amountOfRefund, money(refund.amountMinor)],
          isOff || refund.returnedMinor === refund.amountMinor
            ? null
            : [
                refund.status === 'succeeded' ? text.customerGot : text.customerGets,
                money(refund.returnedMinor),
              ],
          isOff || refund.commissionReturnedMinor === 0
            ? null
            : [text.commissionBack, money(refund.commissionReturnedMinor)],
          useAttemptRow(props),
          useExplanation(props),
          untrustedRow(text.reason, refund.reason),
          [text.requestedBy, requester(refund)],
          [text.requestedAt, <WhenExactly atMs={refund.createdAtMs} />],
          refund.checkAtMs === null
            ? null
            : [payment.nextCheckAt, <WhenExactly atMs={refund.checkAtMs} />],
        ]}
      />
      <TechnicalDetails>
        <Facts
          rows={[
            copyFact(`refund-id-${number}`, text.id, refund.id),
            // A canceled refund was never sent, so the provider does not know its number.
            refund.status === 'canceled'
              ? null
              : copyFact(`refund-reference-${number}`, text.reference, refund.reference),
            copyFact(`refund-rail-${number}`, payment.railReference, refund.railReference),
            untrustedRow(payment.providerCode, refund.providerCode),
            refund.updatedAtMs === refund.createdAtMs
              ? null
              : [payment.updatedAt, <WhenExactly atMs={refund.updatedAtMs} />],
          ]}
        />
      </TechnicalDetails>
      {actions?.(refund)}
    </article>
  );
}

/** Only where the customer has paid more than once. */
function useAttemptRow({ intent, refund }: RefundsProps & { readonly refund: Refund }) {
  const { refunds: text, payment } = useTexts(DASHBOARD_TEXTS);
  const index = intent.attempts.findIndex(({ id }) => id === refund.attemptId);
  const attempt = intent.attempts[index];
  const isOnly = intent.attempts.filter(({ status }) => status === 'succeeded').length < 2;
  return isOnly || attempt === undefined
    ? null
    : ([
        text.ofAttempt,
        payment.attempt(String(index + 1), useTexts(CHECKOUT_TEXTS).methodName[attempt.method]),
      ] as const);
}

/** Why it failed, why a person returns the money, or that the provider changed its mind. */
function useExplanation({ refund }: { readonly refund: Refund }) {
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const { failureReason, actionReason, late } = refund;
  if (failureReason !== null) {
    return [text.why, text.failure[failureReason]] as const;
  }
  if (actionReason !== null) {
    return [text.why, text.action[actionReason]] as const;
  }
  return late ? ([text.why, text.late] as const) : null;
}
