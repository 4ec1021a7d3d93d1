import { found } from '../../../src/kit/http/problem.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
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
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall } from '../call.ts';
import { type Refusal, showPage } from '../frame.tsx';
import { notAllowed } from '../notices.tsx';
import { memberPath, TEAM_PATH } from '../paths.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { changeKnown, changePeople } from './audited.ts';
import { type Asked, confirmedPost, wrong } from './confirmation.ts';
import { MemberPage } from './member-page.tsx';
import { type NewLink, TeamPage } from './team-page.tsx';

const MEMBER = `${TEAM_PATH}/members/:member` as const;

/**
 * Inviting, recovering and promoting ask for the owner's passkey. Otherwise a stolen session could do
 * it, and refund as that member (docs/decisions.md#42). Also for viewers: their role may change while
 * a link is open.
 */
export const TEAM_ROUTES: readonly DashboardRoute[] = [
  get(TEAM_PATH, 'manage', (call) => answerTeam(call)),
  ...confirmedPost(`${TEAM_PATH}/invitations`, 'manage', 'invitation', readInvitation),
  post(`${TEAM_PATH}/invitations/:invitation/revoke`, 'manage', revokeOpenInvitation),
  get(MEMBER, 'manage', async (call) => answerMember(call, await namedMember(call))),
  ...confirmedPost(`${MEMBER}/role`, 'manage', 'role', readRoleChange),
  post(`${MEMBER}/remove`, 'manage', removeTeamMember),
  ...confirmedPost(`${MEMBER}/recovery`, 'manage', 'recovery', readRecovery),
  post(`${MEMBER}/sessions/revoke`, 'manage', revokeMemberSessions),
];

/** The whole page, with a new link, or with the form that was rejected. */
async function answerTeam(
  call: DashboardCall,
  { link = null, ...refusal }: { readonly link?: NewLink | null } & Refusal = {},
): Promise<Response> {
  const { session, env, nowMs, form } = call;
  const [members, invitations] = await Promise.all([
    membersOf(env.BACK_OFFICE_DB, session.merchantId),
    session.isSuspended ? [] : openInvitations(env.BACK_OFFICE_DB, session.merchantId, nowMs),
  ]);
  const typed =
    refusal.problems === undefined
      ? { name: '', role: null }
      : { name: form.text('name'), role: roleFrom(form.text('role')) };
  const page = <TeamPage {...{ members, invitations, typed, link }} />;
  return showPage(call, page, { at: TEAM_PATH, ...refusal });
}

/** What was wrong with a form about a member. */
function refusal(
  { language }: DashboardCall,
  problem: keyof DashboardMessages['team']['problems'],
) {
  const text = DASHBOARD_TEXTS[language].team.problems[problem];
  return { problems: [[null, text]], status: problem === 'unconfirmed' ? 403 : 400 } as const;
}

/** POST /dashboard/team/invitations: only this response contains the link. */
async function readInvitation(call: DashboardCall): Promise<Asked> {
  const name = nameFrom(call.form.text('name'));
  const role = roleFrom(call.form.text('role'));
  if (name === null || role === null) {
    const text = DASHBOARD_TEXTS[call.language].team.invite.problems;
    const fields = [
      ...(name === null ? ['name'] : []),
      ...(role === null ? ['role'] : []),
    ] as const;
    const problems = fields.map((field) => [field, text[field as keyof typeof text]] as const);
    return wrong(() => answerTeam(call, { problems }));
  }
  return {
    action: [name, role],
    run: async () => {
      const link = await makeLink(call, name, role, null);
      // Null: the member lost the owner role during the request.
      if (link === null) {
        throw notAllowed();
      }
      return answerTeam(call, { link });
    },
    refuse: () => answerTeam(call, refusal(call, 'unconfirmed')),
  };
}

/** POST /dashboard/team/invitations/:invitation/revoke */
async function revokeOpenInvitation(call: DashboardCall): Promise<Response> {
  const { session, nowMs, params } = call;
  const id = params.invitation ?? '';
  const change = revokeInvitation(session.merchantId, id, nowMs);
  const act = { action: 'invitation.revoked', target: id } as const;
  await changeKnown(call, change, act);
  return redirectTo(TEAM_PATH, { done: 'invitation_revoked' });
}

function answerMember(
  call: DashboardCall,
  member: Member,
  { link = null, ...refused }: { readonly link?: NewLink | null } & Refusal = {},
): Response {
  const page = <MemberPage member={member} link={link} />;
  return showPage(call, page, { at: memberPath(member.id), ...refused });
}

/** POST /dashboard/team/members/:member/role */
async function readRoleChange(call: DashboardCall): Promise<Asked> {
  const member = await namedMember(call);
  const { id, name } = member;
  const role = roleFrom(call.form.text('role'));
  if (role === null) {
    return wrong(() => answerMember(call, member, refusal(call, 'role')));
  }
  if (role === member.role) {
    return wrong(() => redirectTo(memberPath(id)));
  }
  if (isUnsure(call, member)) {
    return wrong(() => answerMember(call, member, refusal(call, 'unsure')));
  }
  return {
    action: [id, role],
    run: async () => {
      const isChanged = await changePeople(
        call,
        changeRole(changeOf(call, member), role),
        {
          action: 'member.role_changed',
          target: id,
          detail: { name, from: member.role, to: role },
        },
        [revokeInvitationsBy(id, call.nowMs)],
      );
      if (!isChanged) {
        return answerMember(call, member, refusal(call, 'last_owner'));
      }
      // A former owner may no longer see these pages.
      return id === call.session.memberId
        ? redirectTo('/dashboard')
        : redirectTo(memberPath(id), { done: 'role_changed' });
    },
    refuse: () => answerMember(call, member, refusal(call, 'unconfirmed')),
  };
}

/** POST /dashboard/team/members/:member/remove: sessions, passkeys and links end at once. */
async function removeTeamMember(call: DashboardCall): Promise<Response> {
  const member = await namedMember(call);
  if (isUnsure(call, member)) {
    return answerMember(call, member, refusal(call, 'unsure'));
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
    : answerMember(call, member, refusal(call, 'last_owner'));
}

/** POST /dashboard/team/members/:member/recovery: only this response contains the link. */
async function readRecovery(call: DashboardCall): Promise<Asked> {
  const member = await namedMember(call);
  return {
    action: [member.id],
    run: async () => {
      const link = await makeLink(call, member.name, member.role, member.id);
      // Null: during the request, the member was removed or the owner lost the role.
      if (link === null) {
        throw notAllowed();
      }
      return answerMember(call, member, { link });
    },
    refuse: () => answerMember(call, member, refusal(call, 'unconfirmed')),
  };
}

/** POST /dashboard/team/members/:member/sessions/revoke: one's own except the current one. */
async function revokeMemberSessions(call: DashboardCall): Promise<Response> {
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
