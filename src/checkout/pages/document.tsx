import type { ComponentChildren } from 'preact';
import { LANGUAGE_PARAMETER, LANGUAGES } from '../../i18n/language.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import {
  CHECKOUT_CSS,
  CHECKOUT_SCRIPT_PATH,
  CHECKOUT_SCRIPT_SHA256,
} from '../../ui/checkout-assets.generated.ts';
import { inlineStyle } from './inline-style.ts';

/** How a page learns that it is out of date. */
export interface Follow {
  /** Answers the payment's tag and remaining time. */
  readonly statusPath: string;
  /** The tag of what the page shows. */
  readonly tag: string;
  /** `fast`: the customer waits for a result. */
  readonly speed: 'fast' | 'slow';
}

export interface DocumentProps {
  readonly text: CheckoutMessages;
  readonly title: string;
  readonly isTest: boolean;
  /** The page's own path, or null when it has none that can be fetched again. */
  readonly path: string | null;
  /** What the language switch keeps of the page's query. */
  readonly query?: string;
  readonly follow?: Follow | null;
  /** Only without JavaScript: the page fetches itself, or `url`, again after so long. */
  readonly refresh?: { readonly afterSeconds: number; readonly url: string | null } | null;
  /** The merchant's style sheet, whose hash the answer's CSP must name. */
  readonly brandCss?: string | null;
  readonly children: ComponentChildren;
}

/** The frame of every page: no word, script or style in it comes from anywhere else. */
export function Document(props: DocumentProps) {
  const { text, title, isTest, path, follow = null, refresh = null, brandCss = null } = props;
  return (
    <html lang={text.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        {inlineStyle(CHECKOUT_CSS)}
        {brandCss !== null && inlineStyle(brandCss)}
        <link rel="icon" href="data:," />
        <script
          type="module"
          src={CHECKOUT_SCRIPT_PATH}
          integrity={`sha256-${CHECKOUT_SCRIPT_SHA256}`}
        />
        {refresh !== null && (
          <noscript>
            <meta http-equiv="refresh" content={refreshContent(refresh)} />
          </noscript>
        )}
      </head>
      <body
        data-page={path ?? undefined}
        data-status={follow?.statusPath}
        data-state={follow?.tag}
        data-follow={follow?.speed}
      >
        <header>
          {isTest && <p class="test-banner">{text.testBanner}</p>}
          <LanguageSwitch text={text} path={path} query={props.query ?? ''} />
        </header>
        <p
          class="connection"
          role="status"
          data-connection
          data-text={text.noConnection}
          data-unsent={text.notSentOffline}
        />
        {props.children}
        <footer class="foot">
          <p>{text.poweredBy}</p>
          <p>{text.keepLinkPrivate}</p>
        </footer>
        <p class="visually-hidden" role="status" data-announcer />
      </body>
    </html>
  );
}

/** Plain links: they work without JavaScript, and the answer remembers the choice. */
function LanguageSwitch({
  text,
  path,
  query,
}: Pick<DocumentProps, 'text' | 'path'> & { readonly query: string }) {
  return (
    <nav class="languages" aria-label={text.languages}>
      {Object.entries(LANGUAGES).map(([code, language]) => (
        <a
          href={`${path ?? ''}?${query}${LANGUAGE_PARAMETER}=${code}`}
          lang={code}
          hreflang={code}
          aria-current={language.locale === text.locale ? 'true' : undefined}
        >
          {language.languageName}
        </a>
      ))}
    </nav>
  );
}

function refreshContent(refresh: NonNullable<DocumentProps['refresh']>): string {
  const after = String(refresh.afterSeconds);
  return refresh.url === null ? after : `${after};url=${refresh.url}`;
}
