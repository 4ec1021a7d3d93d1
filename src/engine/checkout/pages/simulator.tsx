import { moneyText } from '../../../kit/i18n/money-text.ts';
import { soonText } from '../../../kit/i18n/time-text.ts';
import type { Attempt, AttemptStatus } from '../../domain/attempt.ts';
import { chargedMinor, type IntentTerms } from '../../domain/terms.ts';
import { WEBHOOK_FAULT_KEY, WEBHOOK_FAULTS } from '../../domain/webhook-fault.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { SCENARIOS } from '../../rails/simulator/scenarios.ts';
import { useText } from '../texts.ts';
import { Countdown } from './countdown.tsx';
import { CheckoutDocument } from './document.tsx';
import { ButtonLink, Headline, Row } from './elements.tsx';

/** The values that the buttons post. */
export type SimulatorChoice = 'approve' | 'decline' | 'give_up';

export interface SimulatorPageProps {
  readonly terms: IntentTerms;
  /** Already advanced to the present time. */
  readonly attempt: Attempt;
  /** The simulator's own page. */
  readonly path: string;
  /** The time left to decide. */
  readonly remainingMs: number;
  /** Where the buttons post. */
  readonly action: string;
  /** The payment's own page. */
  readonly checkoutUrl: string;
}

/** Replaces a provider's page: the visitor decides the outcome of the test payment. */
export function SimulatorPage(props: SimulatorPageProps) {
  const { terms, attempt } = props;
  const text = useText();
  const settled = settledText(attempt.status, text);
  const title = settled === null ? text.simulatorTitle : text.simulatorSettledTitle;
  return (
    <CheckoutDocument title={`${title} · ${text.testBanner}`} isTest path={props.path}>
      <main class="sheet sheet-test">
        <div class="task">
          <Headline tone={settled === null ? 'wait' : 'plain'}>{title}</Headline>
          <p>{settled ?? text.simulatorLead(text.methodName[attempt.method])}</p>
          <dl class="receipt">
            <Row label={text.merchant}>
              <bdi>{terms.merchantName}</bdi>
            </Row>
            <Row label={text.method}>{text.methodName[attempt.method]}</Row>
            <Row label={text.reference}>
              <code>{attempt.reference}</code>
            </Row>
            <Row label={text.amount} emphasis>
              {moneyText(chargedMinor(terms, attempt.method), terms.currency, text.locale)}
            </Row>
          </dl>
          {settled === null ? (
            <Buttons {...props} />
          ) : (
            <ButtonLink href={props.checkoutUrl}>{text.simulatorOnward}</ButtonLink>
          )}
          <Amounts terms={terms} />
        </div>
      </main>
    </CheckoutDocument>
  );
}

function Buttons(props: SimulatorPageProps) {
  const { terms, action, checkoutUrl, attempt, remainingMs } = props;
  const text = useText();
  const isHosted = terms.kind === 'hosted';
  const choices: readonly (readonly [SimulatorChoice, string])[] = [
    ['approve', text.simulatorApprove],
    ['decline', isHosted ? text.simulatorDecline : text.simulatorDeclineFinal],
    ['give_up', text.simulatorGiveUp],
  ];
  return (
    <>
      <Countdown remainingMs={remainingMs} words={text.timeLeftToConfirm}>
        {text.payBefore(soonText(attempt.deadlineAtMs, attempt.deadlineAtMs - remainingMs, text))}
      </Countdown>
      <form class="stack" method="post" action={action} data-once>
        {choices.map(([outcome, label]) => (
          <button
            class={outcome === 'approve' ? 'button primary' : 'button'}
            type="submit"
            name="outcome"
            value={outcome}
          >
            {label}
          </button>
        ))}
      </form>
      {isHosted && (
        <ButtonLink href={checkoutUrl} look="plain">
          {text.simulatorBack}
        </ButtonLink>
      )}
    </>
  );
}

/** For the merchant's developer, who finds the names in the documentation. */
function Amounts({ terms }: Pick<SimulatorPageProps, 'terms'>) {
  const text = useText();
  return (
    <details class="breakdown">
      <summary>
        <h2>{text.simulatorAmounts}</h2>
      </summary>
      <dl class="receipt small">
        {Object.entries(SCENARIOS).map(([name, { amountMinor }]) => (
          <Row label={name}>{moneyText(amountMinor, terms.currency, text.locale)}</Row>
        ))}
        <Row label={WEBHOOK_FAULT_KEY}>{WEBHOOK_FAULTS.join(', ')}</Row>
      </dl>
      <ButtonLink href="/docs/sandbox" look="plain">
        {text.simulatorAmountsMore}
      </ButtonLink>
    </details>
  );
}

/** The outcome of the attempt, or null while it can still be decided. */
function settledText(status: AttemptStatus, text: CheckoutMessages): string | null {
  return status === 'processing' || status === 'unresolved' ? null : text.simulatorSettled[status];
}
