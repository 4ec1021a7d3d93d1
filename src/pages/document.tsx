import type { ComponentChildren } from 'preact';
import type { Messages } from './messages.ts';

export interface DocumentProps {
  readonly text: Messages;
  readonly title: string;
  readonly isTest: boolean;
  /** Works without JavaScript: the page fetches itself, or `url`, again after so long. */
  readonly refresh?: { readonly afterSeconds: number; readonly url: string | null } | null;
  readonly children: ComponentChildren;
}

/** The frame of every page. No script, no inline style: the CSP allows neither. */
export function Document({ text, title, isTest, refresh = null, children }: DocumentProps) {
  return (
    <html lang={text.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no" />
        <meta name="robots" content="noindex, nofollow" />
        {refresh !== null && <meta http-equiv="refresh" content={refreshContent(refresh)} />}
        <title>{title}</title>
        <link rel="stylesheet" href="/assets/checkout.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        {isTest && (
          <p class="test-banner" role="note">
            {text.testBanner}
          </p>
        )}
        <main class="sheet">{children}</main>
        <footer class="foot">
          <p>{text.poweredBy}</p>
          <p>{text.keepLinkPrivate}</p>
        </footer>
      </body>
    </html>
  );
}

function refreshContent(refresh: NonNullable<DocumentProps['refresh']>): string {
  const after = String(refresh.afterSeconds);
  return refresh.url === null ? after : `${after};url=${refresh.url}`;
}
