import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { timeText } from '../../../src/kit/i18n/time-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CurrencyStatement } from '../../elements/currency-statement.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { EmptyState } from '../../ui/layout.tsx';
import { useCall } from '../call.ts';
import { queryFrom, statementPath } from '../paths.ts';
import { daysText } from './charts.tsx';
import type { CurrencyFigures, FigureDays } from './figures.ts';

/** What the merchant sold in the range, and how much of it the merchant should receive. */
export function StatementSection(props: {
  readonly days: FigureDays;
  readonly figures: readonly CurrencyFigures[];
}) {
  const { environment, nowMs, session } = useCall();
  const { days, figures } = props;
  const { frame } = useTexts(DASHBOARD_TEXTS);
  const { statement: text, none } = useTexts(DASHBOARD_TEXTS).overview;
  const today = businessDay(nowMs);
  const isToday = days.fromDay === today && days.toDay === today;
  const query = queryFrom({ since: dayText(days.fromDay), until: dayText(days.toDay) });
  return (
    <section class="card statement" aria-labelledby="statement">
      <div class="on-paper">
        <p class="statement-merchant">
          <bdi>{session.merchantName}</bdi>
        </p>
        <p>
          {text.title} · {frame.environment[environment]}
        </p>
      </div>
      <div class="card-head">
        <h2 id="statement">{isToday ? text.today(daysText(days)) : daysText(days)}</h2>
        {figures.length > 0 && (
          <div class="buttons">
            <a href={statementPath(environment, query)} download>
              {text.download}
            </a>
            <button type="button" hidden data-print>
              {text.print}
            </button>
          </div>
        )}
      </div>
      {figures.length === 0 && <EmptyState title={none}>{text.noneLead}</EmptyState>}
      {figures.map((one) => (
        <CurrencyStatement figures={one} texts={text} />
      ))}
      <details>
        <summary>{text.rulesTitle}</summary>
        <ul class="small">
          {text.rules.map((rule) => (
            <li>{rule}</li>
          ))}
        </ul>
      </details>
      <p class="on-paper small">
        {text.rules.at(-1)} {text.printedAt(timeText(nowMs, useTexts(CHECKOUT_TEXTS)))}
      </p>
    </section>
  );
}
