import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { browserName } from '../../members/browser-name.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import type { ListedPasskey } from '../../members/passkeys.ts';
import type { OpenSession } from '../../members/sessions.ts';
import {
  Badge,
  DoneMessage,
  Message,
  Section,
  Table,
  TextField,
  When,
} from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, CsrfField, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { ACCOUNT_PATH } from '../paths.ts';
import { PasskeyForm, PasskeyNameField } from './passkey-form.tsx';

export type AccountProblem = keyof DashboardMessages['account']['problems'];

/** A member's own passkeys and sessions. */
export function AccountPage(props: {
  readonly call: DashboardCall;
  readonly passkeys: readonly ListedPasskey[];
  readonly sessions: readonly OpenSession[];
  /** The proposed name for a passkey that is added here. */
  readonly newPasskeyName: string;
  readonly problem: AccountProblem | null;
}) {
  const { call, passkeys, sessions, newPasskeyName, problem } = props;
  const text = DASHBOARD_TEXTS[call.language].account;
  return (
    <Frame call={call} title={DASHBOARD_TEXTS[call.language].frame.nav.account} active="account">
      {problem === null ? (
        <DoneMessage call={call} texts={text.done} />
      ) : (
        <Message tone="bad">{text.problems[problem]}</Message>
      )}
      <Section id="passkeys" title={text.passkeys.title}>
        <p class="hint">{text.passkeys.lead}</p>
        <Passkeys call={call} passkeys={passkeys} />
      </Section>
      {!call.session.isSuspended && <AddPasskey call={call} name={newPasskeyName} />}
      <Section id="sessions" title={text.sessions.title}>
        <p class="hint">{text.sessions.lead}</p>
        <Sessions call={call} sessions={sessions} />
        {sessions.length > 1 && (
          <ButtonForm
            call={call}
            action={`${ACCOUNT_PATH}/sessions/revoke-others`}
            label={text.sessions.revokeOthers}
            tone="bad"
          />
        )}
      </Section>
    </Frame>
  );
}

function Passkeys(props: {
  readonly call: DashboardCall;
  readonly passkeys: readonly ListedPasskey[];
}) {
  const { call, passkeys } = props;
  const text = DASHBOARD_TEXTS[call.language].account.passkeys;
  const mayChange = !call.session.isSuspended;
  return (
    <Table
      caption={text.title}
      columns={[text.name, text.made, text.lastUsed, text.copies, text.change]}
      empty={text.none}
      rows={passkeys.map((passkey, index) => [
        <strong>{passkey.name}</strong>,
        <When call={call} atMs={passkey.createdAtMs} />,
        passkey.lastUsedAtMs === null ? (
          text.never
        ) : (
          <When call={call} atMs={passkey.lastUsedAtMs} />
        ),
        <Badge tone={passkey.isBackedUp ? 'good' : 'wait'}>
          {passkey.isBackedUp ? text.backedUp : text.notBackedUp}
        </Badge>,
        mayChange ? (
          <div class="buttons">
            <RenamePasskey call={call} passkey={passkey} id={`rename-${index}`} />
            {passkeys.length > 1 && (
              <ButtonForm
                call={call}
                action={`${ACCOUNT_PATH}/passkeys/remove`}
                label={text.remove}
                describedAs={text.removeOne(passkey.name)}
                confirm={text.confirmRemove(passkey.name)}
                fields={{ passkey: passkey.credentialId }}
                tone="bad"
              />
            )}
          </div>
        ) : (
          ''
        ),
      ])}
    />
  );
}

function RenamePasskey(props: {
  readonly call: DashboardCall;
  readonly passkey: ListedPasskey;
  readonly id: string;
}) {
  const { call, passkey, id } = props;
  const text = DASHBOARD_TEXTS[call.language].account.passkeys;
  return (
    <details class="fold">
      <summary aria-label={text.renameOne(passkey.name)}>{text.rename}</summary>
      <PostForm
        call={call}
        action={`${ACCOUNT_PATH}/passkeys/rename`}
        class="form"
        fields={{ passkey: passkey.credentialId }}
      >
        <TextField
          id={id}
          name="name"
          label={text.newName}
          value={passkey.name}
          maxlength={NAME_LENGTH_MAX}
        />
        <button type="submit">{text.save}</button>
      </PostForm>
    </details>
  );
}

function AddPasskey({ call, name }: { readonly call: DashboardCall; readonly name: string }) {
  const text = DASHBOARD_TEXTS[call.language].account.passkeys;
  return (
    <Section id="add-passkey" title={text.addTitle}>
      <p class="hint">{text.addLead}</p>
      <PasskeyForm
        call={call}
        ceremony="add-passkey"
        path={`${ACCOUNT_PATH}/passkeys`}
        next={`${ACCOUNT_PATH}?done=passkey_added`}
      >
        <CsrfField session={call.session} />
        <PasskeyNameField call={call} name={name} />
        <button class="primary" type="submit">
          {text.add}
        </button>
      </PasskeyForm>
    </Section>
  );
}

function Sessions(props: {
  readonly call: DashboardCall;
  readonly sessions: readonly OpenSession[];
}) {
  const { call, sessions } = props;
  const text = DASHBOARD_TEXTS[call.language].account.sessions;
  return (
    <Table
      caption={text.title}
      columns={[text.browser, text.address, text.began, text.lastSeen, text.change]}
      empty={text.none}
      rows={sessions.map((session) => {
        const browser = browserName(session.userAgent) || text.unknownBrowser;
        return [
          <strong>{browser}</strong>,
          session.address ?? text.unknownAddress,
          <When call={call} atMs={session.createdAtMs} />,
          <When call={call} atMs={session.lastSeenAtMs} />,
          session.id === call.session.id ? (
            <Badge tone="good">{text.thisOne}</Badge>
          ) : (
            <ButtonForm
              call={call}
              action={`${ACCOUNT_PATH}/sessions/${session.id}/revoke`}
              label={text.revoke}
              describedAs={text.revokeOne(browser)}
            />
          ),
        ];
      })}
    />
  );
}
