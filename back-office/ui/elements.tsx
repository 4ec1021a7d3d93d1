import type { ComponentChildren, VNode } from 'preact';
import { exactTimeText, timeText } from '../../src/kit/i18n/time-text.ts';
import type { Page } from '../../src/kit/platform/paging.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { EmptyState } from './layout.tsx';
import { usePageUrl } from './page.tsx';
import { shownText } from './untrusted-text.ts';

/** A link that looks like a button. */
export function ButtonLink(props: { readonly to: string; readonly children: ComponentChildren }) {
  return (
    <a class="button" href={props.to}>
      {props.children}
    </a>
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
    <div class={`notice notice-${props.tone}`} role={props.tone === 'bad' ? 'alert' : 'status'}>
      {props.children}
    </div>
  );
}

/** The message that the redirect's query `done` names. Unknown names are ignored. */
export function DoneMessage(props: {
  readonly texts: Readonly<Record<string, ComponentChildren>>;
  readonly tone?: 'good' | 'bad';
}) {
  const { texts, tone = 'good' } = props;
  const done = usePageUrl().searchParams.get('done') ?? '';
  return Object.hasOwn(texts, done) ? <Message tone={tone}>{texts[done]}</Message> : null;
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
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly isLong?: boolean;
}) {
  const { id, label, value, isLong = false } = props;
  const text = useTexts(DASHBOARD_TEXTS).frame;
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
export function copyFact(id: string, label: string, text: string | null | undefined): FactRow {
  return text == null || text === ''
    ? null
    : [label, <Copyable id={id} label={label} text={text} />];
}

function Copyable(props: { readonly id: string; readonly label: string; readonly text: string }) {
  const { id, label, text } = props;
  const { copy, copied, copyOf } = useTexts(DASHBOARD_TEXTS).frame;
  return (
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
    </span>
  );
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

/** What few readers need, folded behind a line that opens it. */
export function Fold(props: {
  readonly summary: string;
  /** The summary for screen readers, if the visible one needs its surroundings. */
  readonly describedAs?: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <details class="fold" open={props.isOpen}>
      <summary aria-label={props.describedAs}>{props.summary}</summary>
      {props.children}
    </details>
  );
}

/** Details for developers. */
export function TechnicalDetails({ children }: { readonly children: ComponentChildren }) {
  return <Fold summary={useTexts(DASHBOARD_TEXTS).frame.technical}>{children}</Fold>;
}

/** Text from outside: invisible characters are named, and its direction is isolated. */
export function Untrusted({ text }: { readonly text: string }) {
  return <bdi>{shownText(text)}</bdi>;
}

/** A fact with text from outside; null without a text. */
export function untrustedRow(label: string, text: string | null | undefined): FactRow {
  return text == null || text === '' ? null : [label, <Untrusted text={text} />];
}

/** A column, by its title. Money and counts are right-aligned, so that they can be compared. */
export type TableColumn = string | { readonly title: string; readonly kind: 'figures' | undefined };

/**
 * A table that becomes a list of cards on a phone: each cell carries its column's name. `caption`
 * names it for screen readers.
 */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown instead of a table without rows: a sentence, or an `EmptyState`. */
  readonly empty: string | VNode;
}) {
  const { caption, rows, empty } = props;
  if (rows.length === 0) {
    return typeof empty === 'string' ? <EmptyState title={empty} /> : empty;
  }
  const columns = props.columns.map((column) =>
    typeof column === 'string' ? { title: column, kind: undefined } : column,
  );
  return (
    <table class="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, kind }) => (
            <th scope="col" class={kind}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell, index) => (
              <td data-column={columns[index]?.title} class={columns[index]?.kind}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The pages beside a page of a list. */
export interface Pages {
  readonly page: Pick<Page<unknown>, 'previousCursor' | 'nextCursor'>;
  /** The URL of the page at a cursor. */
  readonly pathTo: (cursor: string) => string;
}

/** Links to the previous and next page of a list, newest first. */
export function Pager({ page, pathTo }: Pages) {
  const { previousCursor, nextCursor } = page;
  const text = useTexts(DASHBOARD_TEXTS).frame;
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
export function When({ atMs }: { readonly atMs: number }) {
  return <Moment atMs={atMs}>{timeText(atMs, useTexts(CHECKOUT_TEXTS))}</Moment>;
}

/** The same with seconds. */
export function WhenExactly({ atMs }: { readonly atMs: number }) {
  return <Moment atMs={atMs}>{exactTimeText(atMs, useTexts(CHECKOUT_TEXTS))}</Moment>;
}
