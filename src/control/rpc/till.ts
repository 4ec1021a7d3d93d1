import { createHostedOf, refusedSum } from '../../engine/api/routes/create-payment.ts';
import { checkoutUrlOf, receiptUrlOf } from '../../engine/attempts/order.ts';
import { railPageUrl } from '../../engine/attempts/rail-page.ts';
import { qrCode } from '../../engine/checkout/qr.ts';
import { methodsNow, startChosen } from '../../engine/checkout/start-chosen.ts';
import { checkoutView } from '../../engine/checkout/view.ts';
import { hasEnded } from '../../engine/domain/intent.ts';
import { TRAITS } from '../../engine/domain/method.ts';
import type { FormProblem } from '../../engine/i18n/messages.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { readTenantAccess } from '../../engine/merchants/access.ts';
import type { Actor } from '../../kit/audit/log.ts';
import { Problem } from '../../kit/http/problem.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import type { Cursor } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { CreatedRange } from '../../lists/book/queries/sold-at.ts';
import { readerOf } from '../../lists/book/reader.ts';
import { findPayment } from '../payments/payments.ts';
import { type AskedSale, readSale, type SaleProblem, saleBody } from '../till/sale.ts';
import { byMember } from './member.ts';
import { type Cancellation, cancel as cancelPayment } from './payments.ts';
import type { Plane } from './plane.ts';

/**
 * A shop's tills (docs/dashboard.md#till). A till is the member who sells at it; its payments name it.
 * `tillId`: of which till a payment must be, as every other does not exist; null: of any till.
 */

/** What became of a sale's form. */
export type Sold =
  | { readonly type: 'sold'; readonly uniqueId: string }
  /** The form had been sent before, and its payment has ended: no customer may pay it now. */
  | { readonly type: 'ended'; readonly uniqueId: string }
  | { readonly type: 'bad'; readonly problem: SaleProblem }
  | { readonly type: 'unavailable' | 'busy' };

/** Makes the payment of a sale: an ordinary hosted payment. The audit log has none, as of API keys. */
export const sell = byMember(async (by, asked: AskedSale, ownOrigin: string): Promise<Sold> => {
  const { env, ctx, config, tenant, actor, nowMs } = by;
  const read = readSale(asked);
  if (typeof read === 'string') {
    return { type: 'bad', problem: read };
  }
  const limitKey = `till/${tenant.environment}/${actor.id}`;
  if (!(await isWithinLimit(config, env.LINK_SUBMISSION_RATE_LIMIT, limitKey))) {
    return { type: 'busy' };
  }
  const access = await readTenantAccess(env, tenant);
  if (access === null) {
    return { type: 'unavailable' };
  }
  const sale = await saleBody(tenant, actor, asked.nonce, read, config, ownOrigin);
  const { uniqueId, body, added } = sale;
  try {
    const call = { env, ctx, config, access, nowMs, request: { url: ownOrigin } };
    const { isReplay } = await createHostedOf(call, body, added);
    const known = isReplay && (await (await intentByUniqueId(env, tenant, uniqueId)).read());
    return { type: known && hasEnded(known.status) ? 'ended' : 'sold', uniqueId };
  } catch (error) {
    if (error instanceof Problem) {
      const sum = refusedSum(error);
      return sum === null
        ? { type: 'unavailable' }
        : { type: 'bad', problem: `amount_${sum.kind}` };
    }
    throw error;
  }
});

/** The payment of a sale at this till, or null. */
async function findSale(env: Env, tenant: Tenant, tillId: string | null, uniqueId: string) {
  const found = await findPayment(env, tenant, uniqueId);
  const soldAt = found?.intent.terms.tillId;
  return soldAt !== undefined && (tillId ?? soldAt) === soldAt ? found : null;
}

/** A sale as its till shows it. */
export type Sale = Awaited<ReturnType<typeof shownSale>>;

export async function sale(
  plane: Plane,
  tenant: Tenant,
  tillId: string | null,
  uniqueId: string,
): Promise<Sale | null> {
  const found = await findSale(plane.env, tenant, tillId, uniqueId);
  return found && shownSale(plane, found);
}

type FoundSale = NonNullable<Awaited<ReturnType<typeof findSale>>>;

async function shownSale({ env, ctx, nowMs }: Plane, { client, intent }: FoundSale) {
  const { terms, status } = intent;
  const railPage = await railPageUrl(env, client, intent);
  const methods = status === 'open' ? await methodsNow({ env, ctx, intent }) : {};
  const checkoutUrl = hasEnded(status) ? null : await checkoutUrlOf(env, intent);
  return {
    /** As the customer sees the payment. */
    view: checkoutView(intent, nowMs, { railPage, ...methods }),
    uniqueId: terms.uniqueId,
    note: terms.description,
    tillName: terms.metadata.till ?? null,
    createdAtMs: terms.createdAtMs,
    expiresAtMs: terms.expiresAtMs,
    amountMinor: terms.amountMinor,
    /** Null once it has ended. */
    checkoutUrl,
    /** The code of the checkout's address, in SVG. */
    code: checkoutUrl && qrCode(checkoutUrl),
    receiptUrl: await receiptUrlOf(env, intent, nowMs),
  };
}

/** What a waiting page compares, and whether the sale is paid. */
export interface SaleState {
  readonly tag: string;
  readonly isPaid: boolean;
}

export async function state(
  { env, nowMs }: Plane,
  tenant: Tenant,
  tillId: string | null,
  uniqueId: string,
): Promise<SaleState | null> {
  const found = await findSale(env, tenant, tillId, uniqueId);
  if (found === null) {
    return null;
  }
  const { client, intent } = found;
  const railPage = await railPageUrl(env, client, intent);
  const { tag, state: shown } = checkoutView(intent, nowMs, { railPage });
  return { tag, isPaid: shown.kind === 'paid' };
}

/** A prompt as the seller asks for it. */
export interface AskedPrompt {
  readonly method: string;
  readonly phone: string;
  /** How many attempts the form's page knew of: a form that is sent twice starts one. */
  readonly attempts: number;
}

/**
 * Sends a prompt to the customer's phone, by the rules of the checkout. Null: it was sent, or the
 * payment has moved on, which its page shows.
 */
export const prompt = byMember(
  async (
    { env, ctx, tenant },
    tillId: string | null,
    uniqueId: string,
    { method, phone, attempts }: AskedPrompt,
  ): Promise<FormProblem | 'not_found' | null> => {
    const found = await findSale(env, tenant, tillId, uniqueId);
    if (found === null) {
      return 'not_found';
    }
    const { intent } = found;
    if (intent.status !== 'open' || intent.attempts.length !== attempts) {
      return null;
    }
    const offered = intent.terms.methods.find((one) => one.method === method);
    if (offered !== undefined && TRAITS[offered.method].confirmsOn !== 'phone') {
      return 'method_missing';
    }
    const form = new URLSearchParams({ method, phone });
    const run = await startChosen({ env, ctx, ...found }, form, attempts);
    return run.type === 'refused' ? run.form.problem : null;
  },
);

/** Cancels the sale, as a member cancels any payment. */
export async function cancel(
  plane: Plane,
  tenant: Tenant,
  actor: Actor,
  tillId: string | null,
  uniqueId: string,
): Promise<Cancellation> {
  const found = await findSale(plane.env, tenant, tillId, uniqueId);
  return found === null ? 'not_found' : cancelPayment(plane, tenant, actor, uniqueId);
}

/** One page of the sales of these times, newest first, and what those that are paid sum up to. */
export async function sales(
  { env }: Plane,
  tenant: Tenant,
  tillId: string | null,
  range: CreatedRange,
  cursor: Cursor | null,
  limit: number,
) {
  const reader = await readerOf(env, tenant);
  const filter = { tillId, createdFromMs: range.fromMs, createdToMs: range.toMs };
  const [page, [sum]] = await Promise.all([
    reader.summaries(filter, cursor, limit),
    reader.soldAt(tillId, range),
  ]);
  const rows = page.rows.map(({ details: { description, metadata }, ...row }) => ({
    ...row,
    note: description ?? null,
    tillName: metadata?.till ?? null,
  }));
  // Of the only currency of tills. Absent while nothing is paid.
  return { page: { ...page, rows }, ...(sum && { sum }) };
}

export type Sales = Awaited<ReturnType<typeof sales>>;
