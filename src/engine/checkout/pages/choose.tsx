import { amountText, moneyText } from '../../../kit/i18n/money-text.ts';
import { soonText } from '../../../kit/i18n/time-text.ts';
import { type Method, TRAITS } from '../../domain/method.ts';
import { useText } from '../texts.ts';
import type { MethodChoice } from '../view.ts';
import { Breakdown } from './breakdown.tsx';
import { ChooseNotices, noticesOf, phoneExample } from './choose-notices.tsx';
import { Countdown } from './countdown.tsx';
import { breakable, References } from './elements.tsx';
import { Frame } from './frame.tsx';
import { PhoneEntry } from './phone-entry.tsx';
import { pictogramOf } from './pictograms.ts';
import type { ChooseProps, PageProps } from './props.ts';

/** A page with more time left than this relies on the script to show the expiry. */
const REFRESH_SECONDS_MAX = 3_600;

/** The page to choose a method and enter a phone number, also for another attempt. */
export function ChoosePage(props: ChooseProps) {
  const { view, state, path } = props;
  const text = useText();
  const { summary } = view;
  const { totals, currency } = summary;
  const amount = moneyText(totals.totalMinor ?? totals.subtotalMinor, currency, text.locale);
  const title = text.choosePageTitle(amount, summary.merchantName);
  const remainingMs = view.remainingMs ?? 0;
  const failed = state.methods.find((choice) => choice.isRetry);
  // What a screen reader reads first.
  const noticed = noticesOf(text, state).find(({ isCalm }) => !isCalm)?.title ?? null;
  return (
    <Frame
      {...props}
      title={noticed === null ? title : `${noticed} · ${title}`}
      isPayable
      isWide
      leavingEndsPayment
      follow="slow"
      refresh={refreshAtTheEnd(remainingMs, path)}
      aside={
        <>
          <Countdown remainingMs={remainingMs} words={text.timeLeftToPay}>
            {text.payBefore(soonText(state.dueAtMs, view.nowMs, text))}
          </Countdown>
          <Breakdown summary={summary} isFolded />
          <ContinueOnPhone path={path} />
        </>
      }
    >
      <ChooseNotices {...props} />
      <form class="choose" method="post" action={`${path}/attempts`} data-once data-totals>
        <input type="hidden" name="attempts" value={String(state.attemptsMade)} />
        <fieldset class="methods">
          <legend>
            <h1>{text.chooseMethod}</h1>
          </legend>
          <p class="field-problem" id="method-problem" role="alert" hidden>
            {text.problem.method_missing}
          </p>
          {state.methods.map((choice) => (
            <MethodOption {...props} choice={choice} />
          ))}
          {state.phone !== null && <PhoneEntry {...props} phone={state.phone} />}
        </fieldset>
        {state.attemptsMade > 0 && (
          <dl class="small">
            <References summary={summary} />
          </dl>
        )}
        <div class="pay-bar">
          <button
            class="button primary"
            type="submit"
            data-busy={text.working}
            disabled={state.methods.every(({ off }) => off !== null)}
          >
            <span
              class="pay"
              data-by-method={totals.totalMinor === null ? text.payAmount('{charged}') : undefined}
            >
              {totals.totalMinor === null ? text.pay : text.payAmount(amount)}
            </span>
            {failed && (
              // The button's text while the method that failed is chosen, by CSS alone.
              <span class="pay-again">{text.tryMethodAgain(text.methodName[failed.method])}</span>
            )}
          </button>
        </div>
      </form>
    </Frame>
  );
}

/**
 * Shows the expired page automatically, even without the script; not for payments open for days.
 */
function refreshAtTheEnd(remainingMs: number, path: string) {
  const afterSeconds = Math.ceil(remainingMs / 1_000) + 1;
  // With its URL, because the query may name a form that was refused before.
  return afterSeconds > REFRESH_SECONDS_MAX ? null : { afterSeconds, url: path };
}

function MethodOption(props: ChooseProps & { readonly choice: MethodChoice }) {
  const { view, state, choice, logos } = props;
  const text = useText();
  const { totals, currency } = view.summary;
  const money = (amountMinor: number) => moneyText(amountMinor, currency, text.locale);
  const differs = totals.totalMinor === null;
  const fee = choice.commissionMinor;
  const feeNote = fee > 0 ? text.feeIncluded(money(fee)) : text.noFee;
  const charged = money(choice.chargedMinor);
  const name = text.methodName[choice.method];
  const hint = text.methodHint[choice.method];
  return (
    <>
      {choice.way === 'first' && <Ways {...props} />}
      <label class={classOf(choice)}>
        <input
          type="radio"
          id={choice.way === 'first' ? choice.method : undefined}
          name="method"
          value={choice.method}
          disabled={choice.off !== null}
          checked={choice.method === state.selected}
          aria-describedby={state.problem === 'method_missing' ? 'problem' : undefined}
          data-charged={differs ? breakable(charged) : undefined}
          data-fee={differs ? money(fee) : undefined}
          data-fee-note={differs ? feeNote : undefined}
          data-phone={choice.phoneStarts ?? undefined}
          data-example={choice.phoneStarts === null ? undefined : phoneExample(choice.method)}
          data-again={choice.isRetry ? '' : undefined}
        />
        {choice.way === null && <MethodMark method={choice.method} logo={logos?.[choice.method]} />}
        <span class="method-text">
          <span class="method-line method-name">
            {choice.way === null ? (
              <span>{name}</span>
            ) : (
              <span>
                {choice.way === 'next' && <span class="visually-hidden">{name}: </span>}
                {hint}
              </span>
            )}
            <span class="money">{charged}</span>
          </span>
          <span class="method-line method-note">
            <Note choice={choice} />
            {(fee > 0 || !choice.isDown) && (
              <span class="money">
                {fee > 0 ? text.feeOf(amountText(fee, text.locale)) : text.noFee}
              </span>
            )}
          </span>
          {choice.off?.text && (
            <span class="method-line method-note">
              <bdi>{choice.off.text}</bdi>
            </span>
          )}
        </span>
      </label>
    </>
  );
}

/** What does not work says so in place of the hint. */
function Note({ choice: { method, off, isDown, way } }: { readonly choice: MethodChoice }) {
  const text = useText();
  if (off !== null) {
    return <span>{text.notAvailableNow}</span>;
  }
  if (isDown) {
    return <span>{text.notWorkingNow}</span>;
  }
  return way === null ? <span>{text.methodHint[method]}</span> : null;
}

function classOf({ off, phoneStarts }: MethodChoice): string {
  if (off !== null) {
    return 'method is-off';
  }
  return phoneStarts === null ? 'method' : 'method needs-phone';
}

/** The name above the ways to pay from one account: a second label of the first. */
function Ways({ choice, logos }: ChooseProps & { readonly choice: MethodChoice }) {
  const text = useText();
  const { account = choice.method } = TRAITS[choice.method];
  return (
    <div class="ways">
      <label for={choice.method}>
        <MethodMark method={account} logo={logos?.[account]} />
        <strong>{text.methodName[account]}</strong>
      </label>
    </div>
  );
}

/** The operator's logo of a method, or else a pictogram of its kind on a tint of its color. */
function MethodMark(props: { readonly method: Method; readonly logo: string | undefined }) {
  const { method, logo } = props;
  return logo === undefined ? (
    <svg class={`mark mark-${method}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={pictogramOf(method)} />
    </svg>
  ) : (
    <img class="mark" src={logo} width="32" height="32" alt="" decoding="async" />
  );
}

/** The width from which `summary.css` shows it. */
const DESKTOP = '(min-width: 56rem) and (hover: hover)';

/** Only on a desktop: a phone does not show the image and never fetches it. */
function ContinueOnPhone({ path }: Pick<PageProps, 'path'>) {
  const text = useText();
  return (
    <section class="continue-on-phone" aria-labelledby="continue-on-phone">
      <picture>
        <source media={DESKTOP} srcset={`${path}/qr.svg`} />
        <img src="data:," width="132" height="132" alt={text.qrAlternative} decoding="async" />
      </picture>
      <div>
        <h2 id="continue-on-phone">{text.qrTitle}</h2>
        <p class="quiet small">{text.qrLead}</p>
      </div>
    </section>
  );
}
