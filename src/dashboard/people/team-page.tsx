import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { OpenInvitation } from '../../members/invitations.ts';
import { type Member, NAME_LENGTH_MAX } from '../../members/members.ts';
import { ROLES, type Role } from '../../members/permissions.ts';
import { CopyText, Field, Message, Table, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';

/** A link to show this once. */
export interface NewLink {
  readonly name: string;
  readonly url: string;
  readonly expiresAtMs: number;
  readonly isRecovery: boolean;
}

/** What was typed, to be shown again. */
export interface InvitationForm {
  readonly name: string;
  readonly role: Role | null;
  readonly problems: readonly ('name' | 'role')[];
}

/** Who is in, who is on the way, and how to invite. */
export function TeamPage(props: {
  readonly call: DashboardCall;
  readonly members: readonly Member[];
  readonly invitations: readonly OpenInvitation[];
  readonly form: InvitationForm;
  readonly link: NewLink | null;
}) {
  const { call, members, invitations, form, link } = props;
  const text = DASHBOARD_TEXTS[call.language].team;
  const done = call.url.searchParams.get('done');
  const said = Object.entries(text.done).find(([word]) => word === done)?.[1];
  return (
    <Frame call={call} title={DASHBOARD_TEXTS[call.language].frame.nav.team} active="team">
      {said !== undefined && <Message tone="good">{said}</Message>}
      {form.problems.length > 0 && <Problems call={call} problems={form.problems} />}
      {link !== null && <LinkOnce call={call} link={link} />}
      <section class="card" aria-labelledby="members">
        <h2 id="members">{text.members.title}</h2>
        <Members call={call} members={members} />
      </section>
      {!call.session.isSuspended && (
        <section class="card" aria-labelledby="invite">
          <h2 id="invite">{text.invite.title}</h2>
          <p class="hint">{text.invite.lead}</p>
          <InviteForm call={call} form={form} />
        </section>
      )}
      <section class="card" aria-labelledby="invitations">
        <h2 id="invitations">{text.invitations.title}</h2>
        <Invitations call={call} invitations={invitations} />
      </section>
    </Frame>
  );
}

/** Shown in the answer to the form, and never again. */
export function LinkOnce({ call, link }: { readonly call: DashboardCall; readonly link: NewLink }) {
  const text = DASHBOARD_TEXTS[call.language].team.link;
  return (
    <section class="card" aria-labelledby="new-link">
      <h2 id="new-link">{text.title(link.name)}</h2>
      <Message tone="good">{link.isRecovery ? text.recovery : text.invitation}</Message>
      <CopyText call={call} id="link" label={text.label} value={link.url} />
      <p class="hint">
        {text.until} <When call={call} atMs={link.expiresAtMs} />
      </p>
    </section>
  );
}

function Problems(props: {
  readonly call: DashboardCall;
  readonly problems: InvitationForm['problems'];
}) {
  const { call, problems } = props;
  return (
    <Message tone="bad">
      <h2>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</h2>
      <ul>
        {problems.map((problem) => (
          <li>
            <a href={`#${problem}`}>
              {DASHBOARD_TEXTS[call.language].team.invite.problems[problem]}
            </a>
          </li>
        ))}
      </ul>
    </Message>
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
        <a
          class="button"
          href={`/dashboard/team/members/${member.id}`}
          aria-label={text.manageOne(member.name)}
        >
          {text.manage}
        </a>,
      ])}
    />
  );
}

function InviteForm({
  call,
  form,
}: {
  readonly call: DashboardCall;
  readonly form: InvitationForm;
}) {
  const text = DASHBOARD_TEXTS[call.language].team.invite;
  const errorOf = (field: 'name' | 'role') =>
    form.problems.includes(field) ? text.problems[field] : null;
  return (
    <form class="form" method="post" action="/dashboard/team/invitations">
      <CsrfField session={call.session} />
      <Field id="name" label={text.name} hint={text.nameHint} error={errorOf('name')}>
        {(attributes) => (
          <input
            {...attributes}
            type="text"
            name="name"
            value={form.name}
            required
            maxlength={NAME_LENGTH_MAX}
            autocomplete="off"
          />
        )}
      </Field>
      <RoleChoice call={call} selected={form.role ?? 'viewer'} error={errorOf('role')} />
      <button class="primary" type="submit">
        {text.button}
      </button>
    </form>
  );
}

/** The roles, each with what it may do: more words than a select box has room for on a phone. */
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
            action={`/dashboard/team/invitations/${invitation.id}/revoke`}
            label={text.revoke}
            describedAs={text.revokeOne(invitation.name)}
            tone="bad"
          />
        ),
      ])}
    />
  );
}
