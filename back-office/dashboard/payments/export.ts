import type { Phones } from '../../../src/control/rpc/lists.ts';
import { errorText, log } from '../../../src/kit/platform/log.ts';
import type { ExportPage } from '../../../src/lists/book/reader.ts';
import {
  type CsvLines,
  csvStream,
  fileHeaders,
  paymentLines,
  type Separator,
} from '../../elements/csv.ts';
import { readAhead } from '../../elements/read-ahead.ts';
import { claimExport, EXPORT_LEASE_MS, leased } from '../../members/export-lease.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, may, tenantOf } from '../call.ts';
import { dateOf } from '../days.ts';
import { notAllowed, noticePage } from '../notices.tsx';
import { paymentsPath } from '../paths.ts';
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
    lines: paymentLines(phones, separatorOf(call)),
    pages: pagesOf(call, (after) =>
      call.payments.lists.exported(tenantOf(call), actorOf(call), form.filter, phones, after),
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
    readonly lines: CsvLines<Row>;
    readonly pages: AsyncGenerator<readonly Row[], void, void>;
  },
): Promise<Response> {
  const { env, session, nowMs } = call;
  const headers = fileHeaders(file.name);
  if (call.request.method === 'HEAD') {
    return new Response(null, { headers });
  }
  if (!(await claimExport(env.BACK_OFFICE_DB, session.digest, nowMs))) {
    const retryAfterSeconds = EXPORT_LEASE_MS / 1_000;
    return noticePage(call, 'export_running', { retryAfterSeconds });
  }
  const pages = leased(env.BACK_OFFICE_DB, session.digest, nowMs, file.pages);
  // An export that cannot be recorded is an error page, not a file that ends early.
  return new Response(csvStream(await readAhead(pages), file.lines), { headers });
}

/** The lease is renewed between pieces, so a slow client keeps its turn within a page. */
const PIECE_ROWS = 150;

/** Reads pages as the client consumes them. Logs a failure, because the answer's status is sent. */
export async function* pagesOf<Row>(
  call: DashboardCall,
  read: (after: string | null) => Promise<ExportPage<Row>>,
): AsyncGenerator<readonly Row[], void, void> {
  const { merchantId } = call.session;
  let after: string | null = null;
  try {
    do {
      const page: ExportPage<Row> = await read(after);
      // A page without rows renews the lease, too.
      for (let from = 0; from === 0 || from < page.rows.length; from += PIECE_ROWS) {
        yield page.rows.slice(from, from + PIECE_ROWS);
      }
      after = page.nextCursor;
    } while (after !== null);
  } catch (error) {
    log('error', 'payments_export_failed', { merchantId, error: errorText(error) });
    throw error;
  }
}
