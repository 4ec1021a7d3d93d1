import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import type { Member } from '../../members/members.ts';
import { Facts, Message, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { LinkOnce, type NewLink, RoleChoice } from './team-page.tsx';

export type MemberProblem = keyof DashboardMessages['team']['problems'];

/** One member, and what an owner can do about them. */
export function MemberPage(props: {
  readonly call: DashboardCall;
  readonly member: Member;
  readonly problem: MemberProblem | null;
  readonly link: NewLink | null;
}) {
  const { call, member, problem, link } = props;
  const text = DASHBOARD_TEXTS[call.language].team;
  const done = call.url.searchParams.get('done');
  const said = Object.entries(text.done).find(([word]) => word === done)?.[1];
  return (
    <Frame call={call} title={member.name} active="team">
      <p>
        <a href="/dashboard/team">{text.member.allMembers}</a>
      </p>
      {problem !== null && <Message tone="bad">{text.problems[problem]}</Message>}
      {problem === null && said !== undefined && <Message tone="good">{said}</Message>}
      {link !== null && <LinkOnce call={call} link={link} />}
      <section class="card" aria-labelledby="about">
        <h2 id="about">{text.member.about}</h2>
        <Facts rows={factsOf(call, member)} />
      </section>
      {!call.session.isSuspended && <Changes call={call} member={member} />}
    </Frame>
  );
}

function factsOf(call: DashboardCall, member: Member): Parameters<typeof Facts>[0]['rows'] {
  const text = DASHBOARD_TEXTS[call.language].team.members;
  return [
    [text.role, DASHBOARD_TEXTS[call.language].frame.role[member.role]],
    [text.joined, <When call={call} atMs={member.createdAtMs} />],
    [text.passkeys, String(member.passkeys)],
    [
      text.lastSeen,
      member.lastSeenAtMs === null ? text.never : <When call={call} atMs={member.lastSeenAtMs} />,
    ],
  ];
}

function Changes({ call, member }: { readonly call: DashboardCall; readonly member: Member }) {
  const text = DASHBOARD_TEXTS[call.language].team.member;
  const path = `/dashboard/team/members/${member.id}`;
  const isOneself = member.id === call.session.memberId;
  return (
    <>
      <section class="card" aria-labelledby="role-title">
        <h2 id="role-title">{text.roleTitle}</h2>
        <form class="form" method="post" action={`${path}/role`}>
          <CsrfField session={call.session} />
          <RoleChoice call={call} selected={member.role} />
          {isOneself && <Sure call={call} id="sure-role" />}
          <button type="submit">{text.saveRole}</button>
        </form>
      </section>
      <section class="card" aria-labelledby="access-title">
        <h2 id="access-title">{text.accessTitle}</h2>
        {!isOneself && (
          <>
            <p class="hint">{text.recoveryLead}</p>
            <ButtonForm call={call} action={`${path}/recovery`} label={text.recovery} />
          </>
        )}
        <p class="hint">{isOneself ? text.ownSessionsLead : text.sessionsLead}</p>
        <ButtonForm
          call={call}
          action={`${path}/sessions/revoke`}
          label={isOneself ? text.endOtherSessions : text.endSessions}
        />
      </section>
      <section class="card" aria-labelledby="remove-title">
        <h2 id="remove-title">{text.removeTitle}</h2>
        <p class="hint">{text.removeLead}</p>
        <form
          class="form"
          method="post"
          action={`${path}/remove`}
          data-confirm={text.confirmRemove(member.name)}
        >
          <CsrfField session={call.session} />
          {isOneself && <Sure call={call} id="sure-remove" />}
          <button class="bad" type="submit">
            {text.remove}
          </button>
        </form>
      </section>
    </>
  );
}

/** Without it, owners do nothing of this to themselves. */
function Sure({ call, id }: { readonly call: DashboardCall; readonly id: string }) {
  return (
    <label class="choice" for={id}>
      <input type="checkbox" id={id} name="sure" value="yes" />
      {DASHBOARD_TEXTS[call.language].team.member.sure}
    </label>
  );
}
