import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { Member } from '../../members/members.ts';
import { type FactRow, Facts, Section, When } from '../../ui/elements.tsx';
import { Choice } from '../../ui/fields.tsx';
import { isReadOnly, useCall } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { memberPath, TEAM_PATH } from '../paths.ts';
import { ConfirmedForm } from './passkey-form.tsx';
import { LinkOnce, type NewLink, RoleChoice } from './team-page.tsx';

/** One member, and what an owner can do about them. */
export function MemberPage(props: { readonly member: Member; readonly link: NewLink | null }) {
  const { member, link } = props;
  const text = useTexts(DASHBOARD_TEXTS).team;
  return (
    <Frame title={member.name} active="team" done={text.done}>
      <p>
        <a href={TEAM_PATH}>{text.member.allMembers}</a>
      </p>
      {link !== null && <LinkOnce link={link} />}
      <Section id="about" title={text.member.about}>
        <Facts rows={factsOf(member)} />
      </Section>
      {!isReadOnly(useCall()) && <Changes member={member} />}
    </Frame>
  );
}

function factsOf(member: Member): readonly FactRow[] {
  const text = useTexts(DASHBOARD_TEXTS).team.members;
  return [
    [text.role, useTexts(DASHBOARD_TEXTS).frame.role[member.role]],
    [text.joined, <When atMs={member.createdAtMs} />],
    [text.passkeys, String(member.passkeys)],
    [
      text.lastSeen,
      member.lastSeenAtMs === null ? text.never : <When atMs={member.lastSeenAtMs} />,
    ],
  ];
}

function Changes({ member }: { readonly member: Member }) {
  const call = useCall();
  const { member: text, confirmHint } = useTexts(DASHBOARD_TEXTS).team;
  const path = memberPath(member.id);
  const isOneself = member.id === call.session.memberId;
  return (
    <>
      <Section id="role-title" title={text.roleTitle}>
        <ConfirmedForm ceremony="role" path={`${path}/role`} hint={confirmHint}>
          <RoleChoice selected={member.role} />
          {isOneself && <Sure id="sure-role" />}
          <button type="submit">{text.saveRole}</button>
        </ConfirmedForm>
      </Section>
      <Section id="access-title" title={text.accessTitle}>
        {!isOneself && (
          <>
            <p class="hint">{text.recoveryLead}</p>
            <ConfirmedForm ceremony="recovery" path={`${path}/recovery`} hint={confirmHint}>
              <button type="submit">{text.recovery}</button>
            </ConfirmedForm>
          </>
        )}
        <p class="hint">{isOneself ? text.ownSessionsLead : text.sessionsLead}</p>
        <ButtonForm
          action={`${path}/sessions/revoke`}
          label={isOneself ? text.endOtherSessions : text.endSessions}
        />
      </Section>
      <Section id="remove-title" title={text.removeTitle}>
        <p class="hint">{text.removeLead}</p>
        <PostForm
          action={`${path}/remove`}
          class="form"
          confirm={{ question: text.confirmRemove(member.name), action: text.remove }}
        >
          {isOneself && <Sure id="sure-remove" />}
          <button class="bad" type="submit">
            {text.remove}
          </button>
        </PostForm>
      </Section>
    </>
  );
}

/** Owners must confirm these changes to themselves. */
function Sure({ id }: { readonly id: string }) {
  return (
    <Choice type="checkbox" id={id} name="sure" value="yes">
      {useTexts(DASHBOARD_TEXTS).team.member.sure}
    </Choice>
  );
}
