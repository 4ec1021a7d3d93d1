import type { ComponentChildren } from 'preact';
import { Html, LanguageSwitch } from '../../dashboard/frame.tsx';
import {
  type BackOfficeLanguage,
  backOfficeLanguageOf,
  DESK_TEXTS,
} from '../../i18n/back-office.ts';
import type { DeskMessages } from '../../i18n/messages.ts';

export interface DeskView {
  readonly language: BackOfficeLanguage;
  readonly url: URL;
}

type Item = keyof DeskMessages['pages']['nav'];

const PATHS: Readonly<Record<Item, string>> = {
  health: '/operator',
  attention: '/operator/attention',
  merchants: '/operator/merchants',
};

/** What a page of the desk needs of its request. */
export function deskView(request: Request): DeskView {
  return { language: backOfficeLanguageOf(request), url: new URL(request.url) };
}

/** A page of the desk. `active` is null on pages about nothing in particular. */
export function DeskFrame(props: {
  readonly view: DeskView;
  readonly title: string;
  readonly active: Item | null;
  readonly children: ComponentChildren;
}) {
  const { view, title, active, children } = props;
  const text = DESK_TEXTS[view.language].pages;
  return (
    <Html call={view} title={`${title} · ${text.product}`}>
      <header class="top">
        <div class="top-row">
          <a class="mark" href="/operator">
            {text.product}
          </a>
          <LanguageSwitch call={view} />
        </div>
        {active !== null && (
          <nav class="nav" aria-label={text.navigation}>
            {(Object.keys(PATHS) as Item[]).map((item) => (
              <a href={PATHS[item]} aria-current={item === active ? 'page' : undefined}>
                {text.nav[item]}
              </a>
            ))}
          </nav>
        )}
      </header>
      <main id="content" tabindex={-1}>
        <h1>{title}</h1>
        {children}
        {active !== null && <p class="hint">{text.readOnly}</p>}
      </main>
    </Html>
  );
}

/** The way to the next page of a list, and back to its beginning. */
export function DeskPager(props: {
  readonly view: DeskView;
  readonly path: string;
  readonly nextCursor: string | null;
}) {
  const { view, path, nextCursor } = props;
  const text = DESK_TEXTS[view.language].pages;
  const isFirst = !view.url.searchParams.has('cursor');
  return isFirst && nextCursor === null ? null : (
    <nav class="pager" aria-label={text.next}>
      {!isFirst && (
        <a class="button" href={path}>
          {text.first}
        </a>
      )}
      {nextCursor !== null && (
        <a class="button" rel="next" href={`${path}?cursor=${encodeURIComponent(nextCursor)}`}>
          {text.next}
        </a>
      )}
    </nav>
  );
}
