import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { type Invitation, JOIN_PATH } from '../../members/invitations.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { type FactRow, Facts, TextField, When } from '../../ui/elements.tsx';
import type { PublicCall } from '../call.ts';
import { PublicFrame } from '../frame.tsx';
import { PasskeyForm, PasskeyNameField } from './passkey-form.tsx';

/** The invitation, and the one step to accept it. */
export function JoinPage(props: {
  readonly call: PublicCall;
  /** The link's token, which the form sends along. */
  readonly token: string;
  readonly invitation: Invitation;
  /** Proposed for the new passkey. */
  readonly passkeyName: string;
}) {
  const { call, token, invitation, passkeyName } = props;
  const text = DASHBOARD_TEXTS[call.language].signIn;
  const join = invitation.memberId === null ? text.join : text.recover;
  return (
    <PublicFrame call={call} title={join.title(invitation.merchantName)}>
      <section class="card">
        <p>{join.lead(invitation.invitedBy)}</p>
        <Facts rows={factsOf(call, invitation)} />
      </section>
      <section class="card">
        <p>{text.whatPasskeysAre}</p>
        <PasskeyForm call={call} ceremony="join" path={JOIN_PATH} next="/dashboard">
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
          <PasskeyNameField call={call} name={passkeyName} />
          <button class="primary wide" type="submit">
            {text.join.button}
          </button>
        </PasskeyForm>
      </section>
    </PublicFrame>
  );
}

function factsOf(call: PublicCall, invitation: Invitation): readonly FactRow[] {
  const { merchantName, role, expiresAtMs } = invitation;
  const { frame, signIn } = DASHBOARD_TEXTS[call.language];
  const { facts, roleAndMeaning, roleMeans } = signIn;
  return [
    [facts.merchant, merchantName],
    [facts.role, roleAndMeaning(frame.role[role], roleMeans[role])],
    [facts.expires, <When call={call} atMs={expiresAtMs} />],
  ];
}

/**
 * For a link that does not work. It gives no reason, because a stranger may have found the link.
 */
export function LinkEndedPage({ call }: { readonly call: PublicCall }) {
  const text = DASHBOARD_TEXTS[call.language].signIn;
  return (
    <PublicFrame call={call} title={text.ended.title}>
      <p>{text.ended.text}</p>
      <p>
        <a class="button" href="/dashboard/sign-in">
          {DASHBOARD_TEXTS[call.language].frame.signIn}
        </a>
      </p>
    </PublicFrame>
  );
}
