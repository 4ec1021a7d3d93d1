import { monthField, periodField } from '../../../src/control/operator/fields.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { body, checked } from '../../../src/kit/http/strict-body.ts';
import { errorText, log } from '../../../src/kit/platform/log.ts';
import { csvStream, fileHeaders } from '../../elements/csv.ts';
import { readAhead } from '../../elements/read-ahead.ts';
import type { Fields } from '../actions/action.ts';
import type { PathParts } from '../call.ts';
import {
  AUDIT_FILE,
  type ExportedRows,
  type ExportFile,
  PAYMENTS_FILE,
  STATEMENTS_FILE,
} from '../exports.ts';
import type { DeskCall } from './call.ts';

/** GET …/payments.csv: all payments of a merchant, with masked phone numbers. */
export function exportPayments(call: DeskCall): Promise<Response> {
  const { merchantId, environment } = call.params;
  return answerFile(
    call,
    PAYMENTS_FILE,
    `payments-${environment}-${merchantId}-${dayText(businessDay(call.nowMs))}`,
  );
}

/** GET …/statements.csv: what all merchants were paid and returned in a day or a month. */
export function exportStatements(call: DeskCall): Promise<Response> {
  const { period } = checked(body({ period: periodField }), { period: given(call, 'period') });
  const name = `statements-${call.params.environment}-${period}`;
  return answerFile(call, STATEMENTS_FILE, name, { period });
}

/** GET /operator/audit/audit.csv: who did what in a month, over all merchants. */
export function exportAudit(call: DeskCall): Promise<Response> {
  const { month } = checked(body({ month: monthField }), { month: given(call, 'month') });
  return answerFile(call, AUDIT_FILE, `audit-${month}`, { month });
}

function given({ url }: DeskCall, name: string): string {
  return url.searchParams.get(name) ?? '';
}

/** An export that is refused or cannot be recorded is an error page, not a file that ends early. */
async function answerFile(
  call: DeskCall,
  { action, linesOf, deskRowsMax = Number.POSITIVE_INFINITY }: ExportFile,
  name: string,
  fields: Fields = {},
): Promise<Response> {
  const headers = fileHeaders(name);
  if (call.request.method === 'HEAD') {
    return new Response(null, { headers });
  }
  const pages = await readAhead(rowsIn(pagesOf(call, action, call.params, fields)));
  return new Response(csvStream(pages, linesOf(fields), deskRowsMax), { headers });
}

async function* rowsIn(pages: AsyncIterable<ExportedRows>) {
  for await (const { rows } of pages) {
    yield rows;
  }
}

/** The pages of an export, from the first to the last. */
export async function* pagesOf(
  call: DeskCall,
  action: ExportFile['action'],
  target: PathParts,
  fields: Fields,
): AsyncGenerator<ExportedRows, void, void> {
  let after: Fields = {};
  try {
    for (;;) {
      const { content } = await action.run(call, target, { ...fields, ...after });
      const page = content as ExportedRows;
      yield page;
      if (page.next === null) {
        return;
      }
      after = { after: page.next };
    }
  } catch (error) {
    log('error', 'payments_export_failed', { path: action.path, error: errorText(error) });
    throw error;
  }
}
