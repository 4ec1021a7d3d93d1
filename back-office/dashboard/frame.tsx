import type { ComponentChildren, VNode } from 'preact';
import { ENVIRONMENTS } from '../../src/kit/tenant.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { answerPage } from '../ui/answer.ts';
import { DoneMessage } from '../ui/elements.tsx';
import { PageProblems, ProblemList, type Problems } from '../ui/fields.tsx';
import type { PageHead } from '../ui/layout.tsx';
import { BackOfficePage, Navigation } from '../ui/page.tsx';
import { CurrentCall, type DashboardCall, useCall } from './call.ts';
import { MainNavigation, type NavItem, pathInEnvironment } from './navigation.tsx';

/** Why the form that a page answers was rejected; empty unless it was. */
export interface Refusal {
  readonly problems?: Problems | undefined;
  readonly status?: number | undefined;
}

/**
 * The response with a page of a signed-in member. A post's own URL cannot be fetched, so the links to
 * itself of a page that answers one lead to `at`.
 */
export function showPage(
  call: DashboardCall,
  page: VNode,
  {
    at,
    problems = [],
    status = problems.length === 0 ? 200 : 400,
  }: Refusal & { readonly at?: string } = {},
): Response {
  const isMoved = call.request.method === 'POST' && at !== undefined;
  const shown = isMoved ? { ...call, url: new URL(at, call.url) } : call;
  const document = (
    <CurrentCall.Provider value={shown}>
      <PageProblems.Provider value={problems}>{page}</PageProblems.Provider>
    </CurrentCall.Provider>
  );
  return answerPage(shown, document, { status });
}

export interface FrameProps {
  readonly title: string;
  /** The part of the dashboard that the page belongs to; null for none. */
  readonly active: NavItem | null;
  /** Where the environment's switch leads, if not to the part's first page: the end of the path. */
  readonly path?: string | undefined;
  /** The messages that a redirect's `done` can name. */
  readonly done?: Readonly<Record<string, ComponentChildren>> | undefined;
  readonly notDone?: Readonly<Record<string, ComponentChildren>> | undefined;
  /** What the page begins with, besides its title. */
  readonly head?: PageHead | undefined;
  /** When the page loads again by itself without our script. */
  readonly refreshSeconds?: number | undefined;
  readonly children: ComponentChildren;
}

/**
 * A page of a signed-in member: the merchant, the environment and the navigation. The language and
 * *Sign out* are on *My account*.
 */
export function Frame(props: FrameProps) {
  const { title, active, done = {}, notDone = {}, head, refreshSeconds, children } = props;
  const { session, environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).frame;
  const path = props.path ?? pathInEnvironment(active);
  return (
    <BackOfficePage
      heading={title}
      titleParts={[session.merchantName, text.product]}
      home="/dashboard"
      owner={session.merchantName}
      bar={path === null ? null : <EnvironmentSwitch path={path} />}
      isSandbox={path !== null && environment === 'sandbox'}
      header={<Header active={active} />}
      head={head}
      refreshSeconds={refreshSeconds}
    >
      <ProblemList />
      <DoneMessage texts={done} />
      <DoneMessage texts={notDone} tone="bad" />
      {children}
    </BackOfficePage>
  );
}

function Header({ active }: Pick<FrameProps, 'active'>) {
  const { session } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).frame;
  return (
    <>
      <MainNavigation active={active} />
      {session.isSuspended && <p class="banner banner-bad">{text.suspendedBanner}</p>}
      {session.isInMaintenance && <p class="banner banner-warning">{text.maintenanceBanner}</p>}
      {session.areChangesPaused && <p class="banner banner-warning">{text.pausedBanner}</p>}
    </>
  );
}

/** Links to the same list in the other environment, because single items exist in only one. */
function EnvironmentSwitch({ path }: { readonly path: string }) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).frame;
  return (
    <>
      {call.environment === 'sandbox' && <p class="sandbox-note">{text.sandboxBanner}</p>}
      <Navigation
        class="segments"
        label={text.environments}
        links={ENVIRONMENTS.map((environment) => ({
          href: `/dashboard/${environment}/${path}`,
          text: text.environment[environment],
          isCurrent: environment === call.environment,
        }))}
      />
    </>
  );
}

/** A page without a session. */
export function PublicFrame(props: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const { title } = props;
  const { product } = useTexts(DASHBOARD_TEXTS).frame;
  return (
    <BackOfficePage heading={title} titleParts={[product]} home="/dashboard" isNarrow={true}>
      {props.children}
    </BackOfficePage>
  );
}
