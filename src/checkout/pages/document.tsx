import { type ComponentChildren, h } from 'preact';
import { LANGUAGE_PARAMETER, LANGUAGES } from '../../i18n/language.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { Document, LanguageSwitch } from '../../ui/document.tsx';
import { CHECKOUT_CSS, CHECKOUT_SCRIPT_PATH, CHECKOUT_SCRIPT_SHA256 } from '../assets.generated.ts';

/** How a page learns that it is out of date. */
export interface Follow {
  /** Answers the payment's tag and remaining time. */
  readonly statusPath: string;
  /** The tag of what the page shows. */
  readonly tag: string;
  /** `fast`: the customer waits for a result. */
  readonly speed: 'fast' | 'slow';
}

export interface CheckoutDocumentProps {
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

/** Every page that customers see. */
export function CheckoutDocument(props: CheckoutDocumentProps) {
  const { text, title, isTest, path, follow = null, refresh = null, brandCss = null } = props;
  return (
    <Document
      locale={text.locale}
      title={title}
      script={{ path: CHECKOUT_SCRIPT_PATH, sha256: CHECKOUT_SCRIPT_SHA256 }}
      head={
        <>
          <meta name="format-detection" content="telephone=no" />
          {inlineStyle(CHECKOUT_CSS)}
          {brandCss !== null && inlineStyle(brandCss)}
          {refresh !== null && (
            <noscript>
              <meta http-equiv="refresh" content={refreshContent(refresh)} />
            </noscript>
          )}
        </>
      }
      data={{
        'data-page': path ?? undefined,
        'data-status': follow?.statusPath,
        'data-state': follow?.tag,
        'data-follow': follow?.speed,
      }}
    >
      <header>
        {isTest && <p class="test-banner">{text.testBanner}</p>}
        <LanguageSwitch
          label={text.languages}
          languages={LANGUAGES}
          locale={text.locale}
          href={(code) => `${path ?? ''}?${props.query ?? ''}${LANGUAGE_PARAMETER}=${code}`}
        />
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
    </Document>
  );
}

/**
 * A style sheet within the page: one round trip less before a phone can show anything. The CSP
 * allows it by its hash. `css` must be ours: CSS is not escaped, which would break its selectors.
 */
function inlineStyle(css: string): ComponentChildren {
  return h('style', { dangerouslySetInnerHTML: { __html: css } });
}

function refreshContent(refresh: NonNullable<CheckoutDocumentProps['refresh']>): string {
  const after = String(refresh.afterSeconds);
  return refresh.url === null ? after : `${after};url=${refresh.url}`;
}
