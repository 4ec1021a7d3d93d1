import { auditEntry } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { errorText, log } from '../../log.ts';
import type { PaymentRow } from '../../read-model/payment-row.ts';
import { exportPayments } from '../../read-model/payments-list.ts';
import { businessDay } from '../../read-model/totals.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { csvStream } from './csv.ts';
import { dayText, hasProblems, queryOf, readFilter } from './filter.ts';
import { paymentsPath } from './paths.ts';

/**
 * GET …/payments.csv: the filtered payments as a file. Filters that cannot be are shown by the list;
 * a stream that breaks off is an error to the browser, never a shorter file.
 */
export async function exportCsv(call: DashboardCall): Promise<Response> {
  const { env, environment, session, url, nowMs } = call;
  const form = readFilter(url.searchParams);
  if (hasProblems(form)) {
    return redirectTo(call, paymentsPath(environment, queryOf(form)));
  }
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="payments-${environment}-${dayText(businessDay(nowMs))}.csv"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  if (call.request.method === 'HEAD') {
    return new Response(null, { headers });
  }
  // Before the first byte: nothing is taken away without a trace.
  await runBatch(env.DB, [
    auditEntry({
      actor: actorOf(call),
      merchantId: session.merchantId,
      environment,
      action: 'payments.exported',
      target: null,
      detail: filterDetail(form.values),
      atMs: nowMs,
    }),
  ]);
  const pages = logged(exportPayments(env.DB, tenantOf(call), form.filter), session.merchantId);
  return new Response(csvStream(pages), { headers });
}

function filterDetail(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The stream fails by itself; the log must know of it too. */
async function* logged(
  pages: AsyncGenerator<readonly PaymentRow[], void, void>,
  merchantId: string,
): AsyncGenerator<readonly PaymentRow[], void, void> {
  try {
    yield* pages;
  } catch (error) {
    log('error', 'payments_export_failed', { merchantId, error: errorText(error) });
    throw error;
  }
}
