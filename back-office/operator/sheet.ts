import type {
  BeneficiaryShare,
  MerchantStatement,
  StatementsPage,
} from '../../src/control/statements/export-statements.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { CURRENCIES, type Currency } from '../../src/kit/money.ts';
import { type PaidFigures, receivedMinor } from '../../src/lists/book/proceeds.ts';
import type { StatementFigures } from '../elements/currency-statement.tsx';

/** What the operator pays out for some days, added up from the pages of all merchants' statements. */

/** More would not fit into the memory of an isolate. The file has all. */
const BENEFICIARIES_MAX = 20_000;

export interface Sheet {
  readonly currencies: readonly CurrencySheet[];
  /** The names of merchants whose figures are not in the sums. */
  readonly missing: readonly string[];
  /** How many merchants were asked. */
  readonly merchants: number;
}

export interface CurrencySheet extends StatementFigures {
  /** By name. */
  readonly merchants: readonly MerchantSum[];
  /** Null: too many. */
  readonly beneficiaries: readonly BeneficiarySum[] | null;
}

interface MerchantSum extends Pick<MerchantStatement, 'currency' | 'merchantId' | 'merchantName'> {
  /** What the merchant's own statement says, shares included. */
  readonly receivedMinor: number;
  /** The beneficiaries' part of it. */
  readonly sharedMinor: number;
}

type BeneficiarySum = Pick<BeneficiaryShare, 'currency' | 'bank' | 'account' | 'shareMinor'>;

export async function sheetFrom(pages: AsyncIterable<StatementsPage>): Promise<Sheet> {
  const totals = new Map<string, MerchantStatement>();
  const merchants = new Map<string, MerchantSum>();
  const beneficiaries = new Map<string, BeneficiarySum>();
  const missing: string[] = [];
  let asked = 0;
  const addTo = (row: MerchantStatement | BeneficiaryShare, received: number, shared: number) => {
    const { currency, merchantId, merchantName } = row;
    const known = merchants.get(`${currency} ${merchantId}`);
    merchants.set(`${currency} ${merchantId}`, {
      ...{ currency, merchantId, merchantName },
      receivedMinor: received + (known?.receivedMinor ?? 0),
      sharedMinor: shared + (known?.sharedMinor ?? 0),
    });
  };
  for await (const page of pages) {
    asked += page.merchants;
    for (const row of page.rows) {
      if (row.type === 'statement') {
        const key = `${row.currency} ${row.method}`;
        totals.set(key, { ...row, ...addedUp([row, totals.get(key) ?? NOTHING]) });
        addTo(row, receivedMinor(row), 0);
      } else if (row.type === 'beneficiary') {
        const { currency, bank, account, shareMinor } = row;
        const key = JSON.stringify([currency, bank, account]);
        addTo(row, 0, shareMinor);
        if (beneficiaries.size <= BENEFICIARIES_MAX) {
          const known = beneficiaries.get(key)?.shareMinor ?? 0;
          beneficiaries.set(key, { currency, bank, account, shareMinor: known + shareMinor });
        }
      } else if (row.type === 'missing') {
        missing.push(row.merchantName);
      }
    }
  }
  const isIn = (currency: Currency) => (of: { readonly currency: Currency }) =>
    of.currency === currency;
  const currencies = CURRENCIES.flatMap((currency): CurrencySheet[] => {
    const own = [...totals.values()].filter(isIn(currency));
    const methods = [...METHODS, null].flatMap((method) =>
      own.filter((total) => total.method === method),
    );
    const named = [...merchants.values()].filter(isIn(currency));
    return own.length === 0
      ? []
      : [
          {
            ...{ currency, methods, ...addedUp(own) },
            merchants: named.sort((one, other) =>
              one.merchantName.localeCompare(other.merchantName),
            ),
            beneficiaries:
              beneficiaries.size > BENEFICIARIES_MAX
                ? null
                : [...beneficiaries.values()].filter(isIn(currency)),
          },
        ];
  });
  return { currencies, missing, merchants: asked };
}

const NOTHING: PaidFigures = {
  paid: 0,
  paidMinor: 0,
  borneCommissionMinor: 0,
  refundedMinor: 0,
  returnedCommissionMinor: 0,
  customersCommissionMinor: 0,
};

function addedUp(figures: readonly PaidFigures[]): PaidFigures {
  const names = Object.keys(NOTHING) as (keyof PaidFigures)[];
  const sums = names.map((name) => [name, figures.reduce((sum, one) => sum + one[name], 0)]);
  return Object.fromEntries(sums);
}
