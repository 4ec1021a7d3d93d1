import type { ComponentChildren } from 'preact';
import { ENVIRONMENTS } from '../../src/domain/method.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { isAllowed, type Permission } from '../members/permissions.ts';
import { BackOfficePage, Navigation, type PageView } from '../ui/page.tsx';
import type { DashboardCall } from './call.ts';
import { ButtonForm } from './forms.tsx';

export type NavItem = keyof DashboardMessages['frame']['nav'];

interface NavEntry {
  readonly item: NavItem;
  /** Whether there is one page for each environment, or one for the merchant. */
  readonly perEnvironment: boolean;
  readonly permission: Permission;
}

const NAVIGATION: readonly NavEntry[] = [
  { item: 'overview', perEnvironment: true, permission: 'view' },
  { item: 'payments', perEnvironment: true, permission: 'view' },
  { item: 'refunds', perEnvironment: true, permission: 'view' },
  { item: 'webhooks', perEnvironment: true, permission: 'view' },
  { item: 'keys', perEnvironment: true, permission: 'view' },
  { item: 'methods', perEnvironment: true, permission: 'view' },
  { item: 'branding', perEnvironment: false, permission: 'manage' },
  { item: 'team', perEnvironment: false, permission: 'manage' },
  { item: 'audit', perEnvironment: false, permission: 'manage' },
  { item: 'account', perEnvironment: false, permission: 'view' },
];

/** A page of a signed-in member, with their name, merchant and role, and the navigation. */
export function Frame(props: {
  readonly call: DashboardCall;
  readonly title: string;
  /** The part of the dashboard that the page belongs to. */
  readonly active: NavItem;
  readonly children: ComponentChildren;
}) {
  const { call, title, active } = props;
  const { session } = call;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return (
    <BackOfficePage
      call={call}
      heading={title}
      titleParts={[session.merchantName, text.product]}
      home="/dashboard"
      beforeLanguages={
        <p class="whose">
          <strong>{session.merchantName}</strong>
          <span class="quiet">
            {' '}
            {session.memberName}, {text.role[session.role]}
          </span>
        </p>
      }
      afterLanguages={
        <ButtonForm call={call} action="/dashboard/sign-out" label={text.signOut} tone="plain" />
      }
      header={<Header call={call} active={active} />}
    >
      {props.children}
    </BackOfficePage>
  );
}

function Header({ call, active }: { readonly call: DashboardCall; readonly active: NavItem }) {
  const { session, environment } = call;
  const text = DASHBOARD_TEXTS[call.language].frame;
  const entries = NAVIGATION.filter(({ permission }) => isAllowed(session.role, permission));
  const isPerEnvironment = NAVIGATION.some(
    (entry) => entry.item === active && entry.perEnvironment,
  );
  return (
    <>
      <Navigation
        class="nav"
        label={text.navigation}
        links={entries.map(({ item, perEnvironment }) => ({
          href: perEnvironment ? `/dashboard/${environment}/${item}` : `/dashboard/${item}`,
          text: text.nav[item],
          isCurrent: item === active,
        }))}
      />
      {session.isSuspended && <p class="banner banner-bad">{text.suspendedBanner}</p>}
      {isPerEnvironment && <EnvironmentSwitch call={call} item={active} />}
    </>
  );
}

/** Links to the same list in the other environment, because single items exist in only one. */
function EnvironmentSwitch(props: { readonly call: DashboardCall; readonly item: NavItem }) {
  const { call, item } = props;
  const text = DASHBOARD_TEXTS[call.language].frame;
  return (
    <div class={`environment environment-${call.environment}`}>
      <Navigation
        class="segments"
        label={text.environments}
        links={ENVIRONMENTS.map((environment) => ({
          href: `/dashboard/${environment}/${item}`,
          text: text.environment[environment],
          isCurrent: environment === call.environment,
        }))}
      />
      {call.environment === 'sandbox' && <p class="small">{text.sandboxBanner}</p>}
    </div>
  );
}

/** A page without a session. */
export function PublicFrame(props: {
  readonly call: PageView;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const { call, title } = props;
  const { product } = DASHBOARD_TEXTS[call.language].frame;
  return (
    <BackOfficePage
      call={call}
      heading={title}
      titleParts={[product]}
      home="/dashboard"
      isNarrow={true}
    >
      {props.children}
    </BackOfficePage>
  );
}
