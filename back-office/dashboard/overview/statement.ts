import {
  businessDay,
  dayText,
  ethiopianTimestamp,
  isoTime,
} from '../../../src/kit/ethiopian-time.ts';
import { receivedMinor } from '../../../src/lists/book/proceeds.ts';
import type { StatementLine } from '../../../src/lists/book/rows.ts';
import { type Columns, csvLines, value } from '../../elements/csv.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { overviewPath } from '../paths.ts';
import { answerFile, pagesOf, separatorOf } from '../payments/export.ts';

import { readRange } from './range.ts';

/** The statement's file: its columns add up to the figures of the overview. */
const COLUMNS: Columns<StatementLine> = {
  day: ({ atMs }) => value(dayText(businessDay(atMs))),
  at: ({ atMs }) => value(isoTime(atMs)),
  at_eat: ({ atMs }) => value(ethiopianTimestamp(atMs)),
  type: ({ refundId }) => (refundId === null ? 'payment' : 'refund'),
  unique_id: ({ uniqueId }) => uniqueId,
  transaction_id: ({ transactionId }) => transactionId,
  refund_id: ({ refundId }) => refundId ?? '',
  method: ({ method }) => method ?? '',
  currency: ({ currency }) => currency,
  sold: ({ paidMinor }, { amount }) => amount(paidMinor),
  commission: ({ borneCommissionMinor }, { amount }) => amount(borneCommissionMinor),
  refunded: ({ refundedMinor }, { amount }) => amount(refundedMinor),
  commission_returned: ({ returnedCommissionMinor }, { amount }) => amount(returnedCommissionMinor),
  you_receive: (line, { amount }) => amount(receivedMinor(line)),
};

/** GET …/overview.csv: what was paid and returned in the days of the overview. */
export async function exportStatement(call: DashboardCall): Promise<Response> {
  const { environment, url } = call;
  const { days } = readRange(call);
  if (days === null) {
    return redirectTo(overviewPath(environment, url.searchParams.toString()));
  }
  const [since, until] = [dayText(days.fromDay), dayText(days.toDay)];
  return answerFile(call, {
    name: `statement-${environment}-${since === until ? since : `${since}-${until}`}`,
    lines: csvLines(COLUMNS, separatorOf(call)),
    pages: pagesOf(call, (after) =>
      call.payments.lists.statement(tenantOf(call), actorOf(call), days, after),
    ),
  });
}
