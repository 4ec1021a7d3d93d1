import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Section } from '../../ui/elements.tsx';
import { Money, StatTile, StatTiles } from '../../ui/figures.tsx';
import { shortDateText } from '../date-fields.tsx';
import { TrendChart } from './charts.tsx';
import type { CurrencyFigures } from './figures.ts';

const WEEK_DAYS = 7;

/** What was sold today and on the same weekday before, and the line of the last 30 days. */
export function TodaySection(props: {
  readonly day: number;
  readonly figures: readonly CurrencyFigures[];
}) {
  const { day, figures } = props;
  const { todayTitle, weekAgo, statement } = useTexts(DASHBOARD_TEXTS).overview;
  const before = day - WEEK_DAYS;
  return (
    <Section id="today" title={todayTitle} class="card figures">
      {figures.map((one) => (
        <div class="currency today">
          <StatTiles>
            <Day figures={one} day={day} label={statement.today(shortDateText(day))} />
            <Day figures={one} day={before} label={weekAgo(shortDateText(before))} />
          </StatTiles>
          {one.barMinorMax > 0 && <TrendChart figures={one} />}
        </div>
      ))}
    </Section>
  );
}

function Day(props: {
  readonly figures: CurrencyFigures;
  readonly day: number;
  readonly label: string;
}) {
  const { figures, day, label } = props;
  const { statement } = useTexts(DASHBOARD_TEXTS).overview;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const bar = figures.bars.find(({ fromDay }) => fromDay === day);
  const paid = bar?.paid ?? 0;
  return (
    <StatTile
      label={label}
      value={<Money minor={bar?.paidMinor ?? 0} currency={figures.currency} />}
      hint={statement.payments(paid, countText(paid, locale))}
    />
  );
}
