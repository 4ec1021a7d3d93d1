import { countText } from '../../../src/i18n/money-text.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Table } from '../../ui/elements.tsx';
import { dateText } from '../date-fields.tsx';

import {
  countsText,
  daysText,
  methodText,
  RateChart,
  rateIn,
  VolumeChart,
  volumeTitle,
} from './charts.tsx';
import type { CurrencyFigures, FigureDays } from './figures.ts';

/** Totals and charts of the range. `days` is null when the range is too long for them. */
export function FiguresSection(props: {
  readonly days: FigureDays | null;
  readonly figures: readonly CurrencyFigures[];
}) {
  const { days, figures } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  return (
    <section class="card figures" aria-label={text.title}>
      {days === null ? (
        <p>{text.tooLong}</p>
      ) : (
        <p class="quiet small">{text.range(dateText(days.fromDay), dateText(days.toDay))}</p>
      )}
      {days !== null && figures.length === 0 && <p>{text.none}</p>}
      {figures.map((one) => (
        <CurrencyBlock figures={one} />
      ))}
    </section>
  );
}

function CurrencyBlock(props: { readonly figures: CurrencyFigures }) {
  const { figures } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const count = (of: number) => countText(of, useTexts(CHECKOUT_TEXTS).locale);
  const money = useMoney(figures.currency);
  return (
    <div class="currency">
      <dl class="tiles">
        <Tile label={text.volume} value={money(figures.paidMinor)} />
        {figures.refundedMinor > 0 && (
          <>
            <Tile label={text.refunded} value={money(figures.refundedMinor)} />
            <Tile label={text.afterRefunds} value={money(netMinor(figures))} />
          </>
        )}
        <Tile label={text.paidCount} value={count(figures.paid)} />
        <Tile
          label={text.completed}
          value={rateIn(figures.completedTenths)}
          hint={text.completedHint(count(figures.paid), count(figures.ended))}
        />
        <Tile
          label={text.attemptRate}
          value={rateIn(figures.attempts.rateTenths)}
          hint={text.attemptHint(count(figures.attempts.succeeded), count(figures.attempts.ended))}
        />
      </dl>
      {figures.ended > 0 && (
        <div class="charts">
          {figures.paidMinor > 0 && <VolumeChart figures={figures} />}
          <RateChart figures={figures} />
        </div>
      )}
      <details>
        <summary>{text.numbers(figures.currency)}</summary>
        <Numbers figures={figures} />
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

type Volume = Pick<CurrencyFigures, 'paidMinor' | 'refundedMinor'>;

function netMinor({ paidMinor, refundedMinor }: Volume): number {
  return paidMinor - refundedMinor;
}

/** What the charts show, for readers who cannot see them or want exact numbers. */
function Numbers(props: { readonly figures: CurrencyFigures }) {
  const { figures } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const money = useMoney(figures.currency);
  const hasRefunds = figures.refundedMinor > 0;
  const refundCells = (of: Volume) =>
    hasRefunds
      ? [
          <span class="number">{money(of.refundedMinor)}</span>,
          <span class="number">{money(netMinor(of))}</span>,
        ]
      : [];
  return (
    <div class="numbers">
      <h3>{text.perMethod}</h3>
      <Table
        caption={text.rateChart(figures.currency)}
        columns={[
          useTexts(DASHBOARD_TEXTS).payments.method,
          text.volume,
          ...(hasRefunds ? [text.refunded, text.afterRefunds] : []),
          text.paidCount,
          text.attempts,
          text.attemptRate,
        ]}
        rows={figures.methods.map((method) => [
          methodText(method),
          <span class="number">{money(method.paidMinor)}</span>,
          ...refundCells(method),
          <span class="number">{countText(method.paid, locale)}</span>,
          <span class="number">{countsText(method.attempts)}</span>,
          <span class="number">{rateIn(method.attempts.rateTenths)}</span>,
        ])}
        empty={text.none}
      />
      <h3>{text.perDay}</h3>
      <Table
        caption={volumeTitle(figures)}
        columns={[
          text.day,
          text.volume,
          ...(hasRefunds ? [text.refunded, text.afterRefunds] : []),
          text.paidCount,
        ]}
        rows={figures.bars
          .filter(({ paid }) => paid > 0)
          .map((bar) => [
            <span class="number">{daysText(bar)}</span>,
            <span class="number">{money(bar.paidMinor)}</span>,
            ...refundCells(bar),
            <span class="number">{countText(bar.paid, locale)}</span>,
          ])}
        empty={text.none}
      />
    </div>
  );
}
