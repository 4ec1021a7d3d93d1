import { validationContext } from '../../engine/api/routes/create-payment.ts';
import { qrModules } from '../../engine/checkout/qr.ts';
import type { PaymentLink } from '../../engine/links/payment-link.ts';
import { linkUrl } from '../../engine/links/slug.ts';
import { readTenantAccess } from '../../engine/merchants/access.ts';
import { registerOf } from '../../engine/register/client.ts';
import type { LinkFilter } from '../../engine/register/link-table.ts';
import type { FieldErrors } from '../../kit/http/field-error.ts';
import { found } from '../../kit/http/problem.ts';
import type { Cursor, Page } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { readerOf } from '../../lists/book/reader.ts';
import { addLink, deactivateLink, editLink } from '../../lists/links/change-links.ts';
import { bodyOf, type LinkBody, validateLink } from '../../lists/links/schema.ts';
import type { BankCode } from '../merchants/bank-code.ts';
import { merchantBankCode } from '../merchants/change-bank-code.ts';
import { byMember, type MemberCall } from './member.ts';
import type { Plane } from './plane.ts';

/** A merchant's payment links, and what a member may do to them: by the schemas of the API. */

export interface ShownLink {
  readonly link: PaymentLink;
  readonly url: string;
}

/** Newest first. `ownOrigin`: of the page, where the gateway names none for customers. */
export async function list(
  plane: Plane,
  tenant: Tenant,
  filter: LinkFilter,
  cursor: Cursor | null,
  limit: number,
  ownOrigin: string,
): Promise<Page<ShownLink>> {
  const page = await registerOf(plane.env, tenant).links(filter, cursor, limit);
  const rows = await Promise.all(page.rows.map((link) => shown(plane, tenant, link, ownOrigin)));
  return { ...page, rows };
}

/** The link of this code; null when the tenant has none. */
export async function link(
  plane: Plane,
  tenant: Tenant,
  code: string,
  ownOrigin: string,
): Promise<ShownLink | null> {
  const known = await registerOf(plane.env, tenant).linkOfCode(code);
  return known && shown(plane, tenant, known, ownOrigin);
}

/** The payments that name the link, newest first, and what was paid at its page. */
export async function payments(
  { env }: Plane,
  tenant: Tenant,
  paymentLinkUniqueId: string,
  cursor: Cursor | null,
  limit: number,
) {
  const reader = await readerOf(env, tenant);
  const [page, paid] = await Promise.all([
    reader.listedOfLink(paymentLinkUniqueId, cursor, limit),
    reader.paidAtLink(paymentLinkUniqueId),
  ]);
  return { page, paid };
}

export type LinkPayments = Awaited<ReturnType<typeof payments>>;

/** A link's sign: its code, and the bank's. */
export async function sign(
  plane: Plane,
  tenant: Tenant,
  code: string,
  ownOrigin: string,
): Promise<LinkSign | null> {
  const known = await link(plane, tenant, code, ownOrigin);
  // A code that takes money beside a test page would mislead people who try the sandbox.
  const stored =
    tenant.environment === 'sandbox'
      ? null
      : await merchantBankCode(plane.env.DB, tenant.merchantId);
  return (
    known && {
      ...known,
      modules: qrModules(known.url),
      bank: stored && { ...stored.code, modules: qrModules(stored.text) },
    }
  );
}

type Modules = ReturnType<typeof qrModules>;

export interface LinkSign extends ShownLink {
  readonly modules: Modules;
  /** Null: the merchant has none. */
  readonly bank: (BankCode & { readonly modules: Modules }) | null;
}

async function shown(
  { config }: Plane,
  tenant: Tenant,
  known: PaymentLink,
  ownOrigin: string,
): Promise<ShownLink> {
  const origin = config.publicBaseUrl ?? ownOrigin;
  const { code } = known;
  return { link: known, url: await linkUrl(config.linkSigningKeys, origin, { tenant, code }) };
}

/** What became of a form. */
export type SavedLink =
  | { readonly type: 'saved'; readonly code: string }
  | { readonly type: 'bad'; readonly errors: FieldErrors }
  /** The tenant has LINKS_MAX. */
  | { readonly type: 'full' };

/** Creates a link with an id that Kefel makes. */
export const create = byMember(
  async (by, sent: LinkBody, ownOrigin: string): Promise<SavedLink> => {
    const checked = await check(by, sent, ownOrigin);
    if (!checked.ok) {
      return { type: 'bad', errors: checked.errors };
    }
    const { link: added, created } = await addLink(by, checked.value, null, async () => '');
    return created.type === 'full' ? { type: 'full' } : { type: 'saved', code: added.code };
  },
);

/** What the form leaves out stays. Problem 404 when the tenant has no such link. */
export const edit = byMember(
  async (by, code: string, sent: LinkBody, ownOrigin: string): Promise<SavedLink> => {
    const { id } = await named(by, code);
    let errors: FieldErrors | null = null;
    await editLink(by, id, async (before) => {
      const checked = await check(by, { ...bodyOf(before), ...sent }, ownOrigin);
      errors = checked.ok ? null : checked.errors;
      return checked.ok ? checked.value.settings : null;
    });
    return errors === null ? { type: 'saved', code } : { type: 'bad', errors };
  },
);

/** Problem 404 when the tenant has no such link. */
export const setActive = byMember(async (by, code: string, isActive: boolean): Promise<void> => {
  const { id } = await named(by, code);
  await (isActive
    ? editLink(by, id, async (before) => (before.isActive ? null : { ...before, isActive }))
    : deactivateLink(by, id));
});

async function named({ env, tenant }: MemberCall, code: string): Promise<PaymentLink> {
  return found(await registerOf(env, tenant).linkOfCode(code));
}

async function check(by: MemberCall, sent: LinkBody, ownOrigin: string) {
  const access = found(await readTenantAccess(by.env, by.tenant));
  const call = { ...by, access, request: { url: ownOrigin } };
  return validateLink(sent, await validationContext(call, undefined, sent), by.nowMs);
}
