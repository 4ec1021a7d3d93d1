import type { ComponentChildren } from 'preact';
import type { Intent } from '../../src/domain/intent.ts';
import type { Refund, RefundStatus } from '../../src/domain/refund.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import {
  Badge,
  type BadgeTone,
  copyRow,
  Facts,
  Section,
  untrustedRow,
  WhenExactly,
} from '../ui/elements.tsx';
import type { PageView } from '../ui/page.tsx';
import { moneyIn } from './payment-elements.tsx';

type Call = Pick<PageView, 'language'>;

const TONES: Readonly<Record<RefundStatus, BadgeTone>> = {
  pending: 'wait',
  processing: 'wait',
  unresolved: 'wait',
  requires_action: 'wait',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'plain',
};

export function RefundBadge(props: { readonly call: Call; readonly status: RefundStatus }) {
  return (
    <Badge tone={TONES[props.status]}>
      {DASHBOARD_TEXTS[props.call.language].refunds.status[props.status]}
    </Badge>
  );
}

interface RefundsProps {
  readonly call: Call;
  readonly intent: Intent;
  /** Who asked for a refund. */
  readonly requester: (refund: Refund) => string;
  /** What the reader can do about a refund. */
  readonly actions?: (refund: Refund) => ComponentChildren;
}

/** Every refund of the payment, the latest first; nothing without any. */
export function Refunds(props: RefundsProps) {
  const { call, intent } = props;
  return intent.refunds.length === 0 ? null : (
    <Section id="refunds" title={DASHBOARD_TEXTS[call.language].refunds.title} class="part">
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
  const { call, intent, refund, number, requester, actions } = props;
  const { refunds: text, payment } = DASHBOARD_TEXTS[call.language];
  const money = moneyIn(call, intent.terms.currency);
  // The customer gets nothing, and no commission is given up.
  const isOff = refund.status === 'failed' || refund.status === 'canceled';
  return (
    <article class="card" id={`refund-${number}`}>
      <div class="card-head">
        <h3>{text.one(number)}</h3>
        <RefundBadge call={call} status={refund.status} />
      </div>
      <p>{text.meaning[refund.status]}</p>
      <Facts
        rows={[
          [text.amountOfRefund, money(refund.amountMinor)],
          isOff
            ? null
            : [
                refund.status === 'succeeded' ? text.customerGot : text.customerGets,
                money(refund.returnedMinor),
              ],
          isOff || refund.commissionReturnedMinor === 0
            ? null
            : [text.commissionBack, money(refund.commissionReturnedMinor)],
          attemptRow(props),
          explanation(props),
          untrustedRow(text.reason, refund.reason),
          [text.requestedBy, requester(refund)],
          copyRow(call, `refund-id-${number}`, text.id, refund.id),
          // A canceled refund was never sent, so the provider does not know its number.
          refund.status === 'canceled'
            ? null
            : copyRow(call, `refund-reference-${number}`, text.reference, refund.reference),
          copyRow(call, `refund-rail-${number}`, payment.railReference, refund.railReference),
          untrustedRow(payment.providerCode, refund.providerCode),
          [text.requestedAt, <WhenExactly call={call} atMs={refund.createdAtMs} />],
          refund.updatedAtMs === refund.createdAtMs
            ? null
            : [payment.updatedAt, <WhenExactly call={call} atMs={refund.updatedAtMs} />],
          refund.checkAtMs === null
            ? null
            : [payment.nextCheckAt, <WhenExactly call={call} atMs={refund.checkAtMs} />],
        ]}
      />
      {actions?.(refund)}
    </article>
  );
}

/** Only where the customer has paid more than once. */
function attemptRow({ call, intent, refund }: RefundsProps & { readonly refund: Refund }) {
  const { refunds: text, payment } = DASHBOARD_TEXTS[call.language];
  const index = intent.attempts.findIndex(({ id }) => id === refund.attemptId);
  const attempt = intent.attempts[index];
  const isOnly = intent.attempts.filter(({ status }) => status === 'succeeded').length < 2;
  return isOnly || attempt === undefined
    ? null
    : ([
        text.ofAttempt,
        payment.attempt(
          String(index + 1),
          CHECKOUT_TEXTS[call.language].methodName[attempt.method],
        ),
      ] as const);
}

/** Why it failed, why a person returns the money, or that the provider changed its mind. */
function explanation({ call, refund }: { readonly call: Call; readonly refund: Refund }) {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const { failureReason, actionReason, late } = refund;
  if (failureReason !== null) {
    return [text.why, text.failure[failureReason]] as const;
  }
  if (actionReason !== null) {
    return [text.why, text.action[actionReason]] as const;
  }
  return late ? ([text.why, text.late] as const) : null;
}
