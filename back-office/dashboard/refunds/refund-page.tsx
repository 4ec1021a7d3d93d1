import type { ComponentChildren } from 'preact';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { REFUND_REASON_LENGTH_MAX, type Refund } from '../../../src/engine/domain/refund.ts';
import { heldOf } from '../../../src/engine/domain/refund-amounts.ts';
import { chargedMinor, commissionOf, type IntentTerms } from '../../../src/engine/domain/terms.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { moneyIn, useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { copyFact, Facts, Message, Section } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { SideBySide } from '../../ui/layout.tsx';
import { Navigation } from '../../ui/page.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DashboardCall, useCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { listIn, paymentPath, refundPath, withList } from '../paths.ts';
import { PasskeyForm } from '../people/passkey-form.tsx';

interface Props {
  readonly intent: Intent;
}

interface FormProps extends Props {
  readonly attempt: Attempt;
  /** The amount that can still be refunded. */
  readonly leftMinor: number;
  /** What the member asks for; at first all that can be refunded. */
  readonly typed: TypedRefund;
  /** What the refund would do; null for an invalid form. */
  readonly refund: Refund | null;
}

/** The fields of the form. */
export interface TypedRefund {
  readonly id: string;
  readonly amount: string;
  readonly reason: string;
}

/** The form, and what a refund of the typed amount would do. */
export function RefundPage(props: FormProps) {
  return (
    <RefundFrame intent={props.intent}>
      <Transactions {...props} />
      <SideBySide
        main={
          <section class="card">
            <RefundForm {...props} />
          </section>
        }
        aside={<TransactionFacts {...props} />}
      />
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
    <Frame
      title={text.formTitle(shownText(intent.terms.uniqueId))}
      active="payments"
      head={{
        back: {
          to: withList(paymentPath(call.environment, intent.terms.uniqueId), listIn(call.url)),
          text: text.back,
        },
      }}
    >
      {children}
    </Frame>
  );
}

/** The payments to choose from, where the customer paid more than once. */
function Transactions({ intent, attempt }: FormProps) {
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

function TransactionFacts({ intent, attempt, leftMinor }: FormProps) {
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
          [text.left, money(leftMinor)],
        ]}
      />
    </Section>
  );
}

/** What the customer gets, who bears the commission, and whether a person must do it. */
function WhatHappens({ intent, attempt, refund }: FormProps) {
  const call = useCall();
  const { sentence = '', warning = '' } =
    refund === null ? {} : consequencesOf(call, { intent, attempt, refund });
  return (
    <div class="stack" aria-live="polite">
      <p id="refund-sentence" hidden={sentence === ''}>
        {sentence}
      </p>
      <p class="notice notice-warning" id="refund-warning" hidden={warning === ''}>
        {warning}
      </p>
    </div>
  );
}

interface Planned {
  readonly intent: Intent;
  readonly attempt: Attempt;
  readonly refund: Refund;
}

/** What a refund does, in words. The script shows the same for each amount that is typed. */
export function consequencesOf(
  call: DashboardCall,
  { intent: { terms }, attempt, refund }: Planned,
): { readonly sentence: string; readonly warning?: string } {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const money = moneyIn(call, terms.currency);
  const { amountMinor, returnedMinor, actionReason } = refund;
  const amount = money(amountMinor);
  const gets =
    returnedMinor === amountMinor ? text.gets(amount) : text.getsMore(amount, money(returnedMinor));
  const sentence = [gets, commissionText(call, terms, attempt, refund)].join(' ').trim();
  return actionReason === null
    ? { sentence }
    : { sentence, warning: `${text.byOperator} ${text.action[actionReason]}` };
}

function commissionText(
  call: DashboardCall,
  terms: IntentTerms,
  attempt: Attempt,
  { commissionReturnedMinor }: Refund,
): string {
  const text = DASHBOARD_TEXTS[call.language].refunds;
  const money = moneyIn(call, terms.currency);
  const commissionMinor = commissionOf(terms, attempt.method);
  if (commissionMinor === 0) {
    return '';
  }
  if (commissionReturnedMinor === 0) {
    return text.commissionKept(money(commissionMinor));
  }
  const bearer = terms.commissionPaidByCustomer ? 'byCustomer' : 'byMerchant';
  return text.commissionReturned[bearer](money(commissionReturnedMinor));
}

function RefundForm(props: FormProps) {
  const call = useCall();
  const { intent, attempt, leftMinor, typed } = props;
  const text = useTexts(DASHBOARD_TEXTS).refunds;
  const { uniqueId, currency } = intent.terms;
  const list = listIn(call.url);
  const back = withList(paymentPath(call.environment, uniqueId), list);
  const path = paymentPath(call.environment, uniqueId, '/refund');
  return (
    <PasskeyForm
      ceremony="refund"
      path={path}
      action={withList(`${path}/review`, list)}
      next={`${back}${back.includes('?') ? '&' : '?'}done=refund_requested`}
      failed={text.failed}
      preview={text.previewing}
    >
      <CsrfField />
      <input type="hidden" name="refund" value={typed.id} />
      <input type="hidden" name="transaction" value={attempt.reference} />
      <TextField
        id="amount"
        inputmode="decimal"
        label={`${text.amount} (${currency})`}
        hint={text.amountHint(useMoney(currency)(leftMinor))}
        value={typed.amount}
      />
      <TextField
        id="reason"
        label={text.reason}
        hint={text.reasonHint}
        value={typed.reason}
        maxlength={REFUND_REASON_LENGTH_MAX}
        required={false}
      />
      <WhatHappens {...props} />
      <p class="hint">{text.finalHint}</p>
      <button class="primary" type="submit">
        {text.confirm}
      </button>
    </PasskeyForm>
  );
}
