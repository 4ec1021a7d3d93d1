import { moneyIn } from '../../back-office/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import { Section, Table } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { dayText } from '../days.ts';
import {
  countsText,
  daysText,
  methodRateText,
  methodText,
  RateChart,
  VolumeChart,
  volumeTitle,
} from './charts.tsx';
import type { CurrencyFigures, FigureDays } from './figures.ts';
import type { FilterForm } from './filter.ts';

/** Totals and charts of the range. `days` is null when the range is too long for them. */
export function FiguresSection(props: {
  readonly call: DashboardCall;
  readonly form: FilterForm;
  readonly days: FigureDays | null;
  readonly figures: readonly CurrencyFigures[];
}) {
  const { call, form, days, figures } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { status, min, max } = form.values;
  return (
    <Section id="figures" title={text.figures} class="card figures">
      {days === null ? (
        <p>{text.figuresTooLong}</p>
      ) : (
        <p class="quiet small">
          {text.figuresRange(dayText(days.fromDay), dayText(days.toDay))}
          {`${status}${min}${max}` === '' ? null : ` ${text.figuresNotFiltered}`}
        </p>
      )}
      {days !== null && figures.length === 0 && <p>{text.figuresNone}</p>}
      {figures.map((one) => (
        <CurrencyBlock call={call} figures={one} />
      ))}
    </Section>
  );
}

function CurrencyBlock(props: { readonly call: DashboardCall; readonly figures: CurrencyFigures }) {
  const { call, figures } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { locale } = CHECKOUT_TEXTS[call.language];
  const money = moneyIn(call, figures.currency);
  return (
    <div class="currency">
      <dl class="tiles">
        <Tile label={text.volume} value={money(figures.paidMinor)} />
        <Tile label={text.paidCount} value={countText(figures.paid, locale)} />
        <Tile
          label={text.successRate}
          value={methodRateText(call, figures)}
          hint={
            figures.ended === 0
              ? null
              : text.rateHint(countText(figures.paid, locale), countText(figures.ended, locale))
          }
        />
      </dl>
      {figures.ended > 0 && (
        <div class="charts">
          {figures.paidMinor > 0 && <VolumeChart call={call} figures={figures} />}
          <RateChart call={call} figures={figures} />
        </div>
      )}
      <details>
        <summary>{text.numbers(figures.currency)}</summary>
        <Numbers call={call} figures={figures} />
      </details>
    </div>
  );
}

function Tile(props: {
  readonly label: string;
  readonly value: string;
  readonly hint?: string | null;
}) {
  return (
    <div class="tile">
      <dt>{props.label}</dt>
      <dd>
        <strong class="number">{props.value}</strong>
        {props.hint && <span class="quiet small">{props.hint}</span>}
      </dd>
    </div>
  );
}

/** What the charts show, for readers who cannot see them or want exact numbers. */
function Numbers(props: { readonly call: DashboardCall; readonly figures: CurrencyFigures }) {
  const { call, figures } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { locale } = CHECKOUT_TEXTS[call.language];
  const money = moneyIn(call, figures.currency);
  return (
    <div class="numbers">
      <h3>{text.perMethod}</h3>
      <Table
        caption={text.rateChart(figures.currency)}
        columns={[text.method, text.volume, `${text.paidCount}/${text.ended}`, text.successRate]}
        rows={figures.methods.map((method) => [
          methodText(call, method),
          <span class="number">{money(method.paidMinor)}</span>,
          <span class="number">{countsText(call, method)}</span>,
          <span class="number">{methodRateText(call, method)}</span>,
        ])}
        empty={text.figuresNone}
      />
      <h3>{text.perDay}</h3>
      <Table
        caption={volumeTitle(call, figures)}
        columns={[text.day, text.volume, text.paidCount]}
        rows={figures.bars
          .filter(({ paid }) => paid > 0)
          .map((bar) => [
            <span class="number">{daysText(bar)}</span>,
            <span class="number">{money(bar.paidMinor)}</span>,
            <span class="number">{countText(bar.paid, locale)}</span>,
          ])}
        empty={text.figuresNone}
      />
    </div>
  );
}
