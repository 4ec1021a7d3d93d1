import * as v from 'valibot';
import { record } from '../../kit/audit/log.ts';
import { stringField, wholeNumber } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { action, entryBy } from '../operator/call.ts';
import { MONTH_PAGE } from '../operator/fields.ts';
import {
  AUDIT_FILE_PAGE_ROWS,
  type AuditRecord,
  auditEntriesOfMonth,
  monthCursor,
} from './read.ts';
import { beginPage, sealPlace } from './readings.ts';

/** Names the file whose pages a place of the reading opens. The back office knows how far it is. */
const BEGUN = 'begun';

export interface AuditExportPage {
  /** One more than a page has, if there are more. */
  readonly rows: readonly AuditRecord[];
  /** The next call's `after`; null if both logs end with this page. */
  readonly next: string | null;
}

/**
 * A page of payments' part of a month's audit log, newest first, for a file that the back office
 * makes of both logs. An entry is written before the first page, and another one with the last page.
 */
export const exportAudit = action(
  body({
    ...MONTH_PAGE,
    /** Where the page begins; by default at the end of the month. */
    place: v.optional(stringField),
    /** How many entries the back office has behind that place, at most one more than a page. */
    elsewhere: wholeNumber(0, AUDIT_FILE_PAGE_ROWS + 1),
  }),
  async (call, _target, fields): Promise<AuditExportPage> => {
    const { month, after = null, place = null, elsewhere } = fields;
    const { env, config, nowMs, actor } = call;
    const entry = entryBy(call, {
      merchantId: null,
      environment: null,
      action: 'audit.exported',
      target: null,
      detail: { month },
    });
    const reading = { config, nowMs, scope: ['operator', actor.id, 'audit', month] };
    const begun = await beginPage(reading, after, () => record(env.DB, entry));
    const rows = await auditEntriesOfMonth(env.DB, month, monthCursor(month, place));
    if (rows.length + elsewhere > AUDIT_FILE_PAGE_ROWS) {
      return { rows, next: await sealPlace(reading, begun, BEGUN) };
    }
    await record(env.DB, entry, { complete: true });
    return { rows, next: null };
  },
);
