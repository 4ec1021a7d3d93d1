import type { ComponentChildren } from 'preact';
import { Dialog } from '../ui/layout.tsx';
import { useCall } from './call.ts';

type PasskeyData = Readonly<Record<`data-${string}`, string>>;

/** For every form that posts. `PostForm` contains one. */
export function CsrfField() {
  const { session } = useCall();
  return <input type="hidden" name="csrf" value={session.csrfToken} />;
}

/** A form that posts, with the session's CSRF token. */
export function PostForm(props: {
  readonly action: string;
  readonly class?: 'form' | 'card' | 'stack';
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The question and the button with which the script asks the member to confirm the form. */
  readonly confirm?: { readonly question: string; readonly action: string } | undefined;
  /** The script sends it once, even if the button is pressed several times. */
  readonly once?: boolean;
  /** For the script, such as those of `passkeyData`. */
  readonly data?: PasskeyData | undefined;
  /** The server validates it: the response names every problem at its field. */
  readonly novalidate?: boolean;
  readonly enctype?: 'multipart/form-data';
  readonly children: ComponentChildren;
}) {
  const { fields = {}, confirm, once = false } = props;
  return (
    <form
      class={props.class}
      method="post"
      action={props.action}
      enctype={props.enctype}
      novalidate={props.novalidate}
      data-once={once ? '' : undefined}
      {...props.data}
    >
      <CsrfField />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.children}
      {confirm && <Dialog {...confirm} />}
    </form>
  );
}

/** A form with one button, such as "Revoke". */
export function ButtonForm(props: {
  readonly action: string;
  readonly label: string;
  /** A full label for screen readers, which do not convey what the button is next to. */
  readonly describedAs?: string;
  readonly tone?: 'plain' | 'bad';
  /** The question before it is sent. */
  readonly confirm?: string | undefined;
  readonly fields?: Readonly<Record<string, string>>;
  readonly data?: PasskeyData | undefined;
}) {
  const { action, label, describedAs, tone, confirm, fields = {}, data } = props;
  return (
    <PostForm
      action={action}
      confirm={confirm === undefined ? undefined : { question: confirm, action: label }}
      fields={fields}
      data={data}
    >
      <button type="submit" class={tone} aria-label={describedAs}>
        {label}
      </button>
    </PostForm>
  );
}

/** The button that sends a form. */
export function Submit(props: { readonly label: string; readonly isPlain?: boolean }) {
  return (
    <div class="buttons">
      <button class={props.isPlain ? undefined : 'primary'} type="submit">
        {props.label}
      </button>
    </div>
  );
}
