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
import { moneyIn } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { copyRow, Facts, Field, Message, Section, TextField } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DashboardCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { listIn, paymentPath, refundPath, withList } from '../paths.ts';
import { PasskeyForm } from '../people/passkey-form.tsx';

interface Props {
  readonly call: DashboardCall;
  readonly intent: Intent;
}

interface FormProps extends Props {
  readonly attempt: Attempt;
  /** What refunding all that is left would do. */
  readonly whole: Refund;
}

/** The form, prefilled with all that is left. */
export function RefundPage(props: FormProps) {
  const { call, intent, attempt } = props;
  return (
    <RefundFrame call={call} intent={intent}>
      <Transactions call={call} intent={intent} attempt={attempt} />
      <TransactionFacts {...props} />
      <Section id="refund" title={DASHBOARD_TEXTS[call.language].refunds.refund}>
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
  const { call, intent, children } = props;
  const text = DASHBOARD_TEXTS[call.language].refunds;
  return (
    <Frame call={call} title={text.formTitle(shownText(intent.terms.uniqueId))} active="payments">
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
function Transactions({ call, intent, attempt }: Omit<FormProps, 'whole'>) {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const { methodName } = CHECKOUT_TEXTS[call.language];
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

function TransactionFacts({ call, intent, attempt, whole }: FormProps) {
  const { refunds: text, payment } = DASHBOARD_TEXTS[call.language];
  const money = moneyIn(call, intent.terms.currency);
  const heldMinor = heldOf(intent, attempt).amountMinor;
  return (
    <Section id="transaction" title={payment.facts}>
      <Facts
        rows={[
          [text.paid, money(chargedMinor(intent.terms, attempt.method))],
          [payment.method, CHECKOUT_TEXTS[call.language].methodName[attempt.method]],
          copyRow(call, 'transaction-id', payment.reference, attempt.reference),
          heldMinor === 0 ? null : [text.held, money(heldMinor)],
          [text.left, money(whole.amountMinor)],
        ]}
      />
    </Section>
  );
}

/** What the customer gets, who bears the commission, and whether a person must do it. */
function WhatHappens({ call, intent, attempt, whole }: FormProps) {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const money = moneyIn(call, intent.terms.currency);
  const amount = money(whole.amountMinor);
  return (
    <>
      <p>
        {whole.returnedMinor === whole.amountMinor
          ? text.gets(amount)
          : text.getsMore(amount, money(whole.returnedMinor))}{' '}
        {commissionText({ call, intent, attempt, whole })}
      </p>
      {whole.actionReason !== null && (
        <Message tone="warning">
          {text.byOperator} {text.action[whole.actionReason]}
        </Message>
      )}
    </>
  );
}

function commissionText({ call, intent, attempt, whole }: FormProps): string | null {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const money = moneyIn(call, intent.terms.currency);
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

function RefundForm({ call, intent, attempt, whole }: FormProps) {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const { uniqueId, currency } = intent.terms;
  const back = withList(paymentPath(call.environment, uniqueId), listIn(call.url));
  return (
    <PasskeyForm
      call={call}
      ceremony="refund"
      path={paymentPath(call.environment, uniqueId, '/refund')}
      next={`${back}${back.includes('?') ? '&' : '?'}done=refund_requested`}
      failed={text.failed}
    >
      <CsrfField session={call.session} />
      <input type="hidden" name="refund" value={whole.id} />
      <input type="hidden" name="transaction" value={attempt.reference} />
      <Field
        id="amount"
        label={`${text.amount} (${currency})`}
        hint={text.amountHint(moneyIn(call, currency)(whole.amountMinor))}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="text"
            inputmode="decimal"
            name="amount"
            value={majorText(whole.amountMinor)}
            required
            autocomplete="off"
          />
        )}
      </Field>
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
