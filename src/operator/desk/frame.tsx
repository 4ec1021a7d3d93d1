import type { ComponentChildren } from 'preact';
import { backOfficeLanguageOf, DESK_TEXTS } from '../../i18n/back-office.ts';
import type { DeskMessages } from '../../i18n/messages.ts';
import { BackOfficePage, Navigation, type PageView } from '../../ui/back-office.tsx';

type Item = keyof DeskMessages['pages']['nav'];

const PATHS: Readonly<Record<Item, string>> = {
  health: '/operator',
  attention: '/operator/attention',
  merchants: '/operator/merchants',
};

/** What a page of the desk needs of its request. */
export function deskView(request: Request): PageView {
  return { language: backOfficeLanguageOf(request), url: new URL(request.url) };
}

/** A page of the desk. `active` is null on pages about nothing in particular. */
export function DeskFrame(props: {
  readonly view: PageView;
  readonly title: string;
  readonly active: Item | null;
  readonly children: ComponentChildren;
}) {
  const { view, title, active, children } = props;
  const text = DESK_TEXTS[view.language].pages;
  return (
    <BackOfficePage
      call={view}
      heading={title}
      titleParts={[text.product]}
      home="/operator"
      header={
        active !== null && (
          <Navigation
            class="nav"
            label={text.navigation}
            links={(Object.keys(PATHS) as Item[]).map((item) => ({
              href: PATHS[item],
              text: text.nav[item],
              isCurrent: item === active,
            }))}
          />
        )
      }
    >
      {children}
      {active !== null && <p class="hint">{text.readOnly}</p>}
    </BackOfficePage>
  );
}

/** The way to the next page of a list, and back to its beginning. */
export function DeskPager(props: {
  readonly view: PageView;
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
