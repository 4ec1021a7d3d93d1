import type { Phones } from '../../src/control/rpc/lists.ts';
import { type CsvLines, paymentLines } from '../elements/csv.ts';
import type { Fields, OperatorAction } from './actions/action.ts';
import { EXPORT_PAYMENTS } from './actions/closing.ts';

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
