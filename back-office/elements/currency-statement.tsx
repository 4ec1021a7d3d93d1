import type { Method } from '../../src/engine/domain/method.ts';
import { countText } from '../../src/kit/i18n/money-text.ts';
import type { Currency } from '../../src/kit/money.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { type PaidFigures, type Proceeds, receivedMinor } from '../../src/lists/book/proceeds.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Money } from '../ui/figures.tsx';
import { useMoney } from './payment-elements.tsx';

export interface StatementFigures extends PaidFigures {
  readonly currency: Currency;
  readonly methods: readonly MethodProceeds[];
}

interface MethodProceeds extends Proceeds {
  /** Null when the customer chose none. */
  readonly method: Method | null;
}

/** What was sold in a currency, and how much of it is to be received. */
export function CurrencyStatement(props: {
  readonly figures: StatementFigures;
  /** Names the sum and who pays it out, and says whose the commission is that customers paid on top. */
  readonly texts: {
    readonly receive: string;
    readonly paidOutBy?: string;
    readonly customersCommission: (amount: string) => string;
  };
}) {
  const { figures, texts } = props;
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
            <dt>
              {texts.receive}
              {texts.paidOutBy && <span class="quiet small">{texts.paidOutBy}</span>}
            </dt>
            <dd class="number">
              <Money minor={receivedMinor(figures)} currency={currency} />
            </dd>
          </div>
        </dl>
        {customersCommissionMinor > 0 && (
          <p class="quiet small">
            {texts.customersCommission(useMoney(currency)(customersCommissionMinor))}
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

/** The name of a method. */
export function methodText({ method }: Pick<MethodProceeds, 'method'>): string {
  return method === null
    ? useTexts(DASHBOARD_TEXTS).payments.noMethod
    : useTexts(CHECKOUT_TEXTS).methodName[method];
}
