import { lineField, REASON_CHARACTERS_MAX } from '../../src/control/operator/fields.ts';
import { withoutPhoneNumbers } from '../../src/engine/domain/phone.ts';
import { runAudited } from '../../src/kit/audit/log.ts';
import { oneOf } from '../../src/kit/http/fields.ts';
import { found, problem } from '../../src/kit/http/problem.ts';
import { body, checked } from '../../src/kit/http/strict-body.ts';
import { prepare, runBatch } from '../../src/kit/platform/database.ts';
import {
  INVITATION_MS,
  invitationPath,
  newInvitation,
  type OpenInvitation,
  openInvitations,
  RECOVERY_MS,
  revokeInvitation,
} from '../members/invitations.ts';
import { afterRemoval, NAME_LENGTH_MAX, revokeInvitationsBy } from '../members/members.ts';
import { ROLES, type Role } from '../members/permissions.ts';
import type { OperatorCall, PathParts } from './call.ts';
import { operatorProblem } from './problems.ts';

/** More members than any merchant has. Shows the newest. */
const MEMBERS_SHOWN_MAX = 500;
const HOUR_MS = 60 * 60 * 1_000;

interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly passkeys: number;
}

const MEMBERS_SQL = `
  SELECT id, name, role, created_at_ms AS createdAtMs,
    (SELECT count(*) FROM passkeys WHERE passkeys.member_id = members.id) AS passkeys
  FROM members WHERE merchant_id = ?1 AND removed_at_ms IS NULL`;

/** The merchant's members and open links, newest first. */
export async function readMembers(
  { env, nowMs }: OperatorCall,
  { id, status }: LinkRequest['merchant'],
) {
  const sql = `${MEMBERS_SQL} ORDER BY created_at_ms DESC LIMIT ${MEMBERS_SHOWN_MAX}`;
  const { results } = await prepare(env.BACK_OFFICE_DB, { sql, params: [id] }).all<MemberRow>();
  const invitations =
    status === 'active' ? await openInvitations(env.BACK_OFFICE_DB, id, nowMs) : [];
  return { members: results, invitations };
}

const invitationFields = body({ name: lineField(NAME_LENGTH_MAX), role: oneOf(ROLES) });

/** A one-time link for a new member. Problem 409 while the merchant is suspended. */
export async function invite(
  call: OperatorCall,
  target: PathParts,
  fields: unknown,
): Promise<MemberLink> {
  const { name, role } = checked(invitationFields, fields);
  const merchant = await call.payments.operator.knownMerchant(target);
  return link(call, { merchant, memberId: null, name, role });
}

/** A one-time link to a new passkey for a member who lost theirs. */
export async function recover(
  call: OperatorCall,
  target: PathParts,
  fields: unknown,
): Promise<MemberLink> {
  checked(body({}), fields);
  const merchant = await call.payments.operator.knownMerchant(target);
  const { id: memberId, name, role } = await knownMember(call, merchant.id, target.memberId);
  return link(call, { merchant, memberId, name, role });
}

/** The merchant's open link of that id. Problem 404 when it was used, revoked or has expired. */
export async function knownLink(
  { env, nowMs }: OperatorCall,
  merchantId: string,
  invitationId = '',
): Promise<OpenInvitation> {
  const links = await openInvitations(env.BACK_OFFICE_DB, merchantId, nowMs);
  return found(links.find(({ id }) => id === invitationId));
}

/** Ends an open link at once. */
export async function revokeLink(
  call: OperatorCall,
  target: PathParts,
  fields: unknown,
): Promise<{ readonly isChanged: boolean }> {
  checked(body({}), fields);
  const { env, actor, nowMs } = call;
  const { id: merchantId } = await call.payments.operator.knownMerchant(target);
  const { id, name, role } = await knownLink(call, merchantId, target.invitationId);
  const isChanged = await runAudited(
    env.BACK_OFFICE_DB,
    [revokeInvitation(merchantId, id, nowMs)],
    {
      actor,
      merchantId,
      environment: null,
      action: 'invitation.revoked',
      target: id,
      detail: { name, role },
      atMs: nowMs,
    },
  );
  return { isChanged };
}

/** The merchant's member of that id. Problem 404 when there is none. */
export async function knownMember(
  { env }: OperatorCall,
  merchantId: string,
  memberId = '',
): Promise<MemberRow> {
  const sql = `${MEMBERS_SQL} AND id = ?2`;
  const statement = { sql, params: [merchantId, memberId] };
  return found(await prepare(env.BACK_OFFICE_DB, statement).first<MemberRow>());
}

const removalFields = body({ reason: lineField(REASON_CHARACTERS_MAX) });

/** Ends the member's sessions at once. The operator may remove the last owner, too. */
export async function remove(
  call: OperatorCall,
  target: PathParts,
  fields: unknown,
): Promise<{ readonly isChanged: boolean }> {
  const { reason } = checked(removalFields, fields);
  const { id } = await call.payments.operator.knownMerchant(target);
  const member = await knownMember(call, id, target.memberId);
  return { isChanged: await removeMember(call, id, member, reason) };
}

/** Removes all members, and ends all open links. A repeated call removes those that are left. */
export async function removeAll(call: OperatorCall, merchantId: string, reason: string) {
  const { env, nowMs } = call;
  const { results } = await prepare(env.BACK_OFFICE_DB, {
    sql: MEMBERS_SQL,
    params: [merchantId],
  }).all<MemberRow>();
  for (const member of results) {
    await removeMember(call, merchantId, member, reason);
  }
  const sql = `UPDATE invitations SET revoked_at_ms = ?2
    WHERE merchant_id = ?1 AND used_at_ms IS NULL AND revoked_at_ms IS NULL`;
  await runBatch(env.BACK_OFFICE_DB, [{ sql, params: [merchantId, nowMs] }]);
}

function removeMember(
  { env, actor, nowMs }: OperatorCall,
  merchantId: string,
  { id, name, role }: MemberRow,
  reason: string,
): Promise<boolean> {
  const change = {
    sql: 'UPDATE members SET removed_at_ms = ?2 WHERE id = ?1 AND removed_at_ms IS NULL',
    params: [id, nowMs],
  };
  const entry = {
    actor,
    merchantId,
    environment: null,
    action: 'member.removed',
    target: id,
    detail: { name, role, reason: withoutPhoneNumbers(reason) },
    atMs: nowMs,
  } as const;
  const after = [...afterRemoval(id, nowMs), revokeInvitationsBy(id, nowMs)];
  return runAudited(env.BACK_OFFICE_DB, [change], entry, after);
}

interface LinkRequest {
  readonly merchant: { readonly id: string; readonly status: string };
  readonly memberId: string | null;
  readonly name: string;
  readonly role: Role;
}

/** A one-time link to a passkey. */
export interface MemberLink {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAtMs: number;
  readonly validHours: number;
}

async function link(call: OperatorCall, request: LinkRequest): Promise<MemberLink> {
  const { merchant, memberId, name, role } = request;
  if (merchant.status === 'closed') {
    throw operatorProblem('merchant_closed');
  }
  if (merchant.status === 'suspended') {
    throw operatorProblem('merchant_suspended');
  }
  const { actor, nowMs } = call;
  const fresh = await newInvitation({
    merchantId: merchant.id,
    memberId,
    name,
    role,
    invitedBy: actor,
    nowMs,
  });
  const isCreated = await runAudited(call.env.BACK_OFFICE_DB, [fresh.statement], {
    actor,
    merchantId: merchant.id,
    environment: null,
    action: memberId === null ? 'member.invited' : 'recovery.issued',
    target: memberId ?? fresh.id,
    detail: { name, role },
    atMs: nowMs,
  });
  if (!isCreated) {
    throw problem('not_found');
  }
  const origin = call.config.publicBaseUrl ?? call.url.origin;
  return {
    id: fresh.id,
    url: `${origin}${invitationPath(fresh.token)}`,
    name,
    role,
    expiresAtMs: fresh.expiresAtMs,
    validHours: (memberId === null ? INVITATION_MS : RECOVERY_MS) / HOUR_MS,
  };
}
