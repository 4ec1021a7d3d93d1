import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { timeText } from '../../../src/kit/i18n/time-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { type Proceeds, receivedMinor } from '../../../src/lists/book/proceeds.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Money } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { useCall } from '../call.ts';
import { queryFrom, statementPath } from '../paths.ts';
import { daysText, methodText } from './charts.tsx';
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
        <CurrencyStatement figures={one} />
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

function CurrencyStatement({ figures }: { readonly figures: CurrencyFigures }) {
  const { statement: text, perMethod } = useTexts(DASHBOARD_TEXTS).overview;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { currency, paid, customersCommissionMinor } = figures;
  const methods = figures.methods.filter((of) => partsOf(of).some(([, minor]) => minor !== 0));
  return (
    <div class="currency">
      <h3>{text.currency[currency]}</h3>
      <div>
        <dl class="ledger">
          {partsOf(figures).map(([name, minor]) =>
            name === 'commissionBack' && minor === 0 ? null : (
              <div>
                <dt>
                  {text[name]}
                  {name === 'sold' && (
                    <span class="quiet small">{text.payments(paid, countText(paid, locale))}</span>
                  )}
                </dt>
                <dd class="number">
                  <Money minor={minor} currency={currency} />
                </dd>
              </div>
            ),
          )}
          <div class="ledger-sum">
            <dt>{text.receive}</dt>
            <dd class="number">
              <Money minor={receivedMinor(figures)} currency={currency} />
            </dd>
          </div>
        </dl>
        {customersCommissionMinor > 0 && (
          <p class="quiet small">
            {text.customersCommission(useMoney(currency)(customersCommissionMinor))}
          </p>
        )}
      </div>
      {methods.length > 1 && (
        <div class="by-method">
          <h4>{perMethod}</h4>
          <dl class="ledger">
            {methods.map((of) => (
              <div>
                <dt>
                  {methodText(of)}
                  <span class="quiet small number">
                    {partsOf(of)
                      .filter(([, minor]) => minor !== 0)
                      .map(([name, minor], index) => (
                        <>
                          {index > 0 && ' · '}
                          {text[name]} <Money minor={minor} currency={currency} />
                        </>
                      ))}
                  </span>
                </dt>
                <dd class="number">
                  <Money minor={receivedMinor(of)} currency={currency} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </div>
  );
}

/** What adds up to the merchant's money, in the order of the page. */
function partsOf(of: Proceeds) {
  return [
    ['sold', of.paidMinor],
    ['commission', -of.borneCommissionMinor],
    ['refunded', -of.refundedMinor],
    ['commissionBack', of.returnedCommissionMinor],
  ] as const;
}
