import { found, problem } from '../../../src/http/problem.ts';
import {
  invitationPath,
  newInvitation,
  openInvitations,
  revokeInvitation,
} from '../../members/invitations.ts';
import {
  afterRemoval,
  changeRole,
  findMember,
  type Member,
  type MemberChange,
  membersOf,
  nameFrom,
  removeMember,
  revokeInvitationsBy,
} from '../../members/members.ts';
import { type Role, roleFrom } from '../../members/permissions.ts';
import { revokeOtherSessions, revokeSessionsOf } from '../../members/sessions.ts';
import { relyingPartyOf } from '../../members/verification.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, shownAt } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { memberPath, TEAM_PATH } from '../paths.ts';
import { changePeople } from './audited.ts';
import { isConfirmed, offerConfirmation } from './confirmation.ts';
import { MemberPage, type MemberProblem } from './member-page.tsx';
import { type InvitationForm, type NewLink, TeamPage } from './team-page.tsx';

const EMPTY_FORM: InvitationForm = { name: '', role: null, problems: [] };

/** GET /dashboard/team */
export async function showTeam(call: DashboardCall): Promise<Response> {
  return answerTeam(call, EMPTY_FORM, null);
}

/** The whole page, with a new link or a rejected form. */
async function answerTeam(
  call: DashboardCall,
  form: InvitationForm,
  link: NewLink | null,
): Promise<Response> {
  const { session, env, nowMs } = call;
  const [members, invitations] = await Promise.all([
    membersOf(env.BACK_OFFICE_DB, session.merchantId),
    session.isSuspended ? [] : openInvitations(env.BACK_OFFICE_DB, session.merchantId, nowMs),
  ]);
  const page = (
    <TeamPage
      call={shownAt(call, TEAM_PATH)}
      members={members}
      invitations={invitations}
      form={form}
      link={link}
    />
  );
  return answerPage(call, page, { status: statusOf(form.problems[0]) });
}

function statusOf(problem: MemberProblem | 'name' | undefined): number {
  switch (problem) {
    case undefined:
      return 200;
    case 'unconfirmed':
      return 403;
    default:
      return 400;
  }
}

/**
 * POST /dashboard/team/invitations/options: asks for the owner's passkey. Otherwise a stolen session
 * could invite, recover or promote a member, and refund as that member (docs/decisions.md#42). Also
 * for viewers: their role may change while a link is open.
 */
export async function beginInvite(call: DashboardCall): Promise<Response> {
  const { name, role } = readInvitation(call);
  const isValid = name !== null && role !== null;
  return offerConfirmation(call, 'invitation', isValid ? [name, role] : null);
}

/** POST /dashboard/team/invitations: only this response contains the link. */
export async function inviteMember(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('name');
  const read = readInvitation(call);
  const { name, role } = read;
  if (name === null || role === null) {
    const problems = (['name', 'role'] as const).filter((field) => read[field] === null);
    return answerTeam(call, { name: typed, role, problems }, null);
  }
  if (!(await isConfirmed(call, 'invitation', [name, role]))) {
    return answerTeam(call, { name: typed, role, problems: ['unconfirmed'] }, null);
  }
  const link = await makeLink(call, name, role, null);
  // Null: the member lost the owner role during the request.
  return link === null ? noticePage(call, 'not_allowed') : answerTeam(call, EMPTY_FORM, link);
}

function readInvitation({ form }: DashboardCall) {
  return { name: nameFrom(form.text('name')), role: roleFrom(form.text('role')) };
}

/** POST /dashboard/team/invitations/:invitation/revoke */
export async function revokeOpenInvitation(call: DashboardCall): Promise<Response> {
  const { session, nowMs, params } = call;
  const id = params.invitation ?? '';
  const change = revokeInvitation(session.merchantId, id, nowMs);
  const act = { action: 'invitation.revoked', target: id } as const;
  if (!(await changePeople(call, change, act))) {
    throw problem('not_found');
  }
  return redirectTo(TEAM_PATH, { done: 'invitation_revoked' });
}

/** GET /dashboard/team/members/:member */
export async function showMember(call: DashboardCall): Promise<Response> {
  return answerMember(call, await namedMember(call), {});
}

function answerMember(
  call: DashboardCall,
  member: Member,
  { problem, link }: { readonly problem?: MemberProblem; readonly link?: NewLink },
): Response {
  const page = (
    <MemberPage
      call={shownAt(call, memberPath(member.id))}
      member={member}
      problem={problem ?? null}
      link={link ?? null}
    />
  );
  return answerPage(call, page, { status: statusOf(problem) });
}

/** POST /dashboard/team/members/:member/role/options: asks for the owner's passkey. */
export async function beginChangeRole(call: DashboardCall): Promise<Response> {
  const member = await namedMember(call);
  const role = roleFrom(call.form.text('role'));
  const isAsked = role !== null && role !== member.role && !isUnsure(call, member);
  return offerConfirmation(call, 'role', isAsked ? [member.id, role] : null);
}

/** POST /dashboard/team/members/:member/role */
export async function changeMemberRole(call: DashboardCall): Promise<Response> {
  const member = await namedMember(call);
  const { id, name } = member;
  const role = roleFrom(call.form.text('role'));
  if (role === null) {
    return answerMember(call, member, { problem: 'role' });
  }
  if (role === member.role) {
    return redirectTo(memberPath(id));
  }
  if (isUnsure(call, member)) {
    return answerMember(call, member, { problem: 'unsure' });
  }
  if (!(await isConfirmed(call, 'role', [id, role]))) {
    return answerMember(call, member, { problem: 'unconfirmed' });
  }
  const detail = { name, from: member.role, to: role };
  const isChanged = await changePeople(
    call,
    changeRole(changeOf(call, member), role),
    { action: 'member.role_changed', target: id, detail },
    [revokeInvitationsBy(id, call.nowMs)],
  );
  if (!isChanged) {
    return answerMember(call, member, { problem: 'last_owner' });
  }
  // A former owner may no longer see these pages.
  return id === call.session.memberId
    ? redirectTo('/dashboard')
    : redirectTo(memberPath(id), { done: 'role_changed' });
}

/** POST /dashboard/team/members/:member/remove: sessions, passkeys and links end at once. */
export async function removeTeamMember(call: DashboardCall): Promise<Response> {
  const member = await namedMember(call);
  if (isUnsure(call, member)) {
    return answerMember(call, member, { problem: 'unsure' });
  }
  const { id, name, role } = member;
  const isRemoved = await changePeople(
    call,
    removeMember(changeOf(call, member), call.nowMs),
    { action: 'member.removed', target: id, detail: { name, role } },
    [...afterRemoval(id, call.nowMs), revokeInvitationsBy(id, call.nowMs)],
  );
  return isRemoved
    ? redirectTo(TEAM_PATH, { done: 'member_removed' })
    : answerMember(call, member, { problem: 'last_owner' });
}

/** POST /dashboard/team/members/:member/recovery/options: asks for the owner's passkey. */
export async function beginRecovery(call: DashboardCall): Promise<Response> {
  const { id } = await namedMember(call);
  return offerConfirmation(call, 'recovery', [id]);
}

/** POST /dashboard/team/members/:member/recovery: only this response contains the link. */
export async function issueRecovery(call: DashboardCall): Promise<Response> {
  const member = await namedMember(call);
  if (!(await isConfirmed(call, 'recovery', [member.id]))) {
    return answerMember(call, member, { problem: 'unconfirmed' });
  }
  const link = await makeLink(call, member.name, member.role, member.id);
  // Null: during the request, the member was removed or the owner lost the role.
  return link === null ? noticePage(call, 'not_allowed') : answerMember(call, member, { link });
}

/** POST /dashboard/team/members/:member/sessions/revoke: one's own except the current one. */
export async function revokeMemberSessions(call: DashboardCall): Promise<Response> {
  const { id, name } = await namedMember(call);
  const { session, nowMs } = call;
  const isOneself = id === session.memberId;
  const change = isOneself
    ? revokeOtherSessions(id, session.id, nowMs)
    : revokeSessionsOf(id, nowMs);
  const detail = { name, which: isOneself ? 'others' : 'all' };
  await changePeople(call, change, {
    action: 'session.revoked',
    target: id,
    detail,
  });
  return redirectTo(memberPath(id), { done: 'sessions_revoked' });
}

/**
 * A link for a new member, or for the member with that id who lost their passkey; null if not
 * created.
 */
async function makeLink(
  call: DashboardCall,
  name: string,
  role: Role,
  memberId: string | null,
): Promise<NewLink | null> {
  const { id, token, statement, expiresAtMs } = await newInvitation({
    merchantId: call.session.merchantId,
    name,
    role,
    memberId,
    invitedBy: actorOf(call),
    nowMs: call.nowMs,
  });
  const isMade = await changePeople(call, statement, {
    action: memberId === null ? 'member.invited' : 'recovery.issued',
    target: memberId ?? id,
    detail: memberId === null ? { name, role } : { name, invitation: id },
  });
  const url = `${relyingPartyOf(call).origin}${invitationPath(token)}`;
  return isMade ? { name, url, expiresAtMs, isRecovery: memberId !== null } : null;
}

async function namedMember({ env, session, params }: DashboardCall): Promise<Member> {
  return found(await findMember(env.BACK_OFFICE_DB, session.merchantId, params.member ?? ''));
}

function changeOf({ session }: DashboardCall, { id }: Member): MemberChange {
  return { merchantId: session.merchantId, memberId: id, actorId: session.memberId };
}

/** Owners who give up their own rights must select a checkbox first. */
function isUnsure({ session, form }: DashboardCall, { id }: Member): boolean {
  return id === session.memberId && !form.has('sure');
}
