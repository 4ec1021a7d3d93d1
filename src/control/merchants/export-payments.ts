import * as v from 'valibot';
import { record } from '../../kit/audit/log.ts';
import { oneOf, stringField } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { parseCursor } from '../../kit/platform/paging.ts';
import { type ExportedPayment, readerOf } from '../../lists/book/reader.ts';
import { beginPage, sealPlace } from '../audit/readings.ts';
import { type ActionCall, action, entryBy } from '../operator/call.ts';
import { environmentField, pathPart } from '../operator/fields.ts';
import { withMaskedPhone } from './masked-phone.ts';
import { knownMerchant } from './merchant-rows.ts';

/** How a whole export is known in the audit log: closing a merchant looks for it. */
export const WHOLE_EXPORT = { complete: true } as const;

export interface ExportedPage {
  readonly rows: readonly ExportedPayment[];
  /** The next call's `after`; null after the last page. */
  readonly next: string | null;
}

/**
 * A page of a file of all payments of a merchant, newest first. An entry is written before the first
 * page, and another one with the last page.
 */
export const exportPayments = action(
  body({
    phones: v.optional(oneOf(['masked', 'full']), 'masked'),
    after: v.optional(stringField),
  }),
  async (call, target, { phones, after = null }): Promise<ExportedPage> => {
    const { id: merchantId } = await knownMerchant(call, target);
    const tenant = { environment: pathPart(environmentField, target.environment), merchantId };
    const entry = entryBy(call, {
      ...tenant,
      action: 'payments.exported',
      target: null,
      detail: { ...(phones === 'full' && { phones }) },
    });
    const reading = readingOf(call, tenant.environment, merchantId, phones);
    const begun = await beginPage(reading, after, () => record(call.env.DB, entry));
    const reader = await readerOf(call.env, tenant);
    const place = begun.place === null ? null : parseCursor(begun.place);
    const { rows, nextCursor } = await reader.exported({}, place);
    if (nextCursor === null) {
      await record(call.env.DB, entry, WHOLE_EXPORT);
    }
    return {
      rows: phones === 'full' ? rows : rows.map(withMaskedPhone),
      next: nextCursor && (await sealPlace(reading, begun, nextCursor)),
    };
  },
);

function readingOf({ config, nowMs, actor }: ActionCall, ...what: readonly string[]) {
  return { config, nowMs, scope: ['operator', actor.id, 'payments', ...what] };
}
