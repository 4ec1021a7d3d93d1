import type { ComponentChildren } from 'preact';
import { exactTimeText, timeText } from '../../src/i18n/time-text.ts';
import type { Page } from '../../src/platform/paging.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import type { PageView } from './page.tsx';
import { shownText } from './untrusted-text.ts';

type Call = Pick<PageView, 'language'>;

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
}

/** A labeled control with its hint and its error, linked for screen readers. */
export function Field(
  props: FieldProps & {
    /** Receives the ids of its descriptions. */
    readonly children: (attributes: {
      readonly id: string;
      readonly 'aria-describedby': string | undefined;
      readonly 'aria-invalid': 'true' | undefined;
    }) => ComponentChildren;
  },
) {
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

/** A labeled select box. */
export function SelectField(props: {
  readonly id: string;
  /** The name of the form field; defaults to the id. */
  readonly name?: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly selected: string;
  readonly error?: string | null | undefined;
}) {
  const { id, name = id, label, options, selected, error } = props;
  return (
    <Field id={id} label={label} error={error}>
      {(attributes) => (
        <select {...attributes} name={name}>
          {options.map(([value, text]) => (
            <option value={value} selected={value === selected && value !== ''}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A one-line text field. Its name defaults to its id. */
export function TextField(
  props: FieldProps & {
    readonly name?: string;
    readonly value: string;
    readonly maxlength?: number;
    readonly autocomplete?: string;
    readonly readonly?: boolean;
    /** Defaults to true. */
    readonly required?: boolean;
  },
) {
  const { id, name = id, value, autocomplete = 'off', required = true } = props;
  return (
    <Field {...props}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          name={name}
          value={value}
          required={required}
          readonly={props.readonly}
          maxlength={props.maxlength}
          autocomplete={autocomplete}
        />
      )}
    </Field>
  );
}

export type BadgeTone = 'good' | 'bad' | 'wait' | 'plain';

/** A status as a word. The color only repeats what the word says. */
export function Badge(props: { readonly tone: BadgeTone; readonly children: ComponentChildren }) {
  return <span class={`badge badge-${props.tone}`}>{props.children}</span>;
}

/** A message about a form's success or failure. */
export function Message(props: {
  readonly tone: 'good' | 'bad' | 'warning';
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`message message-${props.tone}`} role={props.tone === 'bad' ? 'alert' : 'status'}>
      {props.children}
    </div>
  );
}

/** The message that the redirect's query `done` names. Unknown names are ignored. */
export function DoneMessage(props: {
  readonly call: Pick<PageView, 'url'>;
  readonly texts: Readonly<Record<string, ComponentChildren>>;
  readonly tone?: 'good' | 'bad';
}) {
  const { call, texts, tone = 'good' } = props;
  const done = call.url.searchParams.get('done') ?? '';
  return Object.hasOwn(texts, done) ? <Message tone={tone}>{texts[done]}</Message> : null;
}

/** A form's problems, at the top of the page, with links to the fields. */
export function ProblemList(props: {
  readonly call: Call;
  /** A problem of the form as a whole has no field to link to. */
  readonly problems: readonly (readonly [href: `#${string}` | null, problem: ComponentChildren])[];
}) {
  const { call, problems } = props;
  return problems.length === 0 ? null : (
    <Message tone="bad">
      <p>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</p>
      <ul>
        {problems.map(([href, problem]) => (
          <li>{href === null ? problem : <a href={href}>{problem}</a>}</li>
        ))}
      </ul>
    </Message>
  );
}

/** A part of a page with its own heading, as a card or without a frame. */
export function Section(props: {
  /** The id of the heading, which names the part for screen readers. */
  readonly id: string;
  readonly title: string;
  readonly class?: 'card' | 'card figures' | 'part' | 'part timeline';
  readonly children: ComponentChildren;
}) {
  const { id, title, children } = props;
  return (
    <section class={props.class ?? 'card'} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A text to copy, such as a key or a URL. Without JavaScript the button stays hidden. */
export function CopyText(props: {
  readonly call: Call;
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

/** A fact with an id to quote or to search for, and a button that copies it. */
export function copyRow(
  call: Call,
  id: string,
  label: string,
  text: string | null | undefined,
): FactRow {
  if (text == null || text === '') {
    return null;
  }
  const { copy, copied, copyOf } = DASHBOARD_TEXTS[call.language].frame;
  return [
    label,
    <span class="copyable">
      <span id={id}>
        <Untrusted text={text} />
      </span>
      <button
        type="button"
        class="plain small"
        hidden
        data-copy={id}
        data-value={text}
        data-copied={copied}
        aria-label={copyOf(label)}
      >
        {copy}
      </button>
    </span>,
  ];
}

/** A labeled value, or null for none. */
export type FactRow = readonly [label: string, value: ComponentChildren] | null;

/** Labeled values, one per line. */
export function Facts({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <dl class="facts">
      {rows.map(
        (row) =>
          row !== null && (
            <div>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Text from outside: invisible characters are named, and its direction is isolated. */
export function Untrusted({ text }: { readonly text: string }) {
  return <bdi>{shownText(text)}</bdi>;
}

/** A fact with text from outside; null without a text. */
export function untrustedRow(label: string, text: string | null | undefined): FactRow {
  return text == null || text === '' ? null : [label, <Untrusted text={text} />];
}

/**
 * A table that becomes a list of cards on a phone: each cell carries its column's name. `caption`
 * names it for screen readers.
 */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown instead of a table without rows. */
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

/** Links to the previous and next page of a list, newest first. */
export function Pager(props: {
  readonly call: Call;
  readonly page: Pick<Page<unknown>, 'previousCursor' | 'nextCursor'>;
  /** The URL of the page at a cursor. */
  readonly pathTo: (cursor: string) => string;
}) {
  const { call, page, pathTo } = props;
  const { previousCursor, nextCursor } = page;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return previousCursor === null && nextCursor === null ? null : (
    <nav class="pager" aria-label={`${text.newer} / ${text.older}`}>
      {previousCursor !== null && (
        <a class="button" rel="prev" href={pathTo(previousCursor)}>
          {text.newer}
        </a>
      )}
      {nextCursor !== null && (
        <a class="button" rel="next" href={pathTo(nextCursor)}>
          {text.older}
        </a>
      )}
    </nav>
  );
}

/** A time, readable for people and machines. */
export function Moment(props: { readonly atMs: number; readonly children: string }) {
  return <time datetime={new Date(props.atMs).toISOString()}>{props.children}</time>;
}

/** A time in the reader's language, in Addis Ababa's time zone. */
export function When({ call, atMs }: { readonly call: Call; readonly atMs: number }) {
  return <Moment atMs={atMs}>{timeText(atMs, CHECKOUT_TEXTS[call.language])}</Moment>;
}

/** The same with seconds. */
export function WhenExactly({ call, atMs }: { readonly call: Call; readonly atMs: number }) {
  return <Moment atMs={atMs}>{exactTimeText(atMs, CHECKOUT_TEXTS[call.language])}</Moment>;
}
