import type { ComponentChildren } from 'preact';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { Ceremony } from '../../members/challenge.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { TextField } from '../../ui/elements.tsx';
import type { PublicCall } from '../call.ts';

/**
 * A form that our script carries out with the browser's passkeys: it fetches options from `path` +
 * "/options", sends the result to `path` and goes on to `next`. The form stays hidden where that
 * cannot work, and the page says why. The script finds its texts in the attributes.
 */
export function PasskeyForm(props: {
  readonly call: Pick<PublicCall, 'language'>;
  readonly ceremony: Ceremony;
  readonly path: string;
  readonly next: string;
  /** Replaces the text of an unexpected failure, which says that nothing was changed. */
  readonly failed?: string;
  readonly children: ComponentChildren;
}) {
  const { call, ceremony, path, next, failed, children } = props;
  const { script } = DASHBOARD_TEXTS[call.language].signIn;
  const problemId = `${ceremony}-problem`;
  return (
    <>
      <noscript>
        <p class="message message-bad">{DASHBOARD_TEXTS[call.language].frame.needsScript}</p>
      </noscript>
      <p class="message message-bad" id={problemId} role="alert" hidden />
      <form
        class="form"
        method="post"
        hidden
        data-passkey={ceremony}
        data-path={path}
        data-next={next}
        data-problem={problemId}
        data-working={script.working}
        data-unsupported={script.unsupported}
        data-canceled={script.canceled}
        data-known={script.known}
        data-failed={failed ?? script.failed}
        data-network={script.network}
        data-busy={script.busy}
      >
        {children}
      </form>
    </>
  );
}

/** The name of the passkey that the form makes. */
export function PasskeyNameField(props: {
  readonly call: Pick<PublicCall, 'language'>;
  /** The proposed name. */
  readonly name: string;
}) {
  const { passkeyName, passkeyNameHint } = DASHBOARD_TEXTS[props.call.language].signIn;
  return (
    <TextField
      id="passkey"
      label={passkeyName}
      hint={passkeyNameHint}
      value={props.name}
      maxlength={NAME_LENGTH_MAX}
    />
  );
}
