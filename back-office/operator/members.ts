import type * as v from 'valibot';
import { runAudited } from '../../src/audit/log.ts';
import { prepare } from '../../src/database.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { oneOf } from '../../src/http/fields.ts';
import { found, problem } from '../../src/http/problem.ts';
import {
  INVITATION_MS,
  invitationPath,
  newInvitation,
  openInvitations,
  RECOVERY_MS,
} from '../members/invitations.ts';
import { NAME_LENGTH_MAX } from '../members/members.ts';
import { ROLES, type Role } from '../members/permissions.ts';
import type { OperatorCall } from './call.ts';
import { knownMerchant } from './merchants.ts';
import { operatorProblem } from './problems.ts';
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

/** GET …/members */
export async function listMembers(call: OperatorCall): Promise<Response> {
  return successResponse('Members', await readMembers(call, await knownMerchant(call)));
}

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

export const invitationFields = body({ name: lineField(NAME_LENGTH_MAX), role: oneOf(ROLES) });

/** POST …/invitations: only this answer contains the link. */
export async function inviteMember(call: OperatorCall): Promise<Response> {
  return linkResponse(await invite(call, await readBody(call.request, invitationFields)));
}

/** A one-time link for a new member. Problem 409 while the merchant is suspended. */
export async function invite(
  call: OperatorCall,
  { name, role }: v.InferOutput<typeof invitationFields>,
): Promise<MemberLink> {
  const merchant = await knownMerchant(call);
  return link(call, { merchant, memberId: null, name, role });
}

/** POST …/members/{id}/recovery: a one-time link to a new passkey for a member who lost theirs. */
export async function recoverMember(call: OperatorCall): Promise<Response> {
  await readBody(call.request, body({}));
  const merchant = await knownMerchant(call);
  const sql = `${MEMBERS_SQL} AND id = ?2`;
  const params = [merchant.id, call.params.memberId ?? ''];
  const member = found(await prepare(call.env.BACK_OFFICE_DB, { sql, params }).first<MemberRow>());
  const { id: memberId, name, role } = member;
  return linkResponse(await link(call, { merchant, memberId, name, role }));
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

function linkResponse(link: MemberLink): Response {
  return successResponse('Link created. It is shown only once', link);
}

async function link(call: OperatorCall, request: LinkRequest): Promise<MemberLink> {
  const { merchant, memberId, name, role } = request;
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
