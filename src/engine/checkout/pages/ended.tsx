import { moneyText } from '../../../kit/i18n/money-text.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { useText } from '../texts.ts';
import type { CheckoutState, PaidState } from '../view.ts';
import { Breakdown } from './breakdown.tsx';
import { ClaimLink } from './claim-link.tsx';
import {
  Amount,
  ButtonLink,
  Headline,
  NoMessage,
  PaidFacts,
  References,
  Row,
} from './elements.tsx';
import { Frame } from './frame.tsx';
import type { PageProps, SummaryProps } from './props.ts';
import { ReturnButton } from './way-back.tsx';

/** Long enough to read that the payment worked. With the script there is a button to stay. */
const RETURN_AFTER_SECONDS = 10;

/** A customer who abandoned wants to leave; long enough to see that the payment has ended. */
const LEAVE_AFTER_SECONDS = 3;

/** The customer has just paid: what to note, the receipt, and the way back to the merchant. */
export function PaidPage(props: PageProps & { readonly state: PaidState }) {
  const { view, state } = props;
  const { summary } = view;
  const text = useText();
  const refresh = returnBy(summary.returnUrl, RETURN_AFTER_SECONDS);
  return (
    <Frame {...props} title={text.paidTitle} refresh={refresh}>
      <Headline tone="good">{text.paidTitle}</Headline>
      <Amount amountMinor={state.receipt.paidMinor} currency={summary.currency} />
      <dl class="receipt">
        <PaidFacts summary={summary} receipt={state.receipt} />
        <References summary={summary} />
        <Help {...props} />
      </dl>
      <ReturnButton summary={summary} />
      {props.receiptPath && (
        <ButtonLink href={props.receiptPath} look="second">
          {text.receipt.title}
        </ButtonLink>
      )}
      {refresh && <AutoReturn summary={summary} {...refresh} />}
      <Breakdown summary={summary} isFolded={false} />
    </Frame>
  );
}

/** The operator's support, which asks for the reference above. */
export function Help({ support }: PageProps) {
  const text = useText();
  const rows = [
    { label: text.help, link: support?.contact },
    { label: text.serviceStatus, link: support?.status },
  ];
  return rows.map(
    ({ label, link }) =>
      link && (
        <Row label={label}>
          <a href={link.href}>
            <bdi>{link.text}</bdi>
          </a>
        </Row>
      ),
  );
}

/** Where the page leads automatically, even without the script. */
function returnBy(returnUrl: string | null, afterSeconds: number) {
  return returnUrl === null ? null : { afterSeconds, url: returnUrl };
}

/** Returns the customer to the merchant after the payment (docs/api.md#return). */
function AutoReturn(props: SummaryProps & { readonly url: string; readonly afterSeconds: number }) {
  const { summary, url } = props;
  const text = useText();
  return (
    <p
      class="auto-return quiet small center"
      data-return={url}
      data-seconds={String(props.afterSeconds)}
      data-template={text.returningIn(summary.merchantName, '{seconds}')}
    >
      <span>
        <noscript>{text.returningSoon(summary.merchantName)}</noscript>
      </span>{' '}
      <button class="link" type="button" data-stay hidden>
        {text.stayHere}
      </button>
    </p>
  );
}

export type UnpaidState = Extract<CheckoutState, { kind: 'failed' | 'expired' | 'canceled' }>;

/** The payment ended unpaid. */
export function UnpaidPage(props: PageProps & { readonly state: UnpaidState }) {
  const { view, state } = props;
  const { summary } = view;
  const text = useText();
  const { title, lead } = unpaidTexts(text, state, summary.merchantName);
  const isLeaving = state.kind === 'failed' && state.isLeaving;
  const refresh = returnBy(isLeaving ? summary.returnUrl : null, LEAVE_AFTER_SECONDS);
  return (
    <Frame
      {...props}
      title={title}
      // The provider may still confirm this payment, so the page keeps polling.
      follow={state.mayStillSettle ? 'slow' : null}
      refresh={refresh}
    >
      <Headline tone={state.kind === 'failed' ? 'bad' : 'plain'}>{title}</Headline>
      {state.mayStillSettle ? (
        // The outcome is unknown, so the page claims neither "not paid" nor "pay again".
        <p class="notice">{text.mayStillSettle(summary.merchantName)}</p>
      ) : (
        <p>{lead}</p>
      )}
      <ClaimLink path={props.path} claimed={state.claimed} />
      {state.askedPhone !== null && (
        <NoMessage phone={state.askedPhone}>
          <p>{text.startAgain(summary.merchantName)}</p>
        </NoMessage>
      )}
      <dl class="receipt">
        <Row label={text.amount}>
          {moneyText(
            summary.totals.totalMinor ?? summary.totals.subtotalMinor,
            summary.currency,
            text.locale,
          )}
        </Row>
        <References summary={summary} />
        <Help {...props} />
      </dl>
      <ReturnButton summary={summary} />
      {refresh && <AutoReturn summary={summary} {...refresh} />}
      <Breakdown summary={summary} isFolded />
    </Frame>
  );
}

function unpaidTexts(text: CheckoutMessages, state: UnpaidState, merchantName: string) {
  switch (state.kind) {
    case 'failed': {
      const reason = state.reason === null ? '' : `${text.failedReason[state.reason]} `;
      return { title: text.failedTitle, lead: reason + text.failedLead(merchantName) };
    }
    case 'expired':
      return { title: text.expiredTitle, lead: text.expiredLead(merchantName) };
    case 'canceled':
      return { title: text.canceledTitle, lead: text.canceledLead(merchantName) };
  }
}
