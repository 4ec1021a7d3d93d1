import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { receivedMinor } from '../../../src/lists/book/proceeds.ts';
import { methodText } from '../../elements/currency-statement.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Money, StatTile, StatTiles } from '../../ui/figures.tsx';
import { dateText } from '../date-fields.tsx';
import { List } from '../list.tsx';
import {
  countsText,
  daysText,
  MethodChart,
  RateChart,
  rateIn,
  VolumeChart,
  volumeTitle,
} from './charts.tsx';
import type { CurrencyFigures, FigureDays } from './figures.ts';

/** How the payments of the range went, in rates and charts. */
export function FiguresSection(props: {
  readonly days: FigureDays;
  readonly figures: readonly CurrencyFigures[];
  /** Whether the page has a chart of the days already. */
  readonly hasTrend: boolean;
}) {
  const { days, figures, hasTrend } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const [from, to] = [dateText(days.fromDay), dateText(days.toDay)];
  return (
    <section class="card figures" aria-label={text.performance}>
      <p class="quiet small">{from === to ? text.rangeOfDay(from) : text.range(from, to)}</p>
      {figures.map((one) => (
        <CurrencyBlock figures={one} isNamed={figures.length > 1} hasTrend={hasTrend} />
      ))}
    </section>
  );
}

function CurrencyBlock(props: {
  readonly figures: CurrencyFigures;
  readonly isNamed: boolean;
  readonly hasTrend: boolean;
}) {
  const { figures, isNamed, hasTrend } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const count = (of: number) => countText(of, useTexts(CHECKOUT_TEXTS).locale);
  return (
    <div class="currency">
      {isNamed && <h3>{text.statement.currency[figures.currency]}</h3>}
      <StatTiles>
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
      {(figures.ended > 0 || figures.barMinorMax > 0) && (
        <div class="charts">
          {figures.barMinorMax > 0 && !hasTrend && <VolumeChart figures={figures} />}
          <MethodChart figures={figures} />
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

/** What the charts show, for readers who cannot see them or want exact numbers. */
function Numbers({ figures }: { readonly figures: CurrencyFigures }) {
  const { overview: text, payments } = useTexts(DASHBOARD_TEXTS);
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { statement } = text;
  const money = (minor: number) => <Money minor={minor} currency={figures.currency} />;
  const rows = figures.bars.filter((bar) => bar.paid > 0 || bar.refundedMinor > 0);
  const isReturned = rows.some(({ returnedCommissionMinor }) => returnedCommissionMinor !== 0);
  return (
    <div class="numbers">
      <h3>{text.perMethod}</h3>
      <List
        title={text.rateChart(figures.currency)}
        rows={figures.methods}
        empty={text.none}
        columns={[
          [payments.method, (method) => methodText(method)],
          [text.paidCount, ({ paid }) => countText(paid, locale), 'figures'],
          [text.attempts, ({ attempts }) => countsText(attempts), 'figures'],
          [text.attemptRate, ({ attempts }) => rateIn(attempts.rateTenths), 'figures'],
        ]}
      />
      <h3>{text.perDay}</h3>
      <List
        title={volumeTitle(figures)}
        rows={rows}
        empty={text.none}
        columns={[
          [text.day, (bar) => daysText(bar)],
          [statement.sold, (bar) => money(bar.paidMinor), 'figures'],
          [statement.commission, (bar) => money(-bar.borneCommissionMinor), 'figures'],
          [statement.refunded, (bar) => money(-bar.refundedMinor), 'figures'],
          isReturned
            ? [statement.commissionBack, (bar) => money(bar.returnedCommissionMinor), 'figures']
            : null,
          [statement.receive, (bar) => money(receivedMinor(bar)), 'figures'],
          [text.paidCount, ({ paid }) => countText(paid, locale), 'figures'],
        ]}
      />
    </div>
  );
}
