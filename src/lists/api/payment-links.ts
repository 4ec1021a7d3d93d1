import { changing, type MerchantCall, ownOriginOf } from '../../engine/api/call.ts';
import { readKeyedBody } from '../../engine/api/keyed-body.ts';
import { validationContext } from '../../engine/api/routes/create-payment.ts';
import { BODY_BYTES_MAX } from '../../engine/config.ts';
import { LINKS_MAX, type PaymentLink } from '../../engine/links/payment-link.ts';
import { linkUrl } from '../../engine/links/slug.ts';
import { registerOf } from '../../engine/register/client.ts';
import type { LinkCreated } from '../../engine/register/link-table.ts';
import { jsonResponse, successBody, successResponse } from '../../kit/http/envelope.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { isRecord } from '../../kit/http/fields.ts';
import { readJsonBody } from '../../kit/http/json-body.ts';
import { pageContent, readListQuery } from '../../kit/http/list-request.ts';
import { problem, validationProblem } from '../../kit/http/problem.ts';
import { addLink, deactivateLink, editLink } from '../links/change-links.ts';
import {
  bodyOf,
  linkContent,
  type NewLink,
  type PaymentLinkContent,
  validateLink,
} from '../links/schema.ts';
import { linksQuery } from './schema/list.ts';

/** …/links: the merchant's payment links (docs/links.md). */

/** GET …/links: newest first. */
export async function listPaymentLinks(call: MerchantCall): Promise<Response> {
  const query = readListQuery(call.request, linksQuery);
  const { createdFrom, createdTo, cursor, limit } = query;
  const isActive = query.isActive === undefined ? undefined : query.isActive === 'true';
  const filter = { isActive, fromMs: createdFrom, toMs: createdTo };
  const page = await registerOf(call.env, call.access).links(filter, cursor ?? null, limit);
  const rows = await Promise.all(page.rows.map((link) => contentOf(call, link)));
  return successResponse(
    'Payment links found',
    pageContent({ ...page, rows }, (content) => content),
  );
}

/** GET …/links/{paymentLinkUniqueId} */
export async function readPaymentLink(call: MerchantCall): Promise<Response> {
  const link = await registerOf(call.env, call.access).link(call.id);
  return answered(call, 'Payment link found', link);
}

/** POST …/links */
export async function createPaymentLink(call: MerchantCall): Promise<Response> {
  const { value, idempotency } = await readKeyedBody(call.request, 'payment_link');
  // Before the body is validated: a repeat gets its first answer, even if the rules have changed.
  const repeated = idempotency && (await registerOf(call.env, call.access).linkAnswer(idempotency));
  if (repeated !== null) {
    return creationAnswer(repeated, { id: '', answer: '' });
  }
  const { link: valid, warnings } = await validated(call, value);
  let answer = '';
  const { link, created } = await addLink(changing(call), valid, idempotency, async (added) => {
    answer = successBody('Payment link created', await contentOf(call, added), warnings);
    return answer;
  });
  return creationAnswer(created, { id: link.id, answer });
}

/** PATCH …/links/{paymentLinkUniqueId}: absent fields stay as they are. */
export async function changePaymentLink(call: MerchantCall): Promise<Response> {
  const { value } = await readJsonBody(call.request, BODY_BYTES_MAX);
  if (isRecord(value) && Object.hasOwn(value, 'paymentLinkUniqueId')) {
    const text = 'Cannot be changed: payments name the link by it.';
    throw validationProblem({ paymentLinkUniqueId: fieldError('unknown_field', text) });
  }
  let told: readonly string[] = [];
  const link = await editLink(changing(call), call.id, async (before) => {
    // Not a record: the schema says so.
    const sent = isRecord(value) ? { ...bodyOf(before), ...value } : value;
    const { link: changed, warnings } = await validated(call, sent);
    told = warnings;
    return changed.settings;
  });
  return answered(call, 'Payment link changed', link, told);
}

/** POST …/links/{paymentLinkUniqueId}/deactivate */
export async function deactivatePaymentLink(call: MerchantCall): Promise<Response> {
  return answered(call, 'Payment link deactivated', await deactivateLink(changing(call), call.id));
}

/** Problem 400 with every failing field. */
async function validated(
  call: MerchantCall,
  sent: unknown,
): Promise<{ readonly link: NewLink; readonly warnings: readonly string[] }> {
  const context = await validationContext(call, undefined, sent);
  const checked = validateLink(sent, context, call.nowMs);
  if (!checked.ok) {
    throw validationProblem(checked.errors, checked.warnings);
  }
  return { link: checked.value, warnings: checked.warnings };
}

function creationAnswer(
  created: LinkCreated,
  { id, answer }: { readonly id: string; readonly answer: string },
): Response {
  switch (created.type) {
    case 'created':
      return jsonResponse(200, answer);
    case 'replay':
      return jsonResponse(200, created.answer, { 'idempotent-replayed': 'true' });
    case 'key_reused':
      throw problem('idempotency_key_reused');
    case 'full':
      throw problem('payment_link_limit', { linksMax: LINKS_MAX });
    case 'taken':
      throw problem('duplicate_payment_link_id', { linkUniqueId: id });
  }
}

/** An id of another tenant is a 404 (docs/decisions.md#29). */
async function answered(
  call: MerchantCall,
  message: string,
  link: PaymentLink | null,
  warnings: readonly string[] = [],
): Promise<Response> {
  if (link === null) {
    throw problem('payment_link_not_found');
  }
  return jsonResponse(200, successBody(message, await contentOf(call, link), warnings));
}

async function contentOf(call: MerchantCall, link: PaymentLink): Promise<PaymentLinkContent> {
  const { environment, merchantId } = call.access;
  const name = { tenant: { environment, merchantId }, code: link.code };
  return linkContent(link, await linkUrl(call.config.linkSigningKeys, ownOriginOf(call), name));
}
