import { runBatch } from '../../database.ts';
import {
  invitationPath,
  newInvitation,
  openInvitations,
  revokeInvitation,
} from '../../members/invitations.ts';
import { membersOf, nameFrom } from '../../members/members.ts';
import { roleFrom } from '../../members/permissions.ts';
import { relyingPartyOf } from '../../members/verification.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { entryIfChanged } from './entries.ts';
import { type InvitationForm, type NewLink, TeamPage } from './team-page.tsx';

const PATH = '/dashboard/team';
const EMPTY_FORM: InvitationForm = { name: '', role: null, problems: [] };

/** GET /dashboard/team */
export async function showTeam(call: DashboardCall): Promise<Response> {
  return answerTeam(call, { form: EMPTY_FORM, link: null });
}

/** The whole page: with a link that was just made, or with a form that could not be taken. */
async function answerTeam(
  call: DashboardCall,
  { form, link }: { readonly form: InvitationForm; readonly link: NewLink | null },
): Promise<Response> {
  const { session, env, nowMs } = call;
  const [members, invitations] = await Promise.all([
    membersOf(env.DB, session.merchantId),
    openInvitations(env.DB, session.merchantId, nowMs),
  ]);
  const isPost = call.request.method === 'POST';
  const page = (
    <TeamPage
      // A form's own path cannot be fetched again by the page's links.
      call={{ ...call, url: new URL(isPost ? PATH : call.url, call.url) }}
      members={members}
      invitations={invitations}
      form={form}
      link={link}
    />
  );
  return answerPage(call, page, { status: form.problems.length > 0 ? 400 : 200 });
}

/** POST /dashboard/team/invitations: the link is in this answer and nowhere else. */
export async function inviteMember(call: DashboardCall): Promise<Response> {
  const { session, env, form, nowMs } = call;
  const name = nameFrom(form.text('name'));
  const role = roleFrom(form.text('role'));
  if (name === null || role === null) {
    const problems = [
      ...(name === null ? ['name' as const] : []),
      ...(role === null ? ['role' as const] : []),
    ];
    return answerTeam(call, { form: { name: form.text('name'), role, problems }, link: null });
  }
  const invitation = await newInvitation({
    merchantId: session.merchantId,
    name,
    role,
    memberId: null,
    invitedBy: actorOf(call),
    nowMs,
  });
  const [made] = await runBatch(env.DB, [
    invitation.statement,
    entryIfChanged(call, {
      action: 'member.invited',
      target: invitation.id,
      detail: { name, role },
    }),
  ]);
  if (made === 0) {
    return noticePage(call, 'not_allowed');
  }
  const url = `${relyingPartyOf(call).origin}${invitationPath(invitation.token)}`;
  const link: NewLink = { name, url, expiresAtMs: invitation.expiresAtMs, isRecovery: false };
  return answerTeam(call, { form: EMPTY_FORM, link });
}

/** POST /dashboard/team/invitations/:invitation/revoke */
export async function revokeOpenInvitation(call: DashboardCall): Promise<Response> {
  const { session, env, nowMs, params } = call;
  const id = params.invitation ?? '';
  const [changed] = await runBatch(env.DB, [
    revokeInvitation(session.merchantId, id, nowMs),
    entryIfChanged(call, { action: 'invitation.revoked', target: id }),
  ]);
  return changed === 0
    ? noticePage(call, 'not_found')
    : redirectTo(call, PATH, { done: 'invitation_revoked' });
}
