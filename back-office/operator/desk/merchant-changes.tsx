import { seal } from '../../../src/crypto/sealed.ts';
import { majorText } from '../../../src/domain/money.ts';
import { found } from '../../../src/http/problem.ts';
import { refundLimitsOf } from '../../../src/merchants/refund-limits.ts';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { ROLES } from '../../members/permissions.ts';
import type { FactRow } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { invitationFields, invite } from '../members.ts';
import { changeStatus, knownMerchant, REASON_CHARACTERS_MAX, reasonFields } from '../merchants.ts';
import { limitRefunds, refundLimitFields } from '../refund-limits.ts';
import { checked } from '../schema.ts';
import type { DeskCall } from './call.ts';
import type { Change, ChangeField, Done, Question } from './change.tsx';
import { merchantPath, PATHS } from './paths.ts';

/** What operators change about a merchant. */

const MERCHANT = `${PATHS.merchants}/:merchantId` as const;

/** Time to copy the link; then the page no longer shows it. */
const LINK_SHOWN_MS = 10 * 60 * 1_000;

export const SUSPEND_MERCHANT = statusChange('suspend', 'suspended');
export const REACTIVATE_MERCHANT = statusChange('reactivate', 'active');

/** The merchant's page then shows the link once, to this operator only. */
export const INVITE_MEMBER: Change = {
  path: `${MERCHANT}/invite`,
  ask: askInvitation,
  run: sendInvitation,
};

/** How old payments may be when they are refunded, and how much is returned in a day. */
export const LIMIT_REFUNDS: Change = {
  path: `${MERCHANT}/refund-limits`,
  ask: askRefundLimits,
  run: recordRefundLimits,
};

/** A sealed link opens only on the page of its merchant, for the operator who created it. */
export function linkContext(merchantId: string, operator: string): string {
  return `desk/link/${merchantId}/${operator}`;
}

function statusChange(name: 'suspend' | 'reactivate', status: 'suspended' | 'active'): Change {
  return {
    path: `${MERCHANT}/${name}`,
    ask: async (call) => {
      const text = DESK_TEXTS[call.view.language].pages;
      const lead = name === 'suspend' ? text.suspendLead : text.reactivateLead;
      return question(call, { title: text[name], lead, fields: [reasonField(call)] });
    },
    run: async (call) => {
      await changeStatus(call, status, checked(reasonFields, { reason: call.form.text('reason') }));
      return { path: merchantPath(call.params.merchantId ?? ''), done: status };
    },
  };
}

async function askInvitation(call: DeskCall): Promise<Question> {
  const text = DESK_TEXTS[call.view.language].pages;
  const { role: roles } = DASHBOARD_TEXTS[call.view.language].frame;
  const fields: readonly ChangeField[] = [
    { name: 'name', label: text.name, lengthMax: NAME_LENGTH_MAX },
    { name: 'role', label: text.role, options: ROLES.map((role) => [role, roles[role]] as const) },
  ];
  return question(call, { title: text.invite, lead: text.inviteLead, fields });
}

async function sendInvitation(call: DeskCall): Promise<Done> {
  const { form, config, actor, nowMs } = call;
  const fields = { name: form.text('name'), role: form.text('role') };
  const { url } = await invite(call, checked(invitationFields, fields));
  const merchantId = call.params.merchantId ?? '';
  // The redirect carries the link sealed: neither browser history nor a log shows it.
  const sealed = await seal(
    config.dataEncryptionKeys,
    `${nowMs + LINK_SHOWN_MS} ${url}`,
    linkContext(merchantId, actor.name),
  );
  return { path: merchantPath(merchantId, `?link=${sealed}`), done: 'invited' };
}

async function askRefundLimits(call: DeskCall): Promise<Question> {
  const text = DESK_TEXTS[call.view.language].pages;
  const { refundAgeDaysMax, refundDailyMaxMinor } = found(
    await refundLimitsOf(call.env.DB, call.params.merchantId ?? ''),
  );
  const daily = refundDailyMaxMinor === null ? '' : majorText(refundDailyMaxMinor);
  const fields: readonly ChangeField[] = [
    {
      name: 'refundAgeDaysMax',
      label: text.refundAgeDays,
      value: String(refundAgeDaysMax),
      lengthMax: 3,
    },
    {
      name: 'refundDailyMaxMinor',
      label: text.refundDaily,
      hint: text.refundDailyHint,
      value: daily,
      isOptional: true,
    },
  ];
  return question(call, { title: text.refundLimits, lead: text.refundLimitsLead, fields });
}

async function recordRefundLimits(call: DeskCall): Promise<Done> {
  const days = call.form.text('refundAgeDaysMax').trim();
  const daily = call.form.text('refundDailyMaxMinor').trim();
  const fields = {
    // The schema rejects what is no number.
    refundAgeDaysMax: /^\d{1,3}$/.test(days) ? Number(days) : days,
    refundDailyMaxMinor: daily === '' ? null : (amountMinorFrom(daily) ?? daily),
  };
  await limitRefunds(call, checked(refundLimitFields, fields));
  return { path: merchantPath(call.params.merchantId ?? ''), done: 'refunds_limited' };
}

async function question(
  call: DeskCall,
  { title, lead, fields }: Pick<Question, 'title' | 'lead' | 'fields'>,
): Promise<Question> {
  const merchant = await knownMerchant(call);
  const text = DESK_TEXTS[call.view.language].pages;
  const facts: readonly FactRow[] = [
    [text.merchant, <bdi>{shownText(merchant.name)}</bdi>],
    [text.id, <code>{merchant.id}</code>],
    [text.state, text.status[merchant.status]],
  ];
  const back = merchantPath(merchant.id);
  return { active: 'merchants', title, lead, facts, fields, button: title, back };
}

function reasonField(call: DeskCall): ChangeField {
  const text = DESK_TEXTS[call.view.language].pages;
  return {
    name: 'reason',
    label: text.why,
    hint: text.reasonHint,
    lengthMax: REASON_CHARACTERS_MAX,
  };
}
