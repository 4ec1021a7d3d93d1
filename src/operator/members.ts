import { prepare } from '../database.ts';
import { successResponse } from '../http/envelope.ts';
import { oneOf } from '../http/fields.ts';
import { found, problem } from '../http/problem.ts';
import {
  INVITATION_MS,
  invitationPath,
  newInvitation,
  openInvitations,
  RECOVERY_MS,
} from '../members/invitations.ts';
import { NAME_LENGTH_MAX } from '../members/members.ts';
import { ROLES, type Role } from '../members/permissions.ts';
import { changeAudited } from './audited.ts';
import type { OperatorCall } from './call.ts';
import { knownMerchant } from './merchants.ts';
import { body, lineField, readBody } from './schema.ts';

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

/** GET …/members: the merchant's members and open links. */
export async function listMembers(call: OperatorCall): Promise<Response> {
  const { id } = await knownMerchant(call);
  const sql = `${MEMBERS_SQL} ORDER BY created_at_ms DESC LIMIT ${MEMBERS_SHOWN_MAX}`;
  const { results } = await prepare(call.env.DB, { sql, params: [id] }).all<MemberRow>();
  const invitations = await openInvitations(call.env.DB, id, call.nowMs);
  return successResponse('Members', { members: results, invitations });
}

const invitation = body({ name: lineField(NAME_LENGTH_MAX), role: oneOf(ROLES) });

/** POST …/invitations: a one-time link for a new member. Only this answer contains it. */
export async function inviteMember(call: OperatorCall): Promise<Response> {
  const { name, role } = await readBody(call.request, invitation);
  const merchant = await knownMerchant(call);
  return link(call, { merchant, memberId: null, name, role });
}

/** POST …/members/{id}/recovery: a one-time link to a new passkey for a member who lost theirs. */
export async function recoverMember(call: OperatorCall): Promise<Response> {
  await readBody(call.request, body({}));
  const merchant = await knownMerchant(call);
  const sql = `${MEMBERS_SQL} AND id = ?2`;
  const params = [merchant.id, call.params.memberId ?? ''];
  const member = found(await prepare(call.env.DB, { sql, params }).first<MemberRow>());
  return link(call, { merchant, memberId: member.id, name: member.name, role: member.role });
}

interface LinkRequest {
  readonly merchant: { readonly id: string; readonly status: string };
  readonly memberId: string | null;
  readonly name: string;
  readonly role: Role;
}

async function link(call: OperatorCall, request: LinkRequest): Promise<Response> {
  const { merchant, memberId, name, role } = request;
  if (merchant.status === 'suspended') {
    throw problem('merchant_suspended');
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
  const isCreated = await changeAudited(call, fresh.statement, {
    merchantId: merchant.id,
    environment: null,
    action: memberId === null ? 'member.invited' : 'recovery.issued',
    target: memberId ?? fresh.id,
    detail: { name, role },
  });
  if (!isCreated) {
    throw problem('not_found');
  }
  const origin = call.config.publicBaseUrl ?? call.url.origin;
  return successResponse('Link created. It is shown only once', {
    id: fresh.id,
    url: `${origin}${invitationPath(fresh.token)}`,
    name,
    role,
    expiresAtMs: fresh.expiresAtMs,
    validHours: (memberId === null ? INVITATION_MS : RECOVERY_MS) / HOUR_MS,
  });
}
