import type { ComponentChildren } from 'preact';
import { DASHBOARD_TEXTS } from '../i18n/back-office.ts';
import type { Session } from '../members/session.ts';
import type { DashboardCall } from './call.ts';

/** Into every form that posts. */
export function CsrfField({ session }: { readonly session: Session }) {
  return <input type="hidden" name="csrf" value={session.csrfToken} />;
}

/** A form of one button, such as "Revoke". */
export function ButtonForm(props: {
  readonly call: DashboardCall;
  readonly action: string;
  readonly label: string;
  /** For whoever cannot see what the button stands beside. */
  readonly describedAs?: string;
  readonly tone?: 'plain' | 'bad';
  /** Asked before it is sent, where JavaScript runs. */
  readonly confirm?: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
}) {
  const { call, action, label, describedAs, tone, confirm, fields = {} } = props;
  return (
    <form method="post" action={action} data-confirm={confirm}>
      <CsrfField session={call.session} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={tone} aria-label={describedAs}>
        {label}
      </button>
    </form>
  );
}

/** A labelled control with its hint and its error, tied together for screen readers. */
export function Field(props: {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
  /** Gets the ids that describe it. */
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': 'true' | undefined;
  }) => ComponentChildren;
}) {
  const { id, label, hint, error } = props;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {props.children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error ? 'true' : undefined,
      })}
    </div>
  );
}

export type BadgeTone = 'good' | 'bad' | 'wait' | 'plain';

/** A status in a word. The word says it; the colour only repeats it. */
export function Badge(props: { readonly tone: BadgeTone; readonly children: ComponentChildren }) {
  return <span class={`badge badge-${props.tone}`}>{props.children}</span>;
}

/** What a form has done, or why it did not. */
export function Message(props: {
  readonly tone: 'good' | 'bad';
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`message message-${props.tone}`} role={props.tone === 'bad' ? 'alert' : 'status'}>
      {props.children}
    </div>
  );
}

/** Text to be taken along whole: a key, an address. The button needs JavaScript and hides without. */
export function CopyText(props: {
  readonly call: Pick<DashboardCall, 'language'>;
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly isLong?: boolean;
}) {
  const { call, id, label, value, isLong = false } = props;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return (
    <div class="copy">
      <label for={id}>{label}</label>
      <div class="copy-row">
        {isLong ? (
          <textarea id={id} readonly rows={4}>
            {value}
          </textarea>
        ) : (
          <input id={id} type="text" readonly value={value} />
        )}
        <button type="button" hidden data-copy={id} data-copied={text.copied}>
          {text.copy}
        </button>
      </div>
    </div>
  );
}

/** Labelled values, one under the other. */
export function Facts(props: {
  readonly rows: readonly (readonly [label: string, value: ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {props.rows.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * A table that becomes a list of cards on a phone: each cell carries its column's name. `caption`
 * names it for screen readers.
 */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown in place of a table without rows. */
  readonly empty: string;
}) {
  const { caption, columns, rows, empty } = props;
  if (rows.length === 0) {
    return <p class="empty">{empty}</p>;
  }
  return (
    <table class="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell, index) => (
              <td data-column={columns[index]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The ways to the pages before and after, by the cursors in their addresses. */
export function Pager(props: {
  readonly call: Pick<DashboardCall, 'language'>;
  readonly newer: string | null;
  readonly older: string | null;
}) {
  const { call, newer, older } = props;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return newer === null && older === null ? null : (
    <nav class="pager" aria-label={`${text.newer} / ${text.older}`}>
      {newer !== null && (
        <a class="button" rel="prev" href={newer}>
          {text.newer}
        </a>
      )}
      {older !== null && (
        <a class="button" rel="next" href={older}>
          {text.older}
        </a>
      )}
    </nav>
  );
}

/** A moment for people and for machines. */
export function Moment(props: { readonly atMs: number; readonly children: string }) {
  return <time datetime={new Date(props.atMs).toISOString()}>{props.children}</time>;
}
