import type { ComponentChildren } from 'preact';
import {
  type Attempt,
  chargedMinor,
  commissionOf,
  type Intent,
} from '../../../src/domain/intent.ts';
import { majorText } from '../../../src/domain/money.ts';
import { REFUND_REASON_LENGTH_MAX, type Refund } from '../../../src/domain/refund.ts';
import { heldOf } from '../../../src/domain/refund-amounts.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { copyFact, Facts, Message, Section, TextField } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { useCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { listIn, paymentPath, refundPath, withList } from '../paths.ts';
import { PasskeyForm } from '../people/passkey-form.tsx';

interface Props {
  readonly intent: Intent;
}

interface FormProps extends Props {
  readonly attempt: Attempt;
  /** What refunding all that is left would do. */
  readonly whole: Refund;
}

/** The form, prefilled with all that is left. */
export function RefundPage(props: FormProps) {
  const { intent, attempt } = props;
  return (
    <RefundFrame intent={intent}>
      <Transactions intent={intent} attempt={attempt} />
      <TransactionFacts {...props} />
      <Section id="refund" title={useTexts(DASHBOARD_TEXTS).refunds.refund}>
        <WhatHappens {...props} />
        <RefundForm {...props} />
      </Section>
    </RefundFrame>
  );
}

/** Why there is no form. */
export function NoRefundPage(props: Props & { readonly problem: string }) {
  return (
    <RefundFrame {...props}>
      <Message tone="bad">{props.problem}</Message>
    </RefundFrame>
  );
}

function RefundFrame(props: Props & { readonly children: ComponentChildren }) {
  const call = useCall();
  const { intent, children } = props;
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  return (
    <Frame title={text.formTitle(shownText(intent.terms.uniqueId))} active="payments">
      <p>
        <a href={withList(paymentPath(call.environment, intent.terms.uniqueId), listIn(call.url))}>
          {text.back}
        </a>
      </p>
      {children}
    </Frame>
  );
}

/** The payments to choose from, where the customer paid more than once. */
function Transactions({ intent, attempt }: Omit<FormProps, 'whole'>) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const paid = intent.attempts.filter(({ status }) => status === 'succeeded');
  return paid.length < 2 ? null : (
    <Navigation
      class="tabs"
      label={text.transactions}
      links={paid.map((one) => ({
        href: refundPath(call, intent.terms.uniqueId, one.reference),
        text: text.transaction(String(intent.attempts.indexOf(one) + 1), methodName[one.method]),
        isCurrent: one.id === attempt.id,
      }))}
    />
  );
}

function TransactionFacts({ intent, attempt, whole }: FormProps) {
  const { refunds: text, payment } = useTexts(DASHBOARD_TEXTS);
  const money = useMoney(intent.terms.currency);
  const heldMinor = heldOf(intent, attempt).amountMinor;
  return (
    <Section id="transaction" title={payment.facts}>
      <Facts
        rows={[
          [text.paid, money(chargedMinor(intent.terms, attempt.method))],
          [payment.method, useTexts(CHECKOUT_TEXTS).methodName[attempt.method]],
          copyFact('transaction-id', payment.reference, attempt.reference),
          heldMinor === 0 ? null : [text.held, money(heldMinor)],
          [text.left, money(whole.amountMinor)],
        ]}
      />
    </Section>
  );
}

/** What the customer gets, who bears the commission, and whether a person must do it. */
function WhatHappens({ intent, attempt, whole }: FormProps) {
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const money = useMoney(intent.terms.currency);
  const amount = money(whole.amountMinor);
  return (
    <>
      <p>
        {whole.returnedMinor === whole.amountMinor
          ? text.gets(amount)
          : text.getsMore(amount, money(whole.returnedMinor))}{' '}
        {commissionText({ intent, attempt, whole })}
      </p>
      {whole.actionReason !== null && (
        <Message tone="warning">
          {text.byOperator} {text.action[whole.actionReason]}
        </Message>
      )}
    </>
  );
}

function commissionText({ intent, attempt, whole }: FormProps): string | null {
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const money = useMoney(intent.terms.currency);
  const commissionMinor = commissionOf(intent.terms, attempt.method);
  if (commissionMinor === 0) {
    return null;
  }
  if (whole.commissionReturnedMinor === 0) {
    return text.commissionKept(money(commissionMinor));
  }
  const bearer = intent.terms.commissionPaidByCustomer ? 'byCustomer' : 'byMerchant';
  return text.commissionReturned[bearer](money(whole.commissionReturnedMinor));
}

function RefundForm({ intent, attempt, whole }: FormProps) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const { uniqueId, currency } = intent.terms;
  const back = withList(paymentPath(call.environment, uniqueId), listIn(call.url));
  return (
    <PasskeyForm
      ceremony="refund"
      path={paymentPath(call.environment, uniqueId, '/refund')}
      next={`${back}${back.includes('?') ? '&' : '?'}done=refund_requested`}
      failed={text.failed}
    >
      <CsrfField />
      <input type="hidden" name="refund" value={whole.id} />
      <input type="hidden" name="transaction" value={attempt.reference} />
      <TextField
        id="amount"
        inputmode="decimal"
        label={`${text.amount} (${currency})`}
        hint={text.amountHint(useMoney(currency)(whole.amountMinor))}
        value={majorText(whole.amountMinor)}
      />
      <TextField
        id="reason"
        label={text.reason}
        hint={text.reasonHint}
        value=""
        maxlength={REFUND_REASON_LENGTH_MAX}
        required={false}
      />
      <p class="hint">{text.finalHint}</p>
      <button class="primary" type="submit">
        {text.confirm}
      </button>
    </PasskeyForm>
  );
}
