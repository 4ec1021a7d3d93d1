import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { Member } from '../../members/members.ts';
import { DoneMessage, type FactRow, Facts, Message, Section, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { memberPath, TEAM_PATH } from '../paths.ts';
import { ConfirmedForm } from './passkey-form.tsx';
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
  return (
    <Frame call={call} title={member.name} active="team">
      <p>
        <a href={TEAM_PATH}>{text.member.allMembers}</a>
      </p>
      {problem === null ? (
        <DoneMessage call={call} texts={text.done} />
      ) : (
        <Message tone="bad">{text.problems[problem]}</Message>
      )}
      {link !== null && <LinkOnce call={call} link={link} />}
      <Section id="about" title={text.member.about}>
        <Facts rows={factsOf(call, member)} />
      </Section>
      {!call.session.isSuspended && <Changes call={call} member={member} />}
    </Frame>
  );
}

function factsOf(call: DashboardCall, member: Member): readonly FactRow[] {
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
  const { member: text, confirmHint } = DASHBOARD_TEXTS[call.language].team;
  const path = memberPath(member.id);
  const isOneself = member.id === call.session.memberId;
  return (
    <>
      <Section id="role-title" title={text.roleTitle}>
        <ConfirmedForm call={call} ceremony="role" path={`${path}/role`} hint={confirmHint}>
          <RoleChoice call={call} selected={member.role} />
          {isOneself && <Sure call={call} id="sure-role" />}
          <button type="submit">{text.saveRole}</button>
        </ConfirmedForm>
      </Section>
      <Section id="access-title" title={text.accessTitle}>
        {!isOneself && (
          <>
            <p class="hint">{text.recoveryLead}</p>
            <ConfirmedForm
              call={call}
              ceremony="recovery"
              path={`${path}/recovery`}
              hint={confirmHint}
            >
              <button type="submit">{text.recovery}</button>
            </ConfirmedForm>
          </>
        )}
        <p class="hint">{isOneself ? text.ownSessionsLead : text.sessionsLead}</p>
        <ButtonForm
          call={call}
          action={`${path}/sessions/revoke`}
          label={isOneself ? text.endOtherSessions : text.endSessions}
        />
      </Section>
      <Section id="remove-title" title={text.removeTitle}>
        <p class="hint">{text.removeLead}</p>
        <PostForm
          call={call}
          action={`${path}/remove`}
          class="form"
          confirm={text.confirmRemove(member.name)}
        >
          {isOneself && <Sure call={call} id="sure-remove" />}
          <button class="bad" type="submit">
            {text.remove}
          </button>
        </PostForm>
      </Section>
    </>
  );
}

/** Owners must confirm these changes to themselves. */
function Sure({ call, id }: { readonly call: DashboardCall; readonly id: string }) {
  return (
    <label class="choice" for={id}>
      <input type="checkbox" id={id} name="sure" value="yes" />
      {DASHBOARD_TEXTS[call.language].team.member.sure}
    </label>
  );
}
