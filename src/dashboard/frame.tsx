import type { ComponentChildren } from 'preact';
import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import {
  BACK_OFFICE_LANGUAGES,
  type BackOfficeLanguage,
  DASHBOARD_TEXTS,
} from '../i18n/back-office.ts';
import { LANGUAGE_PARAMETER } from '../i18n/language.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { isAllowed, type Permission } from '../members/permissions.ts';
import {
  DASHBOARD_CSS_PATH,
  DASHBOARD_CSS_SHA256,
  DASHBOARD_SCRIPT_PATH,
  DASHBOARD_SCRIPT_SHA256,
} from '../ui/dashboard-assets.generated.ts';
import type { DashboardCall, PublicCall } from './call.ts';
import { CsrfField } from '../ui/elements.tsx';

export type NavItem = keyof DashboardMessages['frame']['nav'];

interface NavEntry {
  readonly item: NavItem;
  /** Whether there is one page for each environment, or one for the merchant. */
  readonly perEnvironment: boolean;
  readonly permission: Permission;
}

const NAVIGATION: readonly NavEntry[] = [
  { item: 'payments', perEnvironment: true, permission: 'view' },
  { item: 'webhooks', perEnvironment: true, permission: 'view' },
  { item: 'keys', perEnvironment: true, permission: 'view' },
  { item: 'methods', perEnvironment: true, permission: 'view' },
  { item: 'branding', perEnvironment: false, permission: 'manage' },
  { item: 'team', perEnvironment: false, permission: 'manage' },
  { item: 'audit', perEnvironment: false, permission: 'manage' },
  { item: 'account', perEnvironment: false, permission: 'view' },
];

/** A page of a signed-in member: who and where they are, the ways on, and the page's own content. */
export function Frame(props: {
  readonly call: DashboardCall;
  readonly title: string;
  /** The part of the dashboard that the page belongs to. */
  readonly active: NavItem;
  readonly children: ComponentChildren;
}) {
  const { call, title, active } = props;
  const { session, environment } = call;
  const text = DASHBOARD_TEXTS[call.language].frame;
  const isPerEnvironment = NAVIGATION.some(
    (entry) => entry.item === active && entry.perEnvironment,
  );
  return (
    <Html call={call} title={`${title} · ${session.merchantName} · ${text.product}`}>
      <header class="top">
        <div class="top-row">
          <a class="mark" href="/dashboard">
            {text.product}
          </a>
          <p class="whose">
            <strong>{session.merchantName}</strong>
            <span class="quiet">
              {' '}
              {session.memberName}, {text.role[session.role]}
            </span>
          </p>
          <LanguageSwitch call={call} />
          <form method="post" action="/dashboard/sign-out">
            <CsrfField session={session} />
            <button class="plain" type="submit">
              {text.signOut}
            </button>
          </form>
        </div>
        <nav class="nav" aria-label={text.navigation}>
          {NAVIGATION.filter(({ permission }) => isAllowed(session.role, permission)).map(
            ({ item, perEnvironment }) => (
              <a
                href={perEnvironment ? `/dashboard/${environment}/${item}` : `/dashboard/${item}`}
                aria-current={item === active ? 'page' : undefined}
              >
                {text.nav[item]}
              </a>
            ),
          )}
        </nav>
        {session.isSuspended && <p class="banner banner-bad">{text.suspendedBanner}</p>}
        {isPerEnvironment && <EnvironmentSwitch call={call} item={active} />}
      </header>
      <main id="content" tabindex={-1}>
        <h1>{title}</h1>
        {props.children}
      </main>
    </Html>
  );
}

/** A page of whoever is not signed in. */
export function PublicFrame(props: {
  readonly call: Pick<PublicCall, 'language' | 'url'>;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const { call, title } = props;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return (
    <Html call={call} title={`${title} · ${text.product}`}>
      <header class="top">
        <div class="top-row">
          <a class="mark" href="/dashboard">
            {text.product}
          </a>
          <LanguageSwitch call={call} />
        </div>
      </header>
      <main id="content" class="narrow" tabindex={-1}>
        <h1>{title}</h1>
        {props.children}
      </main>
    </Html>
  );
}

/** Head and body of every page: nothing but our own styles and script. */
export function Html(props: {
  readonly call: Pick<PublicCall, 'language'>;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const text = DASHBOARD_TEXTS[props.call.language].frame;
  return (
    <html lang={text.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{props.title}</title>
        <link
          rel="stylesheet"
          href={DASHBOARD_CSS_PATH}
          integrity={`sha256-${DASHBOARD_CSS_SHA256}`}
        />
        <link rel="icon" href="data:," />
        <script
          type="module"
          src={DASHBOARD_SCRIPT_PATH}
          integrity={`sha256-${DASHBOARD_SCRIPT_SHA256}`}
        />
      </head>
      <body>
        <a class="skip" href="#content">
          {text.skipToContent}
        </a>
        {props.children}
        <p class="visually-hidden" role="status" data-announcer />
      </body>
    </html>
  );
}

/** The same page in the other environment: the list, never a thing that exists in one of them. */
function EnvironmentSwitch(props: { readonly call: DashboardCall; readonly item: NavItem }) {
  const { call, item } = props;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return (
    <div class={`environment environment-${call.environment}`}>
      <nav class="segments" aria-label={text.environments}>
        {ENVIRONMENTS.map((environment: Environment) => (
          <a
            href={`/dashboard/${environment}/${item}`}
            aria-current={environment === call.environment ? 'true' : undefined}
          >
            {text.environment[environment]}
          </a>
        ))}
      </nav>
      {call.environment === 'sandbox' && <p class="small">{text.sandboxBanner}</p>}
    </div>
  );
}

/** Plain links: they work without JavaScript, and the answer remembers the choice. */
export function LanguageSwitch({ call }: { readonly call: Pick<PublicCall, 'language' | 'url'> }) {
  const text = DASHBOARD_TEXTS[call.language].frame;
  return (
    <nav class="languages" aria-label={text.languages}>
      {Object.entries(BACK_OFFICE_LANGUAGES).map(([code, name]) => (
        <a
          href={languagePath(call.url, code as BackOfficeLanguage)}
          lang={code}
          hreflang={code}
          aria-current={code === call.language ? 'true' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

function languagePath(url: URL, language: BackOfficeLanguage): string {
  const query = new URLSearchParams(url.search);
  query.set(LANGUAGE_PARAMETER, language);
  // It told what a form did; in another language it would say so again.
  query.delete('done');
  return `${url.pathname}?${query}`;
}
