import { daysOfPeriod } from '../../src/control/operator/fields.ts';
import type { Phones } from '../../src/control/rpc/lists.ts';
import type {
  MerchantStatement,
  StatementRow,
} from '../../src/control/statements/export-statements.ts';
import { dayText, ethiopianTimestamp, isoTime } from '../../src/kit/ethiopian-time.ts';
import { receivedMinor } from '../../src/lists/book/proceeds.ts';
import type { SourcedRecord } from '../audit.ts';
import {
  type Columns,
  type CsvLines,
  csvLines,
  EXPORT_ROWS_MAX,
  paymentLines,
  value,
} from '../elements/csv.ts';
import type { Fields, OperatorAction } from './actions/action.ts';
import { EXPORT_AUDIT, EXPORT_PAYMENTS, EXPORT_STATEMENTS } from './actions/exports.ts';

/** The files that operators take away: the desk streams them, the command line writes them. */

export interface ExportFile {
  readonly action: OperatorAction;
  readonly linesOf: (fields: Fields) => CsvLines<never>;
  /** Rows of the desk's file. Its last line says if there are more. */
  readonly deskRowsMax?: number;
}

/** What each call of an export answers. */
export interface ExportedRows {
  readonly rows: readonly never[];
  /** The next call's `after`; null after the last page. */
  readonly next: string | null;
}

export const PAYMENTS_FILE: ExportFile = {
  action: EXPORT_PAYMENTS,
  linesOf: ({ phones }) =>
    paymentLines(
      (phones ?? 'masked') as Phones,
      'comma',
      'the command "merchant export" writes all',
    ),
  // The desk's file is one request, which may make 1,000 calls.
  deskRowsMax: EXPORT_ROWS_MAX,
};

export const STATEMENTS_FILE: ExportFile = {
  action: EXPORT_STATEMENTS,
  linesOf: ({ period }) => csvLines(statementColumns(String(period)), 'comma'),
};

export const AUDIT_FILE: ExportFile = {
  action: EXPORT_AUDIT,
  linesOf: () => csvLines(AUDIT_COLUMNS, 'comma'),
};

/** Entries are numbered within their log, so a reader sees that none is missing. */
const AUDIT_COLUMNS: Columns<SourcedRecord> = {
  at: ({ atMs }) => value(isoTime(atMs)),
  at_eat: ({ atMs }) => value(ethiopianTimestamp(atMs)),
  entry: ({ source, id }) => `${source === 'b' ? 'back_office' : 'payments'}/${id}`,
  action: ({ action }) => action,
  actor_kind: ({ actorKind }) => actorKind,
  actor_name: ({ actorName }) => actorName,
  name_proved: ({ isActorProved }) => (isActorProved === null ? '' : isActorProved ? 'yes' : 'no'),
  address: ({ address }) => address ?? '',
  environment: ({ environment }) => environment ?? '',
  merchant_id: ({ merchantId }) => merchantId ?? '',
  target: ({ target }) => target ?? '',
  detail: ({ detail }) => JSON.stringify(detail),
};

/** The amounts are named as in the file of a merchant's own statement. */
function statementColumns(period: string): Columns<StatementRow> {
  const { fromDay, toDay } = daysOfPeriod(period);
  const amountOf =
    (minor: (row: MerchantStatement) => number): Columns<StatementRow>[string] =>
    (row, { amount }) =>
      row.type === 'statement' ? amount(minor(row)) : '';
  return {
    since: () => value(dayText(fromDay)),
    until: () => value(dayText(toDay)),
    merchant_id: (row) => (row.type === 'incomplete' ? '' : row.merchantId),
    merchant_name: (row) => (row.type === 'incomplete' ? '' : row.merchantName),
    currency: (row) => ('currency' in row ? row.currency : ''),
    method: (row) => (row.type === 'statement' ? (row.method ?? '') : ''),
    payments: (row) => (row.type === 'statement' ? value(String(row.paid)) : ''),
    sold: amountOf(({ paidMinor }) => paidMinor),
    commission: amountOf(({ borneCommissionMinor }) => borneCommissionMinor),
    commission_of_customers: amountOf(({ customersCommissionMinor }) => customersCommissionMinor),
    refunded: amountOf(({ refundedMinor }) => refundedMinor),
    commission_returned: amountOf(({ returnedCommissionMinor }) => returnedCommissionMinor),
    merchant_receives: amountOf(receivedMinor),
    problem: problemOf,
    // A part of what the merchant receives, in lines of its own.
    beneficiary_bank: (row) => (row.type === 'beneficiary' ? (row.bank ?? 'UNREADABLE') : ''),
    beneficiary_account: (row) => (row.type === 'beneficiary' ? (row.account ?? 'UNREADABLE') : ''),
    beneficiary_receives: (row, { amount }) =>
      row.type === 'beneficiary' ? amount(row.shareMinor) : '',
  };
}

function problemOf(row: StatementRow): string {
  switch (row.type) {
    case 'statement':
    case 'beneficiary':
      return '';
    case 'missing':
      return 'MISSING: the book of this merchant did not answer or has lost payments or more than 10000 beneficiaries';
    case 'incomplete':
      return `INCOMPLETE: merchants without their statements: ${row.missing}. Export again`;
  }
}
