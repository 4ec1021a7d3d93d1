import type { IdempotencyClaim } from '../../engine/intent/protocol.ts';
import {
  type LinkSettings,
  newLinkCode,
  newLinkId,
  type PaymentLink,
} from '../../engine/links/payment-link.ts';
import { registerOf } from '../../engine/register/client.ts';
import type { LinkCreated } from '../../engine/register/link-table.ts';
import { type AuditDetail, type Changing, runRecordedAct } from '../../kit/audit/log.ts';
import { problem } from '../../kit/http/problem.ts';
import { majorText } from '../../kit/money.ts';
import { runBatch } from '../../kit/platform/database.ts';
import type { NewLink } from './schema.ts';

/**
 * What members and programs change about payment links. The register holds the links and D1 the audit
 * log, so an entry comes before its change (docs/decisions.md#54).
 */

export interface AddedLink {
  readonly link: PaymentLink;
  readonly created: LinkCreated;
}

/** Creates a link. `answerOf`: what a repeat with the same Idempotency-Key gets. */
export async function addLink(
  by: Changing,
  { id, settings }: NewLink,
  idempotency: IdempotencyClaim | null,
  answerOf: (link: PaymentLink) => Promise<string>,
): Promise<AddedLink> {
  const { env, tenant, nowMs } = by;
  const link: PaymentLink = {
    ...settings,
    id: id ?? newLinkId(),
    code: newLinkCode(),
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const answer = await answerOf(link);
  // Before the link, so that no backup overlooks it: the daily run asks the registers named here.
  await runBatch(env.DB, [
    {
      sql: `INSERT INTO payment_link_merchants (merchant_id, environment) VALUES (?1, ?2)
        ON CONFLICT DO NOTHING`,
      params: [tenant.merchantId, tenant.environment],
    },
  ]);
  const created = await runRecordedAct(
    by,
    { action: 'payment_link.create_requested', target: link.id, detail: detailOf(link) },
    () => registerOf(env, tenant).createLink({ link, idempotency, answer }),
    ({ type }) => (type === 'created' ? null : type),
  );
  return { link, created };
}

/** Two changes at the same moment; more than this many in a row come from a program in a loop. */
const CHANGES_TRIED = 5;

/**
 * Changes a link by what it is now, and returns it; null: there is none. `change` returns null when
 * nothing is to change.
 */
export async function editLink(
  by: Changing,
  id: string,
  change: (link: PaymentLink) => Promise<LinkSettings | null>,
): Promise<PaymentLink | null> {
  const register = registerOf(by.env, by.tenant);
  for (let tried = 0; tried < CHANGES_TRIED; tried += 1) {
    const before = await register.link(id);
    const settings = before && (await change(before));
    if (before === null || settings === null) {
      return before;
    }
    const { code, version, createdAtMs } = before;
    const link = {
      ...settings,
      id,
      code,
      version: version + 1,
      createdAtMs,
      updatedAtMs: by.nowMs,
    };
    const isChanged = await runRecordedAct(
      by,
      { action: 'payment_link.change_requested', target: id, detail: detailOf(link) },
      () => register.changeLink(link),
      (isDone) => (isDone ? null : 'changed_meanwhile'),
    );
    if (isChanged) {
      return link.paymentsMax === null ? link : register.link(id);
    }
  }
  throw problem('service_unavailable', { retryAfterSeconds: 1 });
}

/** Ends a link: its page takes no payment from now on. Null: there is none. */
export function deactivateLink(by: Changing, id: string): Promise<PaymentLink | null> {
  return editLink(by, id, async (link) => (link.isActive ? { ...link, isActive: false } : null));
}

/** Without the texts, which may name a person. */
function detailOf({ price, currency, isActive }: LinkSettings): AuditDetail {
  const amount = price.kind === 'fixed' ? majorText(price.amountMinor) : price.kind;
  return { amount, currency, active: isActive };
}
