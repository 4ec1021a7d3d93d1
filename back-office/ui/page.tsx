import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LANGUAGE_PARAMETER } from '../../src/kit/i18n/language.ts';
import { Document, LanguageSwitch } from '../../src/kit/ui/document.tsx';
import { useTexts } from '../../src/kit/ui/texts.ts';
import {
  BACK_OFFICE_LANGUAGE_NAMES,
  type BackOfficeLanguage,
  DASHBOARD_TEXTS,
} from '../i18n/texts.ts';
import {
  DASHBOARD_CSS_PATH,
  DASHBOARD_CSS_SHA256,
  DASHBOARD_SCRIPT_PATH,
  DASHBOARD_SCRIPT_SHA256,
} from './assets.generated.ts';
import { type PageHead, PageHeader } from './layout.tsx';

/** Where the page's links to itself lead. A post's own URL cannot be fetched. */
export const PageUrl = createContext(new URL('https://page.invalid'));

export function usePageUrl(): URL {
  return useContext(PageUrl);
}

/** A page of the dashboard or the operator's desk. */
export function BackOfficePage(props: {
  readonly heading: string;
  /** The parts of the window's title after the heading; the last is the product. */
  readonly titleParts: readonly string[];
  /** Where the product's name links to. */
  readonly home: string;
  /** The bar's first text, which says whose page it is; defaults to the product. */
  readonly owner?: string;
  /** The end of the bar; defaults to the languages. */
  readonly bar?: ComponentChildren;
  /** Whether nothing on the page is about real money. */
  readonly isSandbox?: boolean;
  /** Below the bar: navigation, banners. */
  readonly header?: ComponentChildren;
  /** What the content begins with, besides its heading. */
  readonly head?: PageHead | undefined;
  readonly footer?: ComponentChildren;
  /** When the page loads again by itself without our script, while it waits for something. */
  readonly refreshSeconds?: number | undefined;
  /** For pages with one short text or form. */
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
}) {
  const { heading, titleParts, owner, bar = <Languages />, isSandbox = false } = props;
  const text = useTexts(DASHBOARD_TEXTS).frame;
  return (
    <Document
      locale={text.locale}
      title={[heading, ...titleParts].join(' · ')}
      script={{ path: DASHBOARD_SCRIPT_PATH, sha256: DASHBOARD_SCRIPT_SHA256 }}
      head={
        <>
          <link
            rel="stylesheet"
            href={DASHBOARD_CSS_PATH}
            integrity={`sha256-${DASHBOARD_CSS_SHA256}`}
          />
          {props.refreshSeconds !== undefined && (
            <noscript>
              <meta http-equiv="refresh" content={String(props.refreshSeconds)} />
            </noscript>
          )}
        </>
      }
    >
      <a class="skip" href="#content">
        {text.skipToContent}
      </a>
      <header class={isSandbox ? 'top top-sandbox' : 'top'}>
        <div class="bar">
          <a class="mark" href={props.home}>
            {owner === undefined ? titleParts.at(-1) : <bdi>{owner}</bdi>}
          </a>
          {bar}
        </div>
        {props.header}
      </header>
      <main id="content" class={props.isNarrow ? 'narrow' : undefined} tabindex={-1}>
        <PageHeader title={heading} {...props.head} />
        {props.children}
      </main>
      {props.footer && <footer class="foot">{props.footer}</footer>}
    </Document>
  );
}

/** The page in the other languages. */
export function Languages() {
  const url = usePageUrl();
  const text = useTexts(DASHBOARD_TEXTS).frame;
  return (
    <LanguageSwitch
      label={text.languages}
      names={BACK_OFFICE_LANGUAGE_NAMES}
      locale={text.locale}
      href={(language) => languagePath(url, language)}
    />
  );
}

function languagePath(url: URL, language: BackOfficeLanguage): string {
  const query = new URLSearchParams(url.search);
  query.set(LANGUAGE_PARAMETER, language);
  // `done` names a form's message, which would appear again in the other language.
  query.delete('done');
  return `${url.pathname}?${query}`;
}

/** A row of links between pages, the current one marked. */
export function Navigation(props: {
  readonly class: 'nav' | 'parts' | 'segments' | 'tabs' | 'chips';
  readonly label: string;
  readonly links: readonly {
    readonly href: string;
    readonly text: string;
    readonly isCurrent: boolean;
  }[];
}) {
  // The others switch what the page shows; these lead to other pages.
  const current = props.class === 'nav' || props.class === 'parts' ? 'page' : 'true';
  return (
    <nav class={props.class} aria-label={props.label}>
      {props.links.map(({ href, text, isCurrent }) => (
        <a href={href} aria-current={isCurrent ? current : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
