import { type ComponentChildren, h } from 'preact';
import { LANGUAGE_NAMES, LANGUAGE_PARAMETER } from '../../../kit/i18n/language.ts';
import { Document, LanguageSwitch } from '../../../kit/ui/document.tsx';
import { CHECKOUT_CSS, CHECKOUT_SCRIPT_PATH, CHECKOUT_SCRIPT_SHA256 } from '../assets.generated.ts';
import { useText } from '../texts.ts';

export interface CheckoutDocumentProps {
  readonly title: string;
  readonly isTest: boolean;
  /** Whether people other than the customer may have the link. */
  readonly isPublic?: boolean;
  /** The page's own path, or null when it cannot be fetched again. */
  readonly path: string | null;
  /** The part of the page's query that the language switch keeps. */
  readonly query?: string;
  /** How a page of `path` detects that it is out of date. `fast`: the customer waits for a result. */
  readonly follow?: { readonly tag: string; readonly speed: 'fast' | 'slow' } | null;
  /** Only without JavaScript: reloads the page, or opens `url`, after this time. */
  readonly refresh?: { readonly afterSeconds: number; readonly url: string | null } | null;
  /** The merchant's style sheet. The response's CSP must name its hash. */
  readonly brandCss?: string | null;
  /** What a chat shows of a link to the page. Null: nothing. */
  readonly preview?: {
    readonly title: string;
    readonly description?: string | null;
    readonly imageUrl: string | null;
  } | null;
  /** Where the customer returns to, with the payment's status; for the page that opened a popup. */
  readonly returnUrl?: string | null;
  readonly children: ComponentChildren;
}

/** Every page that customers see. */
export function CheckoutDocument(props: CheckoutDocumentProps) {
  const { title, isTest, path, follow, refresh, brandCss, preview } = props;
  const text = useText();
  return (
    <Document
      locale={text.locale}
      title={title}
      script={{ path: CHECKOUT_SCRIPT_PATH, sha256: CHECKOUT_SCRIPT_SHA256 }}
      head={
        <>
          <meta name="format-detection" content="telephone=no" />
          {preview && <meta property="og:title" content={preview.title} />}
          {preview?.description && <meta property="og:description" content={preview.description} />}
          {preview?.imageUrl && <meta property="og:image" content={preview.imageUrl} />}
          {inlineStyle(CHECKOUT_CSS)}
          {brandCss && inlineStyle(brandCss)}
          {refresh && (
            <noscript>
              <meta http-equiv="refresh" content={refreshContent(refresh)} />
            </noscript>
          )}
        </>
      }
      data={{
        'data-page': path ?? undefined,
        'data-status': follow ? `${path}/status` : undefined,
        'data-state': follow?.tag,
        'data-follow': follow?.speed,
        'data-way-back': props.returnUrl ?? undefined,
      }}
    >
      <header>
        {isTest && <p class="test-banner">{text.testBanner}</p>}
        <LanguageSwitch
          label={text.languages}
          names={LANGUAGE_NAMES}
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
        {props.isPublic !== true && <p>{text.keepLinkPrivate}</p>}
      </footer>
    </Document>
  );
}

/**
 * An inline style sheet, which saves a round trip before a phone can show anything. The CSP allows
 * it by its hash. `css` must be our own: it is not escaped, because that would break its selectors.
 */
function inlineStyle(css: string): ComponentChildren {
  return h('style', { dangerouslySetInnerHTML: { __html: css } });
}

function refreshContent(refresh: NonNullable<CheckoutDocumentProps['refresh']>): string {
  const after = String(refresh.afterSeconds);
  return refresh.url === null ? after : `${after};url=${refresh.url}`;
}
