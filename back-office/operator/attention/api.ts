import * as v from 'valibot';
import { successResponse } from '../../../src/http/envelope.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import type { OperatorCall } from '../call.ts';
import { pageEntries } from '../page-query.ts';
import { body, environmentField, readQuery } from '../schema.ts';
import { type AttentionItem, attentionPage } from './items.ts';

const listing = body({ ...pageEntries, environment: v.optional(environmentField) });

/** GET …/attention: what needs the operator's attention, why, and what to do. */
export async function showAttention(call: OperatorCall): Promise<Response> {
  const { cursor = null, limit, environment = null } = readQuery(call.url, listing);
  const page = await attentionPage(call.env.DB, {
    environment,
    cursor,
    limit,
    nowMs: call.nowMs,
  });
  return successResponse('Needs attention', { ...page, items: page.items.map(content) });
}

function content({ reasons, ...item }: AttentionItem) {
  const texts = reasons.map((reason) => ({ reason, ...DESK_TEXTS.en.attention[reason] }));
  return { ...item, reasons: texts };
}
