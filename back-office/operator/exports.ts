import { daysOfMonth } from '../../src/control/operator/fields.ts';
import type { Phones } from '../../src/control/rpc/lists.ts';
import type {
  MerchantStatement,
  StatementRow,
} from '../../src/control/statements/export-statements.ts';
import { dayText } from '../../src/kit/ethiopian-time.ts';
import { receivedMinor } from '../../src/lists/book/proceeds.ts';
import { type Columns, type CsvLines, csvLines, paymentLines, value } from '../elements/csv.ts';
import type { Fields, OperatorAction } from './actions/action.ts';
import { EXPORT_PAYMENTS, EXPORT_STATEMENTS } from './actions/exports.ts';

/** The files that operators take away: the desk streams them, the command line writes them. */

export interface ExportFile {
  readonly action: OperatorAction;
  readonly linesOf: (fields: Fields) => CsvLines<never>;
}

/** What each call of an export answers. */
export interface ExportedRows {
  readonly rows: readonly never[];
  /** The next call's `after`; null after the last page. */
  readonly next: string | null;
}

export const PAYMENTS_FILE: ExportFile = {
  action: EXPORT_PAYMENTS,
  linesOf: ({ phones }) => paymentLines((phones ?? 'masked') as Phones),
};

export const STATEMENTS_FILE: ExportFile = {
  action: EXPORT_STATEMENTS,
  linesOf: ({ month }) => csvLines(statementColumns(String(month)), 'comma'),
};

/** The amounts are named as in the file of a merchant's own statement. */
function statementColumns(month: string): Columns<StatementRow> {
  const { fromDay, toDay } = daysOfMonth(month);
  const amountOf =
    (minor: (row: MerchantStatement) => number): Columns<StatementRow>[string] =>
    (row, { amount }) =>
      row.type === 'statement' ? amount(minor(row)) : '';
  return {
    since: () => value(dayText(fromDay)),
    until: () => value(dayText(toDay)),
    merchant_id: (row) => (row.type === 'incomplete' ? '' : row.merchantId),
    merchant_name: (row) => (row.type === 'incomplete' ? '' : row.merchantName),
    currency: (row) => (row.type === 'statement' ? row.currency : ''),
    method: (row) => (row.type === 'statement' ? (row.method ?? '') : ''),
    payments: (row) => (row.type === 'statement' ? value(String(row.paid)) : ''),
    sold: amountOf(({ paidMinor }) => paidMinor),
    commission: amountOf(({ borneCommissionMinor }) => borneCommissionMinor),
    commission_of_customers: amountOf(({ customersCommissionMinor }) => customersCommissionMinor),
    refunded: amountOf(({ refundedMinor }) => refundedMinor),
    commission_returned: amountOf(({ returnedCommissionMinor }) => returnedCommissionMinor),
    merchant_receives: amountOf(receivedMinor),
    problem: problemOf,
  };
}

function problemOf(row: StatementRow): string {
  switch (row.type) {
    case 'statement':
      return '';
    case 'missing':
      return 'MISSING: the book of this merchant did not answer or has lost payments';
    case 'incomplete':
      return `INCOMPLETE: merchants without their statements: ${row.missing}. Export again`;
  }
}
