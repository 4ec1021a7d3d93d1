import type { ComponentChildren } from 'preact';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { Ceremony } from '../../members/challenge.ts';
import { NAME_LENGTH_MAX } from '../../members/members.ts';
import { TextField } from '../../ui/fields.tsx';
import { useCall } from '../call.ts';
import { PostForm } from '../forms.tsx';

interface PasskeyProps {
  readonly ceremony: Ceremony;
  readonly path: string;
  /** Replaces the text of an unexpected failure, which says that nothing was changed. */
  readonly failed?: string;
}

/**
 * A form that our script carries out with the browser's passkeys: it fetches options from `path` +
 * "/options", sends the result to `path` and goes on to `next`. Where that cannot work, the page says
 * why, and the form stays hidden or, with an `action`, is sent there. The script finds its texts in
 * the attributes.
 */
export function PasskeyForm(
  props: PasskeyProps & {
    readonly next: string;
    readonly action?: string;
    /** What the script shows while it asks the server what the form would do. */
    readonly preview?: string;
    readonly children: ComponentChildren;
  },
) {
  const { next, action, preview, children } = props;
  return (
    <>
      <noscript>
        <p class="notice notice-bad">{useTexts(DASHBOARD_TEXTS).frame.needsScript}</p>
      </noscript>
      <PasskeyProblem {...props} />
      <form
        class="form"
        method="post"
        action={action}
        hidden={action === undefined}
        data-next={next}
        data-preview={preview}
        {...passkeyData(props)}
      >
        {children}
      </form>
    </>
  );
}

interface ConfirmedProps extends PasskeyProps {
  /** Why a passkey is needed. */
  readonly hint: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly once?: boolean;
  readonly novalidate?: boolean;
  readonly children: ComponentChildren;
}

/** What production confirms and the sandbox does not. */
export function FormConfirmedInProduction(props: ConfirmedProps) {
  const { path, hint: _hint, ceremony: _ceremony, ...form } = props;
  return useCall().environment === 'production' ? (
    <ConfirmedForm {...props} />
  ) : (
    <PostForm {...form} action={path} class="form" />
  );
}

/**
 * A form that the browser posts, as every other, with the signature of the member's passkey if the
 * server asks for one at `path` + "/options".
 */
export function ConfirmedForm(props: ConfirmedProps) {
  const { ceremony, path, hint, fields = {}, once = false, children } = props;
  return (
    <>
      <p class="hint">{hint}</p>
      <PasskeyProblem ceremony={ceremony} />
      <PostForm
        action={path}
        class="form"
        fields={fields}
        once={once}
        novalidate={props.novalidate ?? false}
        data={passkeyData(props)}
      >
        {children}
      </PostForm>
    </>
  );
}

/** Where the script says what went wrong at a form with `passkeyData`. */
export function PasskeyProblem({ ceremony }: Pick<PasskeyProps, 'ceremony'>) {
  return <p class="notice notice-bad" id={`${ceremony}-problem`} role="alert" hidden />;
}

/** The attributes by which the script knows what to do with a form, and what to say. */
export function passkeyData({ ceremony, path, failed }: PasskeyProps) {
  const { script } = useTexts(DASHBOARD_TEXTS).signIn;
  return {
    'data-passkey': ceremony,
    'data-path': path,
    'data-problem': `${ceremony}-problem`,
    'data-working': script.working,
    'data-unsupported': script.unsupported,
    'data-canceled': script.canceled,
    'data-known': script.known,
    'data-failed': failed ?? script.failed,
    'data-network': script.network,
    'data-busy': script.busy,
  };
}

/** The name of the passkey that the form makes. */
export function PasskeyNameField(props: {
  /** The proposed name. */
  readonly name: string;
}) {
  const { passkeyName, passkeyNameHint } = useTexts(DASHBOARD_TEXTS).signIn;
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
