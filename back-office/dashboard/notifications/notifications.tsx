import type { TypedConnection } from '../../../src/control/rpc/notifications.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { type Member, membersOf } from '../../members/members.ts';
import { isAllowed } from '../../members/permissions.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, mayChange, tenantOf } from '../call.ts';
import { type Refusal, showPage } from '../frame.tsx';
import { endpointPath, notificationsPath } from '../paths.ts';
import { type Asked, confirmedPost, inProduction, wrong } from '../people/confirmation.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { ConnectionPage, GonePage, NotificationsPage, SCOPES } from './notifications-page.tsx';

const NOTIFICATIONS = '/dashboard/:environment/notifications';
const CONNECTION = `${NOTIFICATIONS}/connections/:connection` as const;

/** Links that the form offers. A merchant with more connects them by the API's ids one day. */
const LINKS_OFFERED_MAX = 100;

/**
 * The people who are told of payments (docs/notifications.md). In production the passkey confirms a new
 * one, as it does a new endpoint.
 */
export const NOTIFICATION_ROUTES: readonly DashboardRoute[] = [
  get(NOTIFICATIONS, 'view', (call) => answerPeople(call, NEW_CONNECTION)),
  ...confirmedPost(NOTIFICATIONS, 'develop', 'webhook-endpoint', readConnecting),
  get(CONNECTION, 'develop', (call) => answerConnection(call)),
  post(CONNECTION, 'develop', confirmAddress),
];

const NEW_CONNECTION: TypedConnection = {
  address: null,
  language: 'en',
  eventTypes: ['PAYMENT_SUCCESS'],
  isToldNeeds: false,
  paymentLinkUniqueId: '',
};

async function answerPeople(
  call: DashboardCall,
  typed: TypedConnection,
  refusal: Refusal = {},
): Promise<Response> {
  const { notifications, webhooks, links } = call.payments;
  const tenant = tenantOf(call);
  const { origin } = call.url;
  const [ways, { endpoints }, offered, tills] = await Promise.all([
    notifications.ways(),
    webhooks.settings(tenant),
    mayChange(call, 'develop')
      ? links.list(tenant, { isActive: true }, null, LINKS_OFFERED_MAX, origin)
      : { rows: [] },
    mayChange(call, 'develop') ? tillsOf(call) : [],
  ]);
  const people = endpoints.filter(({ language }) => language !== null);
  const page = <NotificationsPage {...{ ways, people, typed, links: offered.rows, tills }} />;
  return showPage(call, page, { at: notificationsPath(call.environment), ...refusal });
}

/** The members who sell. */
async function tillsOf({ env, session }: DashboardCall): Promise<readonly Member[]> {
  const members = await membersOf(env.BACK_OFFICE_DB, session.merchantId);
  return members.filter(({ role }) => isAllowed(role, 'sell'));
}

/** Of which payments: all, those by one link, or those at one till. */
async function scopeIn(
  call: DashboardCall,
): Promise<Pick<TypedConnection, 'paymentLinkUniqueId' | 'till'>> {
  const scope = call.form.text('scope');
  if (!scope.startsWith(SCOPES.till)) {
    return { paymentLinkUniqueId: scope.replace(SCOPES.link, '') };
  }
  const id = scope.slice(SCOPES.till.length);
  // A till that is no longer one sells nothing: its person is told of no payment, instead of all.
  const name = (await tillsOf(call)).find((till) => till.id === id)?.name ?? id;
  return { paymentLinkUniqueId: '', till: { id, name } };
}

/** POST …/notifications */
async function readConnecting(call: DashboardCall): Promise<Asked> {
  const { notifications } = call.payments;
  const text = DASHBOARD_TEXTS[call.language].notifications;
  const { form, environment } = call;
  const way = form.text('way');
  const typed: TypedConnection = {
    address: way === 'email' ? form.text('address') : null,
    language: form.text('language'),
    eventTypes: form.all('eventType'),
    isToldNeeds: form.text('needs') !== '',
    ...(await scopeIn(call)),
  };
  const refuse = (refusal: Refusal) => answerPeople(call, typed, refusal);
  if (way !== 'email' && way !== 'telegram') {
    return wrong(() => refuse({ problems: [['way', text.problems.way]] }));
  }
  const { address, language, eventTypes, isToldNeeds } = typed;
  const scope = form.text('scope');
  const chosen = [address, language, eventTypes.join(), String(isToldNeeds), scope];
  return {
    action: inProduction(call, ['connect', way, ...chosen]),
    run: async () => {
      const { origin } = call.url;
      const asked = await notifications.connect(tenantOf(call), actorOf(call), typed, origin);
      if (asked.type === 'asked') {
        return redirectTo(notificationsPath(environment, `/connections/${asked.id}`));
      }
      const field = { nothing: 'eventTypes', address: 'address', busy: null, unreachable: null };
      return refuse({ problems: [[field[asked.type], text.problems[asked.type]]] });
    },
    refuse: () => refuse({ problems: [[null, text.problems.unconfirmed]], status: 403 }),
  };
}

/** GET …/connections/:connection: the link with the code, or the field for it. */
async function answerConnection(call: DashboardCall, refusal: Refusal = {}): Promise<Response> {
  const id = idIn(call);
  const known = await call.payments.notifications.connection(tenantOf(call), id);
  if (known?.endpointId != null) {
    return redirectTo(endpointPath(call.environment, known.endpointId), { done: 'connected' });
  }
  const at = notificationsPath(call.environment, `/connections/${id}`);
  return known === null
    ? showPage(call, <GonePage />, { at, status: 404 })
    : showPage(call, <ConnectionPage connection={known} />, { at, ...refusal });
}

/** POST …/connections/:connection: the code of the mail. */
async function confirmAddress(call: DashboardCall): Promise<Response> {
  const { confirm } = call.payments.notifications;
  const confirmed = await confirm(
    tenantOf(call),
    actorOf(call),
    idIn(call),
    call.form.text('code'),
  );
  if (confirmed.type === 'connected') {
    const path = endpointPath(call.environment, confirmed.endpointId);
    return redirectTo(path, { done: 'connected' });
  }
  const text = DASHBOARD_TEXTS[call.language].notifications.problems[confirmed.type];
  return answerConnection(call, { problems: [['code', text]] });
}

function idIn({ params }: DashboardCall): string {
  return params.connection ?? '';
}
