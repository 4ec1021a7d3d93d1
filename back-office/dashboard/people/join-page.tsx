import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { type Invitation, JOIN_PATH } from '../../members/invitations.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { type FactRow, Facts, When } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { PublicFrame } from '../frame.tsx';
import { PasskeyForm, PasskeyNameField } from './passkey-form.tsx';

/** The invitation, and the one step to accept it. */
export function JoinPage(props: {
  /** The link's token, which the form sends along. */
  readonly token: string;
  readonly invitation: Invitation;
  /** Proposed for the new passkey. */
  readonly passkeyName: string;
}) {
  const { token, invitation, passkeyName } = props;
  const text = useTexts(DASHBOARD_TEXTS).signIn;
  const join = invitation.memberId === null ? text.join : text.recover;
  return (
    <PublicFrame title={join.title(invitation.merchantName)}>
      <section class="card">
        <p>{join.lead(invitation.invitedBy)}</p>
        <Facts rows={factsOf(invitation)} />
      </section>
      <section class="card">
        <p>{text.whatPasskeysAre}</p>
        <PasskeyForm ceremony="join" path={JOIN_PATH} next="/dashboard">
          <input type="hidden" name="token" value={token} />
          <TextField
            id="name"
            label={text.yourName}
            hint={join.nameHint}
            value={invitation.name}
            readonly={invitation.memberId !== null}
            maxlength={NAME_LENGTH_MAX}
            autocomplete="name"
          />
          <PasskeyNameField name={passkeyName} />
          <button class="primary wide" type="submit">
            {text.join.button}
          </button>
        </PasskeyForm>
      </section>
    </PublicFrame>
  );
}

function factsOf(invitation: Invitation): readonly FactRow[] {
  const { merchantName, role, expiresAtMs } = invitation;
  const { frame, signIn } = useTexts(DASHBOARD_TEXTS);
  const { facts, roleAndMeaning, roleMeans } = signIn;
  return [
    [facts.merchant, merchantName],
    [facts.role, roleAndMeaning(frame.role[role], roleMeans[role])],
    [facts.expires, <When atMs={expiresAtMs} />],
  ];
}

/**
 * For a link that does not work. It gives no reason, because a stranger may have found the link.
 */
export function LinkEndedPage() {
  const text = useTexts(DASHBOARD_TEXTS).signIn;
  return (
    <PublicFrame title={text.ended.title}>
      <p>{text.ended.text}</p>
      <p>
        <a class="button" href="/dashboard/sign-in">
          {useTexts(DASHBOARD_TEXTS).frame.signIn}
        </a>
      </p>
    </PublicFrame>
  );
}
