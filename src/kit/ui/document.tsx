import type { ComponentChildren } from 'preact';

/** One of our scripts or style sheets. */
export interface Asset {
  readonly path: string;
  /** Base64. A browser rejects any other content. */
  readonly sha256: string;
}

/** `--page` in `tokens.css`, for the bars of the browser. */
export const PAGE_COLOR = '#f1f4f1';
export const PAGE_COLOR_DARK = '#0d1210';

/** The shell of every page, without content from another origin. */
export function Document(props: {
  readonly locale: string;
  readonly title: string;
  readonly script: Asset;
  /** The style sheet and other content of the head. */
  readonly head: ComponentChildren;
  /** `data-` attributes for the script. */
  readonly data?: Readonly<Record<`data-${string}`, string | undefined>>;
  readonly children: ComponentChildren;
}) {
  const { script } = props;
  return (
    <html lang={props.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{props.title}</title>
        {props.head}
        <meta name="theme-color" content={PAGE_COLOR} media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content={PAGE_COLOR_DARK} media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <script type="module" src={script.path} integrity={`sha256-${script.sha256}`} />
      </head>
      <body {...props.data}>
        {props.children}
        <p class="visually-hidden" role="status" data-announcer />
      </body>
    </html>
  );
}

/** Plain links, which work without JavaScript. The response stores the choice in a cookie. */
export function LanguageSwitch<Code extends string>(props: {
  readonly label: string;
  /** Each language's name for itself, by its code. */
  readonly names: Readonly<Record<Code, string>>;
  /** The page's, such as `am-ET`. */
  readonly locale: string;
  /** The page's URL in the language. */
  readonly href: (language: Code) => string;
}) {
  const { label, names, href } = props;
  const [current] = props.locale.split('-');
  return (
    <nav class="languages" aria-label={label}>
      {(Object.keys(names) as Code[]).map((code) => (
        <a
          href={href(code)}
          lang={code}
          hreflang={code}
          aria-current={code === current ? 'true' : undefined}
        >
          {names[code]}
        </a>
      ))}
    </nav>
  );
}
