import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { OpenInvitation } from '../../members/invitations.ts';
import { type Member, NAME_LENGTH_MAX } from '../../members/members.ts';
import { ROLES, type Role } from '../../members/permissions.ts';
import {
  CopyText,
  DoneMessage,
  Message,
  ProblemList,
  Section,
  Table,
  TextField,
  When,
} from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
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

/** The typed values, to show again. */
export interface InvitationForm {
  readonly name: string;
  readonly role: Role | null;
  readonly problems: readonly ('name' | 'role' | 'unconfirmed')[];
}

/** The members, the pending links, and the form to invite. */
export function TeamPage(props: {
  readonly call: DashboardCall;
  readonly members: readonly Member[];
  readonly invitations: readonly OpenInvitation[];
  readonly form: InvitationForm;
  readonly link: NewLink | null;
}) {
  const { call, members, invitations, form, link } = props;
  const text = DASHBOARD_TEXTS[call.language].team;
  const problems = form.problems.map((problem) =>
    problem === 'unconfirmed'
      ? ([null, text.problems.unconfirmed] as const)
      : ([`#${problem}`, text.invite.problems[problem]] as const),
  );
  return (
    <Frame call={call} title={DASHBOARD_TEXTS[call.language].frame.nav.team} active="team">
      <DoneMessage call={call} texts={text.done} />
      <ProblemList call={call} problems={problems} />
      {link !== null && <LinkOnce call={call} link={link} />}
      <Section id="members" title={text.members.title}>
        <Members call={call} members={members} />
      </Section>
      {!call.session.isSuspended && (
        <Section id="invite" title={text.invite.title}>
          <p class="hint">{text.invite.lead}</p>
          <InviteForm call={call} form={form} />
        </Section>
      )}
      <Section id="invitations" title={text.invitations.title}>
        <Invitations call={call} invitations={invitations} />
      </Section>
    </Frame>
  );
}

/** Shown only in the response to the form. */
export function LinkOnce({ call, link }: { readonly call: DashboardCall; readonly link: NewLink }) {
  const text = DASHBOARD_TEXTS[call.language].team.link;
  return (
    <Section id="new-link" title={text.title(link.name)}>
      <Message tone="good">{link.isRecovery ? text.recovery : text.invitation}</Message>
      <CopyText call={call} id="link" label={text.label} value={link.url} />
      <p class="hint">
        {text.until} <When call={call} atMs={link.expiresAtMs} />
      </p>
    </Section>
  );
}

function Members(props: { readonly call: DashboardCall; readonly members: readonly Member[] }) {
  const { call, members } = props;
  const text = DASHBOARD_TEXTS[call.language].team.members;
  return (
    <Table
      caption={text.title}
      columns={[text.name, text.role, text.passkeys, text.lastSeen, text.change]}
      empty={text.none}
      rows={members.map((member) => [
        <span>
          <strong>{member.name}</strong>
          {member.id === call.session.memberId && ` (${text.you})`}
        </span>,
        DASHBOARD_TEXTS[call.language].frame.role[member.role],
        <span class="number">{member.passkeys}</span>,
        member.lastSeenAtMs === null ? text.never : <When call={call} atMs={member.lastSeenAtMs} />,
        <a class="button" href={memberPath(member.id)} aria-label={text.manageOne(member.name)}>
          {text.manage}
        </a>,
      ])}
    />
  );
}

function InviteForm(props: { readonly call: DashboardCall; readonly form: InvitationForm }) {
  const { call, form } = props;
  const { invite: text, confirmHint } = DASHBOARD_TEXTS[call.language].team;
  const errorOf = (field: 'name' | 'role') =>
    form.problems.includes(field) ? text.problems[field] : null;
  return (
    <ConfirmedForm
      call={call}
      ceremony="invitation"
      path={`${TEAM_PATH}/invitations`}
      hint={confirmHint}
    >
      <TextField
        id="name"
        label={text.name}
        hint={text.nameHint}
        error={errorOf('name')}
        value={form.name}
        maxlength={NAME_LENGTH_MAX}
      />
      <RoleChoice call={call} selected={form.role ?? 'viewer'} error={errorOf('role')} />
      <button class="primary" type="submit">
        {text.button}
      </button>
    </ConfirmedForm>
  );
}

/** The roles with their permissions, as radios: a select box has no room for them on a phone. */
export function RoleChoice(props: {
  readonly call: DashboardCall;
  readonly selected: Role;
  readonly error?: string | null;
}) {
  const { call, selected, error } = props;
  const { roleAndMeaning, roleMeans } = DASHBOARD_TEXTS[call.language].signIn;
  return (
    <fieldset
      aria-describedby={error ? 'role-error' : undefined}
      aria-invalid={error ? 'true' : undefined}
    >
      <legend>{DASHBOARD_TEXTS[call.language].team.invite.role}</legend>
      {error && (
        <p class="error" id="role-error">
          {error}
        </p>
      )}
      {ROLES.map((role, index) => (
        <label class="choice">
          <input
            type="radio"
            name="role"
            id={index === 0 ? 'role' : undefined}
            value={role}
            checked={role === selected}
          />
          {roleAndMeaning(DASHBOARD_TEXTS[call.language].frame.role[role], roleMeans[role])}
        </label>
      ))}
    </fieldset>
  );
}

function Invitations(props: {
  readonly call: DashboardCall;
  readonly invitations: readonly OpenInvitation[];
}) {
  const { call, invitations } = props;
  const text = DASHBOARD_TEXTS[call.language].team.invitations;
  return (
    <Table
      caption={text.title}
      columns={[text.name, text.role, text.kind, text.by, text.until, text.change]}
      empty={text.none}
      rows={invitations.map((invitation) => [
        <strong>{invitation.name}</strong>,
        DASHBOARD_TEXTS[call.language].frame.role[invitation.role],
        invitation.memberId === null ? text.newMember : text.newPasskey,
        invitation.invitedBy,
        <When call={call} atMs={invitation.expiresAtMs} />,
        call.session.isSuspended ? (
          ''
        ) : (
          <ButtonForm
            call={call}
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
