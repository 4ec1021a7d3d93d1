import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { browserName } from '../../members/browser-name.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import type { ListedPasskey } from '../../members/passkeys.ts';
import type { OpenSession } from '../../members/sessions.ts';
import { Badge, Facts, Fold, Section, Table, Untrusted, When } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Languages } from '../../ui/page.tsx';
import { isReadOnly, useCall } from '../call.ts';
import { ButtonForm, CsrfField, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { ACCOUNT_PATH } from '../paths.ts';
import { PasskeyForm, PasskeyNameField } from './passkey-form.tsx';

/** A member's own passkeys and sessions. */
export function AccountPage(props: {
  readonly passkeys: readonly ListedPasskey[];
  readonly sessions: readonly OpenSession[];
  /** The proposed name for a passkey that is added here. */
  readonly newPasskeyName: string;
}) {
  const { passkeys, sessions, newPasskeyName } = props;
  const text = useTexts(DASHBOARD_TEXTS).account;
  return (
    <Frame title={useTexts(DASHBOARD_TEXTS).frame.nav.account} active="account" done={text.done}>
      <Me />
      <Section id="passkeys" title={text.passkeys.title}>
        <p class="hint">{text.passkeys.lead}</p>
        <Passkeys passkeys={passkeys} />
      </Section>
      {!isReadOnly(useCall()) && <AddPasskey name={newPasskeyName} />}
      <Section id="sessions" title={text.sessions.title}>
        <p class="hint">{text.sessions.lead}</p>
        <Sessions sessions={sessions} />
        {sessions.length > 1 && (
          <ButtonForm
            action={`${ACCOUNT_PATH}/sessions/revoke-others`}
            label={text.sessions.revokeOthers}
            tone="bad"
          />
        )}
      </Section>
    </Frame>
  );
}

/** Who is signed in, the language, and *Sign out*. */
function Me() {
  const { session } = useCall();
  const { frame, signIn, account } = useTexts(DASHBOARD_TEXTS);
  return (
    <Section id="me" title={account.me.title}>
      <Facts
        rows={[
          [account.me.name, <bdi>{session.memberName}</bdi>],
          [signIn.facts.merchant, <bdi>{session.merchantName}</bdi>],
          [signIn.facts.role, frame.role[session.role]],
          [frame.languages, <Languages />],
        ]}
      />
      <ButtonForm action="/dashboard/sign-out" label={frame.signOut} />
    </Section>
  );
}

function Passkeys(props: { readonly passkeys: readonly ListedPasskey[] }) {
  const { passkeys } = props;
  const text = useTexts(DASHBOARD_TEXTS).account.passkeys;
  const mayChange = !isReadOnly(useCall());
  return (
    <Table
      caption={text.title}
      columns={[text.name, text.made, text.lastUsed, text.copies, text.change]}
      empty={text.none}
      rows={passkeys.map((passkey, index) => [
        <strong>
          <Untrusted text={passkey.name} />
        </strong>,
        <When atMs={passkey.createdAtMs} />,
        passkey.lastUsedAtMs === null ? text.never : <When atMs={passkey.lastUsedAtMs} />,
        <Badge tone={passkey.isBackedUp ? 'good' : 'wait'}>
          {passkey.isBackedUp ? text.backedUp : text.notBackedUp}
        </Badge>,
        mayChange ? (
          <div class="buttons">
            <RenamePasskey passkey={passkey} id={`rename-${index}`} />
            {passkeys.length > 1 && (
              <ButtonForm
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

function RenamePasskey(props: { readonly passkey: ListedPasskey; readonly id: string }) {
  const { passkey, id } = props;
  const text = useTexts(DASHBOARD_TEXTS).account.passkeys;
  return (
    <Fold summary={text.rename} describedAs={text.renameOne(passkey.name)}>
      <PostForm
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
    </Fold>
  );
}

function AddPasskey({ name }: { readonly name: string }) {
  const text = useTexts(DASHBOARD_TEXTS).account.passkeys;
  return (
    <Section id="add-passkey" title={text.addTitle}>
      <p class="hint">{text.addLead}</p>
      <PasskeyForm
        ceremony="add-passkey"
        path={`${ACCOUNT_PATH}/passkeys`}
        next={`${ACCOUNT_PATH}?done=passkey_added`}
      >
        <CsrfField />
        <PasskeyNameField name={name} />
        <button class="primary" type="submit">
          {text.add}
        </button>
      </PasskeyForm>
    </Section>
  );
}

function Sessions(props: { readonly sessions: readonly OpenSession[] }) {
  const call = useCall();
  const { sessions } = props;
  const text = useTexts(DASHBOARD_TEXTS).account.sessions;
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
          <When atMs={session.createdAtMs} />,
          <When atMs={session.lastSeenAtMs} />,
          session.id === call.session.id ? (
            <Badge tone="good">{text.thisOne}</Badge>
          ) : (
            <ButtonForm
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
