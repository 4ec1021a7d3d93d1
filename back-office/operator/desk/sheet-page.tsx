import type { ComponentChildren, VNode } from 'preact';
import { isPeriod } from '../../../src/control/operator/fields.ts';
import type { StatementsPage } from '../../../src/control/rpc/operator.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { timeText } from '../../../src/kit/i18n/time-text.ts';
import { ENVIRONMENTS } from '../../../src/kit/tenant.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CurrencyStatement } from '../../elements/currency-statement.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Message, Table, Untrusted } from '../../ui/elements.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Money } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { STATEMENTS_FILE } from '../exports.ts';
import { type CurrencySheet, type Sheet, SheetSums } from '../sheet.ts';
import { type DeskCall, useDesk } from './call.ts';
import { pagesOf } from './files.ts';
import { answerDesk, Frame } from './frame.tsx';
import { merchantPath, PATHS, statementsPath } from './paths.ts';
import { answerInStages, Stages } from './stages.tsx';

/** A browser shows as many at once. The file has all. */
const BENEFICIARIES_SHOWN_MAX = 500;

interface Wanted {
  readonly environment: string;
  readonly period: string;
}

/** GET /operator/sheet: what to pay out for a day or a month. Each reading has its audit entries. */
export async function showSheetPage(call: DeskCall): Promise<Response> {
  const { request, url, nowMs } = call;
  const asked = url.searchParams.get('period');
  const wanted = {
    environment: url.searchParams.get('environment') ?? 'production',
    period: asked ?? dayText(businessDay(nowMs) - 1),
  };
  const isWrong = !isPeriod(wanted.period);
  const pageWith = (stage: VNode | null) => (
    <SheetPage {...wanted} isWrong={isWrong}>
      {stage}
    </SheetPage>
  );
  return asked === null || isWrong || request.method === 'HEAD'
    ? answerDesk(call, pageWith(null))
    : answerInStages(call, pageWith, readSheet(call, wanted), <BrokenSheet />);
}

/** How many merchants were asked, until all have been: a thousand take a minute. */
async function* readSheet(call: DeskCall, wanted: Wanted): AsyncGenerator<VNode, void, void> {
  const { environment, period } = wanted;
  const sums = new SheetSums();
  const pages = pagesOf(call, STATEMENTS_FILE.action, { environment }, { period });
  for await (const page of pages as AsyncIterable<StatementsPage>) {
    sums.add(page);
    if (page.next !== null) {
      yield <Asking merchants={sums.merchants} />;
    }
  }
  yield <SheetSection {...wanted} sheet={sums.sheet()} />;
}

function Asking({ merchants }: { readonly merchants: number }) {
  const { asking } = useTexts(DESK_TEXTS).sheet;
  return <p>{asking(countText(merchants, useTexts(CHECKOUT_TEXTS).locale))}</p>;
}

function BrokenSheet() {
  return (
    <Message tone="bad">
      <p>{useTexts(DESK_TEXTS).sheet.broken}</p>
    </Message>
  );
}

function SheetPage(
  props: Wanted & { readonly isWrong: boolean; readonly children: ComponentChildren },
) {
  const { environment, period, isWrong, children } = props;
  const { pages: text, sheet: own } = useTexts(DESK_TEXTS);
  return (
    <Frame active="sheet" title={text.nav.sheet}>
      <p>{own.lead}</p>
      <form class="filters" method="get" action={PATHS.sheet}>
        <SelectField
          id="environment"
          label={own.environment}
          options={ENVIRONMENTS.map((one) => [one, text.environment[one]] as const)}
          selected={environment}
        />
        <TextField
          id="period"
          label={own.period}
          hint={own.periodHint}
          value={period}
          error={isWrong ? own.periodHint : null}
        />
        <button type="submit" class="primary">
          {own.show}
        </button>
      </form>
      <Stages>{children}</Stages>
    </Frame>
  );
}

/** On paper, it stands alone. */
function SheetSection({ environment, period, sheet }: Wanted & { readonly sheet: Sheet }) {
  const { pages: text, sheet: own } = useTexts(DESK_TEXTS);
  const { statement, none } = useTexts(DASHBOARD_TEXTS).overview;
  const checkout = useTexts(CHECKOUT_TEXTS);
  const { missing, merchants, currencies } = sheet;
  const name = environment === 'sandbox' ? text.environment.sandbox : text.environment.production;
  return (
    <section class="card statement" aria-labelledby="sheet">
      <div class="card-head">
        <h2 id="sheet">
          <span class="on-paper">{text.nav.sheet}</span> {period} · {name}
        </h2>
        <div class="buttons">
          <a href={statementsPath(environment, period)} download>
            {statement.download}
          </a>
          <button type="button" hidden data-print>
            {statement.print}
          </button>
        </div>
      </div>
      {missing.length > 0 && (
        <Message tone="bad">
          <p>{own.incomplete(countText(missing.length, checkout.locale))}</p>
          <ul>
            {missing.map((merchant) => (
              <li>
                <Untrusted text={merchant} />
              </li>
            ))}
          </ul>
        </Message>
      )}
      <p class="quiet small">{own.asked(countText(merchants, checkout.locale))}</p>
      {currencies.length === 0 && <EmptyState title={none} />}
      {currencies.map((currency) => (
        <Currency {...currency} />
      ))}
      <p class="on-paper small">{statement.printedAt(timeText(useDesk().nowMs, checkout))}</p>
    </section>
  );
}

/** The totals first, then who gets them. */
function Currency(sheet: CurrencySheet) {
  const { pages: text, sheet: own } = useTexts(DESK_TEXTS);
  const { currency, merchants, beneficiaries } = sheet;
  const money = (minor: number) => <Money minor={minor} currency={currency} />;
  const figures = (title: string) => ({ title, kind: 'figures' as const });
  const hasShares = merchants.some(({ sharedMinor }) => sharedMinor !== 0);
  const shown = beneficiaries?.slice(0, BENEFICIARIES_SHOWN_MAX) ?? [];
  return (
    <>
      <CurrencyStatement figures={sheet} texts={{ ...own, receive: own.toPayOut }} />
      <h3>{own.merchants(currency)}</h3>
      <Table
        caption={own.merchants(currency)}
        columns={[
          text.merchant,
          figures(own.toPayOut),
          ...(hasShares ? [figures(own.toBeneficiaries), figures(own.toMerchant)] : []),
        ]}
        rows={merchants.map(({ merchantId, merchantName, receivedMinor, sharedMinor }) => [
          <a href={merchantPath(merchantId)}>
            <Untrusted text={merchantName} />
          </a>,
          money(receivedMinor),
          ...(hasShares ? [money(sharedMinor), money(receivedMinor - sharedMinor)] : []),
        ])}
        empty={text.none}
      />
      {(beneficiaries === null || shown.length > 0) && (
        <>
          <h3>{own.beneficiaries(currency)}</h3>
          {beneficiaries?.length === shown.length ? null : <p>{own.moreInFile}</p>}
        </>
      )}
      {shown.length > 0 && (
        <Table
          caption={own.beneficiaries(currency)}
          columns={[own.bank, own.account, figures(own.toPayOut)]}
          rows={shown.map(({ bank, account, shareMinor }) => [
            <code>{shownText(bank ?? own.unreadable)}</code>,
            <code>{shownText(account ?? own.unreadable)}</code>,
            money(shareMinor),
          ])}
          empty={text.none}
        />
      )}
    </>
  );
}
