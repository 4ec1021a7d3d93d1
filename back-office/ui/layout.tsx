import type { ComponentChildren } from 'preact';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';

/** What a page begins with, besides its heading. */
export interface PageHead {
  /** The list that the page belongs to. */
  readonly back?: { readonly to: string; readonly text: string } | undefined;
  /** Badges, behind the heading. */
  readonly status?: ComponentChildren;
  /** What the reader came to see, or what the page is for, in a line or two. */
  readonly lead?: ComponentChildren;
  /** What the reader can do here: the first action is a `primary` button. */
  readonly actions?: ComponentChildren;
}

/** The head of each page: the way back, the heading with its status, and the actions. */
export function PageHeader(props: PageHead & { readonly title: string }) {
  const { title, back, status, lead, actions } = props;
  return (
    <div class="page-head">
      {back && (
        <a class="page-back" href={back.to}>
          <span aria-hidden="true">‹ </span>
          {back.text}
        </a>
      )}
      <div class="page-title">
        <h1>{title}</h1>
        {status}
      </div>
      {lead && <div class="page-lead">{lead}</div>}
      {actions && <div class="buttons page-actions">{actions}</div>}
    </div>
  );
}

/** Two columns on a wide screen: what the reader came for, and what readers look up now and then. */
export function SideBySide(props: {
  readonly main: ComponentChildren;
  readonly aside: ComponentChildren;
}) {
  return (
    <div class="side-by-side">
      <div class="column">{props.main}</div>
      <div class="column">{props.aside}</div>
    </div>
  );
}

/** In place of a list without rows: what comes here, and the first thing to do about it. */
export function EmptyState(props: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  const { title, children, action } = props;
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div>{children}</div>}
      {action && <div class="buttons">{action}</div>}
    </div>
  );
}

export interface TimelineItem {
  /** A `When` or `WhenExactly`. */
  readonly time: ComponentChildren;
  readonly title: ComponentChildren;
  /** Who or why, below the title. */
  readonly details?: ComponentChildren;
  /** The color of the mark, which only repeats what the title says. */
  readonly tone?: 'good' | 'bad' | 'wait' | 'plain' | undefined;
}

/** What happened, one below the other. */
export function Timeline(props: { readonly items: readonly TimelineItem[] }) {
  return (
    <ol class="timeline">
      {props.items.map(({ time, title, details, tone = 'plain' }) => (
        <li class={`timeline-${tone}`}>
          <div class="timeline-title">{title}</div>
          {details && <div class="timeline-details">{details}</div>}
          <div class="quiet small">{time}</div>
        </li>
      ))}
    </ol>
  );
}

/**
 * Asks before the form around it is sent, with the button that sends it. The script opens it; without
 * JavaScript the form is sent at once.
 */
export function Dialog(props: { readonly question: string; readonly action: string }) {
  const { question, action } = props;
  return (
    <dialog aria-label={question}>
      <p>{question}</p>
      <div class="buttons answers">
        <button type="button" data-close>
          {useTexts(DASHBOARD_TEXTS).frame.cancel}
        </button>
        <button type="submit" class="primary">
          {action}
        </button>
      </div>
    </dialog>
  );
}
