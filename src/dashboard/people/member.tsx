import { runBatch } from '../../database.ts';
import { invitationPath, newInvitation } from '../../members/invitations.ts';
import {
  afterRemoval,
  changeRole,
  findMember,
  type Member,
  type MemberChange,
  removeMember,
  revokeInvitationsBy,
} from '../../members/members.ts';
import { roleFrom } from '../../members/permissions.ts';
import { revokeOtherSessions, revokeSessionsOf } from '../../members/sessions.ts';
import { relyingPartyOf } from '../../members/verification.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { entryIfChanged } from './entries.ts';
import { MemberPage, type MemberProblem } from './member-page.tsx';
import type { NewLink } from './team-page.tsx';

/** GET /dashboard/team/members/:member */
export async function showMember(call: DashboardCall): Promise<Response> {
  const member = await memberOf(call);
  return member === null ? noticePage(call, 'not_found') : answerMember(call, member, {});
}

interface Outcome {
  readonly problem?: MemberProblem;
  readonly link?: NewLink;
}

function answerMember(call: DashboardCall, member: Member, { problem, link }: Outcome): Response {
  const isPost = call.request.method === 'POST';
  const page = (
    <MemberPage
      // A form's own path cannot be fetched again by the page's links.
      call={{ ...call, url: new URL(isPost ? pathOf(member.id) : call.url, call.url) }}
      member={member}
      problem={problem ?? null}
      link={link ?? null}
    />
  );
  return answerPage(call, page, { status: problem === undefined ? 200 : 400 });
}

/** POST /dashboard/team/members/:member/role */
export async function changeMemberRole(call: DashboardCall): Promise<Response> {
  const member = await memberOf(call);
  if (member === null) {
    return noticePage(call, 'not_found');
  }
  const role = roleFrom(call.form.text('role'));
  if (role === null) {
    return answerMember(call, member, { problem: 'role' });
  }
  if (role === member.role) {
    return redirectTo(call, pathOf(member.id));
  }
  if (isUnsure(call, member)) {
    return answerMember(call, member, { problem: 'unsure' });
  }
  const [changed] = await runBatch(call.env.DB, [
    changeRole(changeOf(call, member), role),
    entryIfChanged(call, {
      action: 'member.role_changed',
      target: member.id,
      detail: { name: member.name, from: member.role, to: role },
    }),
    revokeInvitationsBy(member.id, call.nowMs),
  ]);
  if (changed === 0) {
    return answerMember(call, member, { problem: 'last_owner' });
  }
  // Whoever is no owner any more has no business on these pages.
  return member.id === call.session.memberId
    ? redirectTo(call, '/dashboard')
    : redirectTo(call, pathOf(member.id), { done: 'role_changed' });
}

/** POST /dashboard/team/members/:member/remove: sessions, passkeys and links end at once. */
export async function removeTeamMember(call: DashboardCall): Promise<Response> {
  const member = await memberOf(call);
  if (member === null) {
    return noticePage(call, 'not_found');
  }
  if (isUnsure(call, member)) {
    return answerMember(call, member, { problem: 'unsure' });
  }
  const [changed] = await runBatch(call.env.DB, [
    removeMember(changeOf(call, member), call.nowMs),
    entryIfChanged(call, {
      action: 'member.removed',
      target: member.id,
      detail: { name: member.name, role: member.role },
    }),
    ...afterRemoval(member.id, call.nowMs),
    revokeInvitationsBy(member.id, call.nowMs),
  ]);
  return changed === 0
    ? answerMember(call, member, { problem: 'last_owner' })
    : redirectTo(call, '/dashboard/team', { done: 'member_removed' });
}

/** POST /dashboard/team/members/:member/recovery: the link is in this answer and nowhere else. */
export async function issueRecovery(call: DashboardCall): Promise<Response> {
  const member = await memberOf(call);
  if (member === null) {
    return noticePage(call, 'not_found');
  }
  const { session, env, nowMs } = call;
  const { name, role } = member;
  const recovery = await newInvitation({
    merchantId: session.merchantId,
    name,
    role,
    memberId: member.id,
    invitedBy: actorOf(call),
    nowMs,
  });
  const [changed] = await runBatch(env.DB, [
    recovery.statement,
    entryIfChanged(call, {
      action: 'recovery.issued',
      target: member.id,
      detail: { name, invitation: recovery.id },
    }),
  ]);
  if (changed === 0) {
    // One of the two is gone, or no owner any more, since the request began.
    return noticePage(call, 'not_allowed');
  }
  const url = `${relyingPartyOf(call).origin}${invitationPath(recovery.token)}`;
  const link: NewLink = { name, url, expiresAtMs: recovery.expiresAtMs, isRecovery: true };
  return answerMember(call, member, { link });
}

/** POST /dashboard/team/members/:member/sessions/revoke: of oneself all but this one. */
export async function revokeMemberSessions(call: DashboardCall): Promise<Response> {
  const member = await memberOf(call);
  if (member === null) {
    return noticePage(call, 'not_found');
  }
  const { session, env, nowMs } = call;
  const isOneself = member.id === session.memberId;
  await runBatch(env.DB, [
    isOneself
      ? revokeOtherSessions(member.id, session.id, nowMs)
      : revokeSessionsOf(member.id, nowMs),
    entryIfChanged(call, {
      action: 'session.revoked',
      target: member.id,
      detail: { name: member.name, which: isOneself ? 'others' : 'all' },
    }),
  ]);
  return redirectTo(call, pathOf(member.id), { done: 'sessions_revoked' });
}

function memberOf({ env, session, params }: DashboardCall): Promise<Member | null> {
  return findMember(env.DB, session.merchantId, params.member ?? '');
}

function changeOf({ session }: DashboardCall, { id }: Member): MemberChange {
  return { merchantId: session.merchantId, memberId: id, actorId: session.memberId };
}

/** Owners who take their own rights away must have said so. */
function isUnsure({ session, form }: DashboardCall, { id }: Member): boolean {
  return id === session.memberId && !form.has('sure');
}

function pathOf(id: string): `/dashboard/team/members/${string}` {
  return `/dashboard/team/members/${id}`;
}
