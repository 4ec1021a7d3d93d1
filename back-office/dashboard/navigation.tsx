import type { JSX } from 'preact';
import { useTexts } from '../../src/kit/ui/texts.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { isAllowed, type Permission } from '../members/permissions.ts';
import { useCall } from './call.ts';

export type NavItem = keyof DashboardMessages['frame']['nav'];

interface NavEntry {
  readonly item: NavItem;
  /** The last part of the path of its first page. */
  readonly path: string;
  /** Whether there is one page for each environment, or one for the merchant. */
  readonly perEnvironment: boolean;
  readonly permission: Permission;
}

/** What a phone has room for, in the bar at the bottom: the others are behind *More*. */
const ICONS: Readonly<Partial<Record<NavItem, JSX.Element>>> = {
  overview: icon('M3 11 12 3l9 8M5.5 9v11h13V9M10 20v-6h4v6'),
  payments: icon('M3 5h18v14H3zM3 10h18M7 15h4'),
  refunds: icon('M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3'),
  till: icon('M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2'),
};
const MORE_ICON = icon('M4 7h16M4 12h16M4 17h16');

const NAVIGATION: readonly NavEntry[] = [
  { item: 'overview', path: 'overview', perEnvironment: true, permission: 'view' },
  { item: 'payments', path: 'payments', perEnvironment: true, permission: 'view' },
  { item: 'refunds', path: 'refunds', perEnvironment: true, permission: 'view' },
  { item: 'till', path: 'till', perEnvironment: true, permission: 'sell' },
  { item: 'didPay', path: 'did-pay', perEnvironment: true, permission: 'view' },
  { item: 'links', path: 'links', perEnvironment: true, permission: 'view' },
  {
    item: 'notifications',
    path: 'notifications',
    perEnvironment: true,
    permission: 'view',
  },
  { item: 'developers', path: 'keys', perEnvironment: true, permission: 'develop' },
  { item: 'methods', path: 'methods', perEnvironment: true, permission: 'view' },
  { item: 'branding', path: 'branding', perEnvironment: false, permission: 'manage' },
  { item: 'team', path: 'team', perEnvironment: false, permission: 'manage' },
  { item: 'audit', path: 'audit', perEnvironment: false, permission: 'manage' },
  { item: 'account', path: 'account', perEnvironment: false, permission: 'account' },
];

function icon(path: string) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** The path of the item's first page in each environment, without it; null for a merchant-wide page. */
export function pathInEnvironment(active: NavItem | null): string | null {
  const entry = NAVIGATION.find(({ item }) => item === active);
  return entry?.perEnvironment === true ? entry.path : null;
}

/**
 * The links of every page: one line on a desk, and on a phone a bar at the bottom, where *More* opens
 * the rest without JavaScript.
 */
export function MainNavigation({ active }: { readonly active: NavItem | null }) {
  const { session } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).frame;
  const entries = NAVIGATION.filter(({ permission }) => isAllowed(session.role, permission));
  const others = entries.filter(({ item }) => ICONS[item] === undefined);
  const isBehindMore = others.some(({ item }) => item === active);
  return (
    <nav class="main-nav" aria-label={text.navigation}>
      {entries
        .filter(({ item }) => ICONS[item] !== undefined)
        .map((entry) => (
          <NavLink entry={entry} active={active} />
        ))}
      <span class="nav-others">
        {others.map((entry) => (
          <NavLink entry={entry} active={active} />
        ))}
      </span>
      <details class="nav-more">
        <summary aria-current={isBehindMore ? 'true' : undefined}>
          {MORE_ICON}
          {text.more}
        </summary>
        <div class="nav-sheet">
          {others.map((entry) => (
            <NavLink entry={entry} active={active} />
          ))}
        </div>
      </details>
    </nav>
  );
}

function NavLink(props: { readonly entry: NavEntry; readonly active: NavItem | null }) {
  const { item, path, perEnvironment } = props.entry;
  const { environment } = useCall();
  return (
    <a
      href={perEnvironment ? `/dashboard/${environment}/${path}` : `/dashboard/${path}`}
      aria-current={item === props.active ? 'page' : undefined}
    >
      {ICONS[item]}
      {useTexts(DASHBOARD_TEXTS).frame.nav[item]}
    </a>
  );
}
