import type { ExportPage } from '../../../src/book/reader.ts';
import { errorText, log } from '../../../src/platform/log.ts';
import { type Cursor, parseCursor } from '../../../src/platform/paging.ts';
import { claimExport, EXPORT_LEASE_MS, leased } from '../../members/export-lease.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, may, tenantOf } from '../call.ts';
import { dateOf } from '../days.ts';
import { notAllowed, noticePage } from '../notices.tsx';
import { paymentsPath } from '../paths.ts';
import { type CsvLines, csvStream, type Phones, paymentLines, type Separator } from './csv.ts';
import { hasProblems, queryOf, readFilter } from './filter.ts';

/**
 * GET …/payments.csv: the filtered payments as a file. A wrong filter leads to the list, which
 * explains it. Only owners get whole phone numbers, by `phones=full`.
 */
export async function exportCsv(call: DashboardCall): Promise<Response> {
  const { environment, url } = call;
  const form = readFilter(url.searchParams);
  if (hasProblems(form)) {
    return redirectTo(paymentsPath(environment, queryOf(form)));
  }
  const phones: Phones = url.searchParams.get('phones') === 'full' ? 'full' : 'masked';
  if (phones === 'full' && !may(call, 'manage')) {
    throw notAllowed();
  }
  return answerFile(call, {
    name: `payments-${environment}-${dateOf(call.nowMs)}`,
    detail: { ...filterDetail(form.values), ...(phones === 'full' && { phones }) },
    lines: paymentLines(phones, separatorOf(call)),
    pages: pagesOf(call, (cursor) =>
      call.payments.lists.exported(tenantOf(call), form.filter, cursor),
    ),
  });
}

/** `separator=semicolon` is for Excel in languages with decimal commas. */
export function separatorOf({ url }: DashboardCall): Separator {
  return url.searchParams.get('separator') === 'semicolon' ? 'semicolon' : 'comma';
}

/**
 * The response with a file. A session's second file waits for the first. A stream that fails is an
 * error to the browser, never a shorter file.
 */
export async function answerFile<Row>(
  call: DashboardCall,
  file: {
    readonly name: string;
    /** The detail of the audit entry. */
    readonly detail: Readonly<Record<string, string>>;
    readonly lines: CsvLines<Row>;
    readonly pages: AsyncGenerator<readonly Row[], void, void>;
  },
): Promise<Response> {
  const { env, session, nowMs } = call;
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${file.name}.csv"`,
    'cache-control': 'no-store',
  };
  if (call.request.method === 'HEAD') {
    return new Response(null, { headers });
  }
  if (!(await claimExport(env.BACK_OFFICE_DB, session.digest, nowMs))) {
    const retryAfterSeconds = EXPORT_LEASE_MS / 1_000;
    return noticePage(call, 'export_running', { retryAfterSeconds });
  }
  // Before the first byte: no export goes unrecorded.
  await call.payments.lists.beginExport(tenantOf(call), actorOf(call), file.detail);
  const pages = leased(env.BACK_OFFICE_DB, session.digest, nowMs, file.pages);
  return new Response(csvStream(pages, file.lines), { headers });
}

function filterDetail(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The lease is renewed between pieces, so a slow client keeps its turn within a page. */
const PIECE_ROWS = 150;

/** Reads pages as the client consumes them. Logs a failure, because the answer's status is sent. */
export async function* pagesOf<Row>(
  call: DashboardCall,
  read: (cursor: Cursor | null) => Promise<ExportPage<Row>>,
): AsyncGenerator<readonly Row[], void, void> {
  const { merchantId } = call.session;
  let cursor: Cursor | null = null;
  try {
    do {
      const page = await read(cursor);
      // A page without rows renews the lease, too.
      for (let from = 0; from === 0 || from < page.rows.length; from += PIECE_ROWS) {
        yield page.rows.slice(from, from + PIECE_ROWS);
      }
      cursor = page.nextCursor === null ? null : parseCursor(page.nextCursor);
    } while (cursor !== null);
  } catch (error) {
    log('error', 'payments_export_failed', { merchantId, error: errorText(error) });
    throw error;
  }
}
