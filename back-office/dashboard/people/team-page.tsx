import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { OpenInvitation } from '../../members/invitations.ts';
import { type Member, NAME_LENGTH_MAX } from '../../members/members.ts';
import { ROLES, type Role } from '../../members/permissions.ts';
import { CopyText, Message, Section, Table, When } from '../../ui/elements.tsx';
import { Choice, FieldError, TextField, useProblem } from '../../ui/fields.tsx';
import { isReadOnly, useCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { memberPath, TEAM_PATH } from '../paths.ts';
import { ConfirmedForm } from './passkey-form.tsx';

/** A new link, shown only in this response. */
export interface NewLink {
  readonly name: string;
  readonly url: string;
  readonly expiresAtMs: number;
  readonly isRecovery: boolean;
}

/** The form to invite a member, as it was typed. */
interface Invited {
  readonly name: string;
  readonly role: Role | null;
}

/** The members, the pending links, and the form to invite. */
export function TeamPage(props: {
  readonly members: readonly Member[];
  readonly invitations: readonly OpenInvitation[];
  readonly typed: Invited;
  readonly link: NewLink | null;
}) {
  const { members, invitations, typed, link } = props;
  const text = useTexts(DASHBOARD_TEXTS).team;
  return (
    <Frame title={useTexts(DASHBOARD_TEXTS).frame.nav.team} active="team" done={text.done}>
      {link !== null && <LinkOnce link={link} />}
      <Section id="members" title={text.members.title}>
        <Members members={members} />
      </Section>
      {!isReadOnly(useCall()) && (
        <Section id="invite" title={text.invite.title}>
          <p class="hint">{text.invite.lead}</p>
          <InviteForm {...typed} />
        </Section>
      )}
      <Section id="invitations" title={text.invitations.title}>
        <Invitations invitations={invitations} />
      </Section>
    </Frame>
  );
}

/** Shown only in the response to the form. */
export function LinkOnce({ link }: { readonly link: NewLink }) {
  const text = useTexts(DASHBOARD_TEXTS).team.link;
  return (
    <Section id="new-link" title={text.title(link.name)}>
      <Message tone="good">{link.isRecovery ? text.recovery : text.invitation}</Message>
      <CopyText id="link" label={text.label} value={link.url} />
      <p class="hint">
        {text.until} <When atMs={link.expiresAtMs} />
      </p>
    </Section>
  );
}

function Members(props: { readonly members: readonly Member[] }) {
  const call = useCall();
  const { members } = props;
  const text = useTexts(DASHBOARD_TEXTS).team.members;
  return (
    <Table
      caption={text.title}
      columns={[text.name, text.role, text.passkeys, text.lastSeen, text.change]}
      empty={text.none}
      rows={members.map((member) => [
        <span>
          <strong>
            <bdi>{member.name}</bdi>
          </strong>
          {member.id === call.session.memberId && ` (${text.you})`}
        </span>,
        useTexts(DASHBOARD_TEXTS).frame.role[member.role],
        <span class="number">{member.passkeys}</span>,
        member.lastSeenAtMs === null ? text.never : <When atMs={member.lastSeenAtMs} />,
        <a class="button" href={memberPath(member.id)} aria-label={text.manageOne(member.name)}>
          {text.manage}
        </a>,
      ])}
    />
  );
}

function InviteForm({ name, role }: Invited) {
  const { invite: text, confirmHint } = useTexts(DASHBOARD_TEXTS).team;
  return (
    <ConfirmedForm ceremony="invitation" path={`${TEAM_PATH}/invitations`} hint={confirmHint}>
      <TextField
        id="name"
        label={text.name}
        hint={text.nameHint}
        value={name}
        maxlength={NAME_LENGTH_MAX}
      />
      <RoleChoice selected={role ?? 'viewer'} />
      <button class="primary" type="submit">
        {text.button}
      </button>
    </ConfirmedForm>
  );
}

/** The roles with their permissions, as radios: a select box has no room for them on a phone. */
export function RoleChoice({ selected }: { readonly selected: Role }) {
  const { signIn, team, frame } = useTexts(DASHBOARD_TEXTS);
  const error = useProblem('role');
  return (
    <fieldset
      aria-describedby={error ? 'role-error' : undefined}
      aria-invalid={error ? 'true' : undefined}
    >
      <legend>{team.invite.role}</legend>
      <FieldError id="role" error={error} />
      {ROLES.map((role, index) => (
        <Choice
          type="radio"
          name="role"
          id={index === 0 ? 'role' : undefined}
          value={role}
          checked={role === selected}
        >
          {signIn.roleAndMeaning(frame.role[role], signIn.roleMeans[role])}
        </Choice>
      ))}
    </fieldset>
  );
}

function Invitations(props: { readonly invitations: readonly OpenInvitation[] }) {
  const call = useCall();
  const { invitations } = props;
  const text = useTexts(DASHBOARD_TEXTS).team.invitations;
  return (
    <Table
      caption={text.title}
      columns={[text.name, text.role, text.kind, text.by, text.until, text.change]}
      empty={text.none}
      rows={invitations.map((invitation) => [
        <strong>
          <bdi>{invitation.name}</bdi>
        </strong>,
        useTexts(DASHBOARD_TEXTS).frame.role[invitation.role],
        invitation.memberId === null ? text.newMember : text.newPasskey,
        invitation.invitedBy,
        <When atMs={invitation.expiresAtMs} />,
        isReadOnly(call) ? (
          ''
        ) : (
          <ButtonForm
            action={`${TEAM_PATH}/invitations/${invitation.id}/revoke`}
            label={text.revoke}
            describedAs={text.revokeOne(invitation.name)}
            tone="bad"
          />
        ),
      ])}
    />
  );
}
