import { countText } from '../../../src/i18n/money-text.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { StatTile, StatTiles } from '../../ui/figures.tsx';
import { dateText } from '../date-fields.tsx';
import { type Column, List } from '../list.tsx';

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
      <StatTiles>
        <StatTile isLead={true} label={text.volume} value={money(figures.paidMinor)} />
        {figures.refundedMinor > 0 && (
          <>
            <StatTile label={text.refunded} value={money(figures.refundedMinor)} />
            <StatTile label={text.afterRefunds} value={money(netMinor(figures))} />
          </>
        )}
        <StatTile label={text.paidCount} value={count(figures.paid)} />
        <StatTile
          label={text.completed}
          value={rateIn(figures.completedTenths)}
          hint={text.completedHint(count(figures.paid), count(figures.ended))}
        />
        <StatTile
          label={text.attemptRate}
          value={rateIn(figures.attempts.rateTenths)}
          hint={text.attemptHint(count(figures.attempts.succeeded), count(figures.attempts.ended))}
        />
      </StatTiles>
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

type Volume = Pick<CurrencyFigures, 'paidMinor' | 'refundedMinor' | 'paid'>;

function netMinor({
  paidMinor,
  refundedMinor,
}: Pick<Volume, 'paidMinor' | 'refundedMinor'>): number {
  return paidMinor - refundedMinor;
}

/** What the charts show, for readers who cannot see them or want exact numbers. */
function Numbers({ figures }: { readonly figures: CurrencyFigures }) {
  const { overview: text, payments } = useTexts(DASHBOARD_TEXTS);
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const money = useMoney(figures.currency);
  const number = (shown: string) => <span class="number">{shown}</span>;
  const hasRefunds = figures.refundedMinor > 0;
  const volumes: readonly Column<Volume>[] = [
    [text.volume, ({ paidMinor }) => number(money(paidMinor))],
    hasRefunds ? [text.refunded, ({ refundedMinor }) => number(money(refundedMinor))] : null,
    hasRefunds ? [text.afterRefunds, (of) => number(money(netMinor(of)))] : null,
    [text.paidCount, ({ paid }) => number(countText(paid, locale))],
  ];
  return (
    <div class="numbers">
      <h3>{text.perMethod}</h3>
      <List
        title={text.rateChart(figures.currency)}
        rows={figures.methods}
        empty={text.none}
        columns={[
          [payments.method, (method) => methodText(method)],
          ...volumes,
          [text.attempts, ({ attempts }) => number(countsText(attempts))],
          [text.attemptRate, ({ attempts }) => number(rateIn(attempts.rateTenths))],
        ]}
      />
      <h3>{text.perDay}</h3>
      <List
        title={volumeTitle(figures)}
        rows={figures.bars.filter(({ paid }) => paid > 0)}
        empty={text.none}
        columns={[[text.day, (bar) => number(daysText(bar))], ...volumes]}
      />
    </div>
  );
}
