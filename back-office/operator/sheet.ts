import type {
  BeneficiaryShare,
  MerchantStatement,
  StatementsPage,
} from '../../src/control/statements/export-statements.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { CURRENCIES, type Currency } from '../../src/kit/money.ts';
import { type PaidFigures, receivedMinor } from '../../src/lists/book/proceeds.ts';
import type { StatementFigures } from '../elements/currency-statement.tsx';

/** What the operator pays out for some days, from the pages of all merchants' statements. */

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

/** Adds up pages of statements. */
export class SheetSums {
  /** How many merchants were asked. */
  merchants = 0;
  readonly #missing: string[] = [];
  readonly #totals = new Map<string, MerchantStatement>();
  readonly #merchants = new Map<string, MerchantSum>();
  readonly #beneficiaries = new Map<string, BeneficiarySum>();

  add(page: StatementsPage): void {
    this.merchants += page.merchants;
    for (const row of page.rows) {
      if (row.type === 'statement') {
        const key = `${row.currency} ${row.method}`;
        this.#totals.set(key, { ...row, ...addedUp([row, this.#totals.get(key) ?? NOTHING]) });
        this.#addTo(row, receivedMinor(row), 0);
      } else if (row.type === 'beneficiary') {
        this.#addTo(row, 0, row.shareMinor);
        this.#addShare(row);
      } else if (row.type === 'missing') {
        this.#missing.push(row.merchantName);
      }
    }
  }

  sheet(): Sheet {
    const currencies = CURRENCIES.flatMap((currency) => this.#sheetOf(currency));
    return { currencies, missing: this.#missing, merchants: this.merchants };
  }

  #addTo(row: MerchantStatement | BeneficiaryShare, received: number, shared: number): void {
    const { currency, merchantId, merchantName } = row;
    const key = `${currency} ${merchantId}`;
    const known = this.#merchants.get(key);
    this.#merchants.set(key, {
      ...{ currency, merchantId, merchantName },
      receivedMinor: received + (known?.receivedMinor ?? 0),
      sharedMinor: shared + (known?.sharedMinor ?? 0),
    });
  }

  #addShare({ currency, bank, account, shareMinor }: BeneficiaryShare): void {
    if (this.#beneficiaries.size <= BENEFICIARIES_MAX) {
      const key = JSON.stringify([currency, bank, account]);
      const known = this.#beneficiaries.get(key)?.shareMinor ?? 0;
      this.#beneficiaries.set(key, { currency, bank, account, shareMinor: known + shareMinor });
    }
  }

  /** None when nothing was paid or returned in the currency. */
  #sheetOf(currency: Currency): readonly CurrencySheet[] {
    const isOwn = (of: { readonly currency: Currency }) => of.currency === currency;
    const totals = [...this.#totals.values()].filter(isOwn);
    if (totals.length === 0) {
      return [];
    }
    const methods = [...METHODS, null].flatMap((method) =>
      totals.filter((total) => total.method === method),
    );
    const merchants = [...this.#merchants.values()].filter(isOwn);
    merchants.sort((one, other) => one.merchantName.localeCompare(other.merchantName));
    const beneficiaries =
      this.#beneficiaries.size > BENEFICIARIES_MAX
        ? null
        : [...this.#beneficiaries.values()].filter(isOwn);
    return [{ currency, methods, ...addedUp(totals), merchants, beneficiaries }];
  }
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
