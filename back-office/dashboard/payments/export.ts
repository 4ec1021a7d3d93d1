import type { ExportedPayment } from '../../../src/book/reader.ts';
import type { PaymentFilter } from '../../../src/book/rows.ts';
import { errorText, log } from '../../../src/platform/log.ts';
import { type Cursor, parseCursor } from '../../../src/platform/paging.ts';
import { claimExport, EXPORT_LEASE_MS, leased } from '../../members/export-lease.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, may, tenantOf } from '../call.ts';
import { dateOf } from '../days.ts';
import { noticePage } from '../notices.tsx';
import { paymentsPath } from '../paths.ts';
import { csvStream, EXPORT_ROWS_MAX, type Phones } from './csv.ts';
import { hasProblems, queryOf, readFilter } from './filter.ts';

/**
 * GET …/payments.csv: the filtered payments as a file. A wrong filter leads to the list, which
 * explains it. `separator=semicolon` is for Excel in languages with decimal commas. A session's second file waits for the first. A stream that fails is an error to the
 * browser, never a shorter file. Only owners get whole phone numbers, by `phones=full`.
 */
export async function exportCsv(call: DashboardCall): Promise<Response> {
  const { env, environment, session, url, nowMs } = call;
  const form = readFilter(url.searchParams);
  if (hasProblems(form)) {
    return redirectTo(paymentsPath(environment, queryOf(form)));
  }
  const phones: Phones = url.searchParams.get('phones') === 'full' ? 'full' : 'masked';
  if (phones === 'full' && !may(call, 'manage')) {
    return noticePage(call, 'not_allowed');
  }
  const separator = url.searchParams.get('separator') === 'semicolon' ? 'semicolon' : 'comma';
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="payments-${environment}-${dateOf(nowMs)}.csv"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  if (call.request.method === 'HEAD') {
    return new Response(null, { headers });
  }
  if (!(await claimExport(env.BACK_OFFICE_DB, session.digest, nowMs))) {
    const retryAfterSeconds = EXPORT_LEASE_MS / 1_000;
    return noticePage(call, 'export_running', { retryAfterSeconds });
  }
  // Before the first byte: no export goes unrecorded.
  const detail = { ...filterDetail(form.values), ...(phones === 'full' && { phones }) };
  await call.payments.lists.beginExport(tenantOf(call), actorOf(call), detail);
  const pages = leased(env.BACK_OFFICE_DB, session.digest, nowMs, pagesOf(call, form.filter));
  const file = csvStream(pages, phones, EXPORT_ROWS_MAX, separator);
  return new Response(file, { headers });
}

function filterDetail(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The lease is renewed between pieces, so a slow client keeps its turn within a page. */
const PIECE_ROWS = 150;

/** Reads pages as the client consumes them. Logs a failure, because the answer's status is sent. */
async function* pagesOf(
  call: DashboardCall,
  filter: PaymentFilter,
): AsyncGenerator<readonly ExportedPayment[], void, void> {
  const { merchantId } = call.session;
  let cursor: Cursor | null = null;
  try {
    do {
      const page = await call.payments.lists.exported(tenantOf(call), filter, cursor);
      for (let from = 0; from < page.rows.length; from += PIECE_ROWS) {
        yield page.rows.slice(from, from + PIECE_ROWS);
      }
      cursor = page.nextCursor === null ? null : parseCursor(page.nextCursor);
    } while (cursor !== null);
  } catch (error) {
    log('error', 'payments_export_failed', { merchantId, error: errorText(error) });
    throw error;
  }
}
