import type { SavedLink, ShownLink } from '../../../src/control/rpc/links.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import type { Problems } from '../../ui/fields.tsx';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { showPage } from '../frame.tsx';
import { listRequest, PAGE_ROWS } from '../list.tsx';
import { linksPath } from '../paths.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { bodyOf, problemsOf, type TypedLink, typedIn, typedOf } from './form.ts';
import { LinksPage, NewLinkPage, OneLinkPage } from './links-page.tsx';
import { downloadPng, downloadSvg, showSign } from './sign.tsx';

const LINKS = '/dashboard/:environment/links';
const LINK = `${LINKS}/:link` as const;

/** Payment links (docs/links.md), each by its code: ids may be any text. */
export const LINK_ROUTES: readonly DashboardRoute[] = [
  get(LINKS, 'view', showLinks),
  // Before the page of a link, whose path also fits.
  get(`${LINKS}/new`, 'develop', async (call) => newLink(call, typedOf(null))),
  post(LINKS, 'develop', createLink),
  get(LINK, 'view', async (call) => answerLink(call, await known(call))),
  post(LINK, 'develop', editLink),
  get(`${LINK}/sign`, 'view', showSign),
  get(`${LINK}/code.svg`, 'view', downloadSvg),
  get(`${LINK}/code.png`, 'view', downloadPng),
  post(`${LINK}/deactivate`, 'develop', (call) => setActive(call, false)),
  post(`${LINK}/activate`, 'develop', (call) => setActive(call, true)),
];

async function showLinks(call: DashboardCall): Promise<Response> {
  const request = listRequest(call);
  const { links } = call.payments;
  const { origin } = call.url;
  const page = await links.list(tenantOf(call), {}, request.cursor, PAGE_ROWS, origin);
  return showPage(call, <LinksPage request={request} page={page} />, { status: request.status });
}

function newLink(call: DashboardCall, typed: TypedLink, problems: Problems = []): Response {
  const at = linksPath(call.environment, '/new');
  return showPage(call, <NewLinkPage typed={typed} />, { at, problems });
}

async function createLink(call: DashboardCall): Promise<Response> {
  const typed = typedIn(call.form);
  const { create } = call.payments.links;
  const saved = await create(tenantOf(call), actorOf(call), bodyOf(typed), call.url.origin);
  return answerSaved(call, saved, typed, (problems) => newLink(call, typed, problems));
}

async function editLink(call: DashboardCall): Promise<Response> {
  const typed = typedIn(call.form);
  const { edit } = call.payments.links;
  const args = [codeIn(call), bodyOf(typed), call.url.origin] as const;
  const saved = await edit(tenantOf(call), actorOf(call), ...args);
  return answerSaved(call, saved, typed, async (problems) =>
    answerLink(call, await known(call), typed, problems),
  );
}

function answerSaved(
  call: DashboardCall,
  saved: SavedLink,
  typed: TypedLink,
  refuse: (problems: Problems) => Response | Promise<Response>,
): Response | Promise<Response> {
  const text = DASHBOARD_TEXTS[call.language].links;
  switch (saved.type) {
    case 'saved':
      return redirectTo(linksPath(call.environment, `/${saved.code}`), { done: 'saved' });
    case 'full':
      return refuse([[null, text.full]]);
    case 'bad':
      return refuse(problemsOf(text, typed, saved.errors));
  }
}

async function known(call: DashboardCall): Promise<ShownLink> {
  const { link } = call.payments.links;
  return found(await link(tenantOf(call), codeIn(call), call.url.origin));
}

async function answerLink(
  call: DashboardCall,
  shown: ShownLink,
  typed: TypedLink = typedOf(shown.link),
  problems: Problems = [],
): Promise<Response> {
  const request = listRequest(call);
  const { payments } = call.payments.links;
  const { link } = shown;
  const found = await payments(tenantOf(call), link.id, request.cursor, PAGE_ROWS);
  const at = linksPath(call.environment, `/${link.code}`);
  const page = <OneLinkPage {...shown} {...found} request={request} typed={typed} />;
  return showPage(call, page, { at, problems, status: request.status });
}

async function setActive(call: DashboardCall, isActive: boolean): Promise<Response> {
  const code = codeIn(call);
  await call.payments.links.setActive(tenantOf(call), actorOf(call), code, isActive);
  return redirectTo(linksPath(call.environment, `/${code}`), { done: 'saved' });
}

function codeIn({ params }: DashboardCall): string {
  return params.link ?? '';
}
