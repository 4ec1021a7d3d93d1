import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import type { DashboardRoute } from '../../../back-office/dashboard/route.ts';
import { DASHBOARD_ROUTES } from '../../../back-office/dashboard/routes.ts';
import { newInvitation } from '../../../back-office/members/invitations.ts';
import { isAllowed, type Permission, ROLES } from '../../../back-office/members/permissions.ts';
import { configOf } from '../../../src/engine/config.ts';
import { verifySlug } from '../../../src/engine/links/slug.ts';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import { askToConnect } from '../../../src/engine/webhooks/people/connections.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { comparable } from '../../security/comparable.ts';
import { databaseRows } from '../../security/storage.ts';
import { createLink } from '../support/links.ts';
import {
  ALPHA,
  addEndpoint,
  allRows,
  BETA,
  consumeAll,
  createHosted,
  endpointSecret,
  intentOf,
  merchantServer,
  payHosted,
  tenantOf,
  useGateway,
} from '../support.ts';
import { type SignedIn, sessionFor, signedIn, submit, visit } from './support.ts';

/**
 * Goal: docs/promises.md#8 for the dashboard. No member reads or changes data of another merchant,
 * of the other environment, beyond their role, or after their session's end. Method: a table names,
 * for every route, a request that its rightful owner could make; a route without an entry fails.
 * First, everyone without the right sends the request: no answer contains the merchant's data, all
 * of the merchant's rows stay as they were, in D1 and in the payments' objects, and nothing is
 * sent. Then the owner sends it and it works, which proves that the request was refused for its
 * sender and not for its form.
 */

const caught = useGateway();

/** Strings that belong only to ALPHA's sandbox, so no answer to others may contain them. */
const MARKERS = {
  paid: 'alpha-paid',
  open: 'alpha-open',
  refund: 'alpha-refund',
  member: 'Alemitu',
  invited: 'Invited Person',
  passkey: 'Passkey of Alemitu',
  key: 'Till key',
  link: 'Honey of Alpha',
  sale: 'Coffee of Alpha',
  hook: 'alpha-hooks.example.com',
  failing: 'https://failing.example.com',
} as const;

interface World {
  readonly owner: SignedIn;
  /** Another member of ALPHA, with a passkey and a session. */
  readonly member: SignedIn;
  readonly invitationId: string;
  readonly keyDigest: string;
  /** The transactionId of the paid payment. */
  readonly transactionId: string;
  readonly linkCode: string;
  readonly saleId: string;
  readonly connection: { readonly id: string; readonly code: string };
}

async function world(): Promise<World> {
  merchantServer(() => new Response('no', { status: 500 }));
  await createHosted({ paymentIntentUniqueId: MARKERS.open });
  await payHosted({ paymentIntentUniqueId: MARKERS.paid });
  await requestRefund(env, tenantOf(ALPHA), {
    paymentUniqueId: MARKERS.paid,
    refundUniqueId: MARKERS.refund,
    transactionId: null,
    amountMinor: 100,
    reason: null,
    requester: { type: 'operator', operator: 'abebe', isProved: false },
    idempotency: null,
  });
  await consumeAll(caught);
  const owner = await signedIn('owner');
  const member = await signedIn('viewer');
  await addEndpoint(ALPHA, 'we_alpha', { url: `https://${MARKERS.hook}/hook` });
  const invitation = await newInvitation({
    merchantId: ALPHA.id,
    name: MARKERS.invited,
    role: 'viewer',
    memberId: null,
    invitedBy: { kind: 'member', id: owner.memberId, name: 'the owner' },
    nowMs: Date.now(),
  });
  await runBatch(env.BACK_OFFICE_DB, [
    invitation.statement,
    {
      sql: 'UPDATE members SET name = ?2 WHERE id = ?1',
      params: [member.memberId, MARKERS.member],
    },
    ...[owner, member].map(({ memberId }, index) => ({
      sql: `INSERT INTO passkeys (credential_id, member_id, public_key, counter, transports, name,
          backed_up, created_at_ms) VALUES (?1, ?2, 'x', 0, '[]', ?3, 0, 1), (?4, ?2, 'x', 0, '[]', ?3, 0, 2)`,
      params: [`cred-${index}-a`, memberId, MARKERS.passkey, `cred-${index}-b`],
    })),
  ]);
  await runBatch(env.DB, [
    {
      sql: `UPDATE api_keys SET name = ?2 WHERE merchant_id = ?1 AND environment = 'sandbox' AND revoked_at_ms IS NULL`,
      params: [ALPHA.id, MARKERS.key],
    },
    {
      sql: `INSERT INTO webhook_secrets (id, merchant_id, environment, endpoint_id, sealed_secret, created_at_ms)
        SELECT 'we_alpha-old', merchant_id, environment, endpoint_id, sealed_secret, 1 FROM webhook_secrets WHERE id = ?1`,
      params: ['we_alpha-secret'],
    },
    {
      sql: `INSERT INTO failing_endpoints (merchant_id, environment, endpoint, failing_since_ms, last_failure_at_ms, last_error, paused_at_ms)
        VALUES (?1, 'sandbox', ?2, 1, 2, 'HTTP 500', 3)`,
      params: [ALPHA.id, MARKERS.failing],
    },
    {
      sql: `INSERT INTO webhook_secrets (id, merchant_id, environment, sealed_secret, created_at_ms)
        SELECT 'alpha-second', merchant_id, environment, sealed_secret, 1 FROM webhook_secrets WHERE id = ?1`,
      params: [`${ALPHA.id}-sandbox`],
    },
  ]);
  const keyDigest = await env.DB.prepare('SELECT digest FROM api_keys WHERE name = ?1')
    .bind(MARKERS.key)
    .first<string>('digest');
  const { content: link } = await createLink({ title: MARKERS.link });
  const { attempts } = await intentOf(MARKERS.paid);
  const form = { nonce: 'alpha', amount: '12', note: MARKERS.sale };
  const sale = await submit(owner, '/dashboard/sandbox/till', form);
  const actor = { kind: 'member', id: owner.memberId, name: 'Hana', address: null } as const;
  const connection = await askToConnect(
    { env, tenant: tenantOf(ALPHA), actor, nowMs: Date.now() },
    {
      language: 'en',
      eventTypes: ['PAYMENT_SUCCESS'],
      description: '',
      paymentLinkUniqueId: null,
      isToldNeeds: false,
    },
    'hana@example.com',
  );
  return {
    owner,
    member,
    invitationId: invitation.id,
    keyDigest: keyDigest ?? '',
    transactionId: attempts[0]?.reference ?? '',
    saleId: sale.headers.get('location')?.split('/').at(-1) ?? '',
    connection: connection ?? { id: '', code: '' },
    linkCode:
      (await verifySlug(configOf(env).linkSigningKeys, link.url.split('/pay/')[1] ?? ''))?.code ??
      '',
  };
}

type Fields = Readonly<Record<string, string>>;

interface Case {
  /** Replaces the values of the path's parameters, which otherwise are those of `valuesOf`. */
  readonly params?: Fields;
  /** What a form sends. */
  readonly fields?: Fields | ((world: World) => Fields);
  /** The status of the owner's answer: by default 200 for pages and 303 for accepted forms. */
  readonly status?: number;
}

const EVENT_SEQUENCE = '3';
const FORM = 'A'.repeat(22);
const NEW_URL = { url: 'https://new-hooks.example.com/hook' };
const NEW_MEMBER = { name: 'Sara Tesfaye', role: 'viewer' };
const ROTATION = { overlapHours: '24' };
const REFUND = ({ transactionId }: World): Fields => ({
  refund: `rfd_${'0'.repeat(32)}`,
  transaction: transactionId,
  amount: '1',
  credential: '{}',
});
/** The sandbox asks for no passkey. */
const UNCONFIRMED = 204;

/** What the paths name, all of ALPHA's sandbox. */
const valuesOf = (world: World): Fields => ({
  environment: 'sandbox',
  uniqueId: MARKERS.paid,
  refund: MARKERS.refund,
  sequence: EVENT_SEQUENCE,
  endpoint: 'we_alpha',
  secretId: `${ALPHA.id}-sandbox`,
  key: world.keyDigest,
  method: 'TELE_BIRR',
  invitation: world.invitationId,
  member: world.member.memberId,
  session: world.owner.sessionId,
  link: world.linkCode,
  sale: world.saleId,
  connection: world.connection.id,
});

/**
 * A request for each route that its rightful owner could make. A form that a passkey confirms stands
 * for the route that asks for the passkey, too.
 */
const CASES: Readonly<Record<string, Case>> = {
  'GET /dashboard': { status: 303 },
  'GET /dashboard/:environment/overview': {},
  'GET /dashboard/:environment/overview.csv': {},
  'POST /dashboard/:environment/overview/access-seen': { fields: { time: '1' } },
  'GET /dashboard/:environment/payments': {},
  'POST /dashboard/:environment/payments': { fields: { search: MARKERS.paid } },
  'GET /dashboard/:environment/did-pay': {},
  'POST /dashboard/:environment/did-pay': { fields: { shown: MARKERS.paid } },
  'GET /dashboard/:environment/payments.csv': {},
  'GET /dashboard/:environment/payments/:uniqueId': {},
  'POST /dashboard/:environment/payments/:uniqueId/cancel': { params: { uniqueId: MARKERS.open } },
  'GET /dashboard/:environment/payments/:uniqueId/refund': {},
  'POST /dashboard/:environment/payments/:uniqueId/refund/review': { fields: REFUND, status: 200 },
  // Without a ceremony before it: refused, even for the owner.
  'POST /dashboard/:environment/payments/:uniqueId/refund': { fields: REFUND, status: 401 },
  'POST /dashboard/:environment/payments/:uniqueId/refunds/:refund/cancel': {},
  'GET /dashboard/:environment/refunds': {},
  'POST /dashboard/:environment/payments/:uniqueId/events/:sequence/resend': {},

  'GET /dashboard/:environment/links': {},
  'GET /dashboard/:environment/links/new': {},
  'POST /dashboard/:environment/links': { fields: { title: 'Wax', kind: 'fixed', amount: '5' } },
  'GET /dashboard/:environment/links/:link': {},
  'POST /dashboard/:environment/links/:link': {
    fields: { title: 'Wax', kind: 'fixed', amount: '5' },
  },
  'GET /dashboard/:environment/links/:link/sign': {},
  'GET /dashboard/:environment/links/:link/code.svg': {},
  'GET /dashboard/:environment/links/:link/code.png': {},
  'POST /dashboard/:environment/links/:link/deactivate': {},
  'POST /dashboard/:environment/links/:link/activate': {},
  'GET /dashboard/:environment/notifications': {},
  // The gateway has no bot.
  'POST /dashboard/:environment/notifications': {
    fields: { way: 'telegram', language: 'en', eventType: 'PAYMENT_SUCCESS' },
    status: 400,
  },
  'GET /dashboard/:environment/notifications/connections/:connection': {},
  'POST /dashboard/:environment/notifications/connections/:connection': {
    fields: ({ connection: { code } }) => ({ code }),
  },

  'GET /dashboard/:environment/till': {},
  // Refused for its amount: otherwise another merchant's owner would make a sale of their own.
  'POST /dashboard/:environment/till': { fields: { nonce: 'other' }, status: 400 },
  'GET /dashboard/:environment/till/:sale': {},
  'GET /dashboard/:environment/till/:sale/state': {},
  'GET /dashboard/:environment/till/:sale/prompt': {},
  'POST /dashboard/:environment/till/:sale/prompt': {
    fields: { method: 'M_PESA', phone: '0711234567', attempts: '0' },
  },
  'POST /dashboard/:environment/till/:sale/cancel': {},

  'GET /dashboard/:environment/webhooks': {},
  'POST /dashboard/:environment/webhooks/test': { fields: NEW_URL, status: 200 },
  'POST /dashboard/:environment/webhooks/callbacks': { fields: { signatureHeader: 'X-Shop' } },
  'POST /dashboard/:environment/webhooks/failing/resume': { fields: { origin: MARKERS.failing } },
  'POST /dashboard/:environment/webhooks/secrets': { fields: ROTATION, status: 200 },
  'POST /dashboard/:environment/webhooks/secrets/:secretId/show': { status: 200 },
  'POST /dashboard/:environment/webhooks/secrets/:secretId/end': {
    params: { secretId: 'alpha-second' },
  },
  'GET /dashboard/:environment/webhooks/endpoints/new': {},
  'POST /dashboard/:environment/webhooks/endpoints': { fields: NEW_URL, status: 200 },
  'GET /dashboard/:environment/webhooks/endpoints/:endpoint': {},
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint': { fields: NEW_URL },
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/enable': {},
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/disable': {},
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/resume': {},
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/test': { status: 200 },
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/delete': {},
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets': {
    fields: ROTATION,
    status: 200,
  },
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets/:secretId/show': {
    params: { secretId: 'we_alpha-secret' },
    status: 200,
  },
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets/:secretId/end': {
    params: { secretId: 'we_alpha-old' },
  },
  'GET /dashboard/:environment/webhooks/events': {},
  'GET /dashboard/:environment/webhooks/events/:uniqueId/:sequence': {},
  'POST /dashboard/:environment/webhooks/events/:uniqueId/:sequence/resend': {},
  'GET /dashboard/:environment/webhooks/resend': {},
  'POST /dashboard/:environment/webhooks/resend': {
    fields: { from: '2089-01-01', to: '2099-01-01' },
    status: 200,
  },

  'GET /dashboard/:environment/requests': {},
  'GET /dashboard/:environment/keys': {},
  'POST /dashboard/:environment/keys': {
    fields: { name: 'Another key', form: FORM },
    status: 200,
  },
  'GET /dashboard/:environment/keys/:key': {},
  'POST /dashboard/:environment/keys/:key/name': { fields: { name: 'Renamed' } },
  'POST /dashboard/:environment/keys/:key/roll': {
    fields: { overlap: 'day', form: FORM },
    status: 200,
  },
  'POST /dashboard/:environment/keys/:key/revoke': {},

  'GET /dashboard/:environment/methods': {},
  'POST /dashboard/:environment/methods/:method/enable': {},
  'POST /dashboard/:environment/methods/:method/disable': {},

  'GET /dashboard/branding': {},
  'POST /dashboard/branding/color': { fields: { color: '#123456' } },
  'POST /dashboard/branding/color/remove': {},
  // Without a file, the owner gets an error message.
  'POST /dashboard/branding/logo': { status: 400 },
  'POST /dashboard/branding/logo/remove': {},
  'POST /dashboard/branding/business': { fields: { legalName: 'Other name' } },
  'POST /dashboard/branding/bank-code': { fields: { bankCode: 'x' }, status: 400 },

  'GET /dashboard/audit': {},

  'GET /dashboard/team': {},
  // Without a ceremony before it: refused, even for the owner. A new role and a recovery link also.
  'POST /dashboard/team/invitations': { fields: NEW_MEMBER, status: 403 },
  'POST /dashboard/team/invitations/:invitation/revoke': {},
  'GET /dashboard/team/members/:member': {},
  'POST /dashboard/team/members/:member/role': { fields: { role: 'developer' }, status: 403 },
  'POST /dashboard/team/members/:member/remove': { fields: { sure: 'yes' } },
  'POST /dashboard/team/members/:member/recovery': { status: 403 },
  'POST /dashboard/team/members/:member/sessions/revoke': {},

  'GET /dashboard/account': {},
  'POST /dashboard/account/passkeys/confirm': { fields: { passkey: 'New one' }, status: 200 },
  // Without a confirmation and a ceremony before them: refused, even for the owner.
  'POST /dashboard/account/passkeys/options': { fields: { passkey: 'New one' }, status: 401 },
  'POST /dashboard/account/passkeys': {
    fields: { passkey: 'New one', credential: '{}' },
    status: 401,
  },
  'POST /dashboard/account/passkeys/rename': {
    fields: { passkey: 'cred-0-a', name: 'Other name' },
  },
  'POST /dashboard/account/passkeys/remove': { fields: { passkey: 'cred-0-b' } },
  'POST /dashboard/account/sessions/revoke-others': {},
  'POST /dashboard/account/sessions/:session/revoke': {},
  'POST /dashboard/sign-out': {},
};

function caseOf(name: string): Case | undefined {
  const form = CASES[name.replace(/\/options$/, '')];
  // The owner's unconfirmed form was refused, so the options ask for the passkey.
  const asks = (form?.status ?? 0) > 400;
  return CASES[name] ?? (form && { ...form, status: asks ? 200 : UNCONFIRMED });
}

/** Names of the same form that nothing has. */
const UNKNOWN: Fields = {
  uniqueId: 'alpha-none',
  refund: 'alpha-nothing',
  endpoint: 'we_other',
  secretId: 'we_other-secret',
  key: '0'.repeat(64),
  invitation: `inv_${'0'.repeat(12)}`,
  member: 'mem_none',
  link: '0'.repeat(16),
  sale: `TILL-${'A'.repeat(16)}`,
  session: `ses_${'0'.repeat(12)}`,
};

/** These change the member's or merchant's own settings: for others, they are not missing. */
const OWN_PARAMETERS = [':environment', ':method'];

/** Who may do what, independently of the routes' own permission: owners, all but tills, cashiers. */
const OWNERS = /(?:branding|audit|team|methods\/:method)/;
const EVERYBODY =
  /^(?:GET (?!.*(?:environment\/requests|keys\/:key|webhooks\/resend|endpoints\/new|links\/new|connections)).*|POST \/dashboard\/(?::environment\/(?:did-pay|payments)|:environment\/overview\/.*))$/;

const MEMBERS = /^(?:GET|POST) \/dashboard(?:\/account.*|\/sign-out)?$/;
const SELLING = /:environment\/till/;
const REFUNDING = /:uniqueId\/refund/;

function permissionOf(name: string): Permission {
  if (MEMBERS.test(name)) {
    return 'account';
  }
  if (SELLING.test(name)) {
    return 'sell';
  }
  if (REFUNDING.test(name)) {
    return 'refunds';
  }
  if (OWNERS.test(name)) {
    return 'manage';
  }
  return EVERYBODY.test(name) ? 'view' : 'develop';
}

test.each(DASHBOARD_ROUTES.map((route) => [nameOf(route), route.permission] as const))(
  '%s requires the permission to %s',
  (name, permission) => {
    expect(permission).toBe(permissionOf(name));
  },
);

function nameOf({ method, path }: DashboardRoute): string {
  return `${method} ${path}`;
}

test('the table holds the routes of the dashboard, and no others', () => {
  const names = DASHBOARD_ROUTES.map(nameOf);
  expect(names.filter((name) => caseOf(name) === undefined)).toEqual([]);
  expect(Object.keys(CASES).filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(DASHBOARD_ROUTES)('$method $path', (route) => {
  const {
    params,
    fields = {},
    status = route.method === 'GET' ? 200 : 303,
  } = caseOf(nameOf(route)) ?? {};
  const isPerEnvironment = route.path.includes('/:environment/');
  /** Whether the path names something of ALPHA's sandbox, which does not exist for others. */
  const namesThing = (route.path.match(/:\w+/g) ?? []).some(
    (name) => !OWN_PARAMETERS.includes(name),
  );

  function pathIn(world: World, others: Fields = {}): string {
    const values = { ...valuesOf(world), ...params, ...others };
    return route.path.replace(/:(\w+)/g, (_all, name: string) => values[name] ?? '');
  }

  const fieldsIn = (world: World) => (typeof fields === 'function' ? fields(world) : fields);

  function ask(member: SignedIn | null, world: World, path = pathIn(world)) {
    return route.method === 'GET' ? visit(member, path) : submit(member, path, fieldsIn(world));
  }

  test('is refused to strangers and works for its owner', async () => {
    const here = await world();
    const before = await belongings(here);
    const tellsNothing = async (response: Response, path = '') => {
      const sent = [...Object.values(fieldsIn(here)), ...path.split('/')];
      expectNoForeignData(await response.text(), sent);
    };

    // A visitor without a session, and one with an expired session.
    const expired = await sessionFor(here.owner.memberId);
    await env.BACK_OFFICE_DB.prepare('UPDATE sessions SET expires_at_ms = 1 WHERE digest = ?1')
      .bind(expired.digest)
      .run();
    for (const visitor of [null, expired]) {
      const response = await ask(visitor, here);
      expect(response.status).toBe(route.method === 'GET' ? 303 : 401);
      expect(response.headers.get('location') ?? '/dashboard/sign-in').toMatch(
        /^\/dashboard\/sign-in/,
      );
      await tellsNothing(response);
    }

    // Members of the same merchant whose role does not allow it.
    for (const role of ROLES.filter((candidate) => !isAllowed(candidate, route.permission))) {
      const response = await ask(await signedIn(role), here);
      expect(response.status, role).toBe(403);
      // The links to the other language repeat the path, which this merchant's member knows.
      await tellsNothing(response, pathIn(here));
    }

    // A form without its token, or with another session's.
    if (route.method === 'POST') {
      for (const csrf of ['', (await signedIn('owner')).csrf]) {
        const response = await ask({ ...here.owner, csrf }, here);
        expect(response.status, 'CSRF').toBe(403);
        await tellsNothing(response);
      }
    }

    // Another merchant's owner, for whom it is like something that nothing has.
    const stranger = await signedIn('owner', BETA);
    const other = await ask(stranger, here);
    if (namesThing) {
      expect(other.status).toBe(404);
      const unknown = pathIn(here, UNKNOWN);
      const parts = unknown.split('/');
      const ids = pathIn(here)
        .split('/')
        .flatMap((id, index) => (id === parts[index] ? [] : [id, parts[index] ?? '']));
      expect(await comparable(ask(stranger, here), ...ids)).toEqual(
        await comparable(ask(stranger, here, unknown), ...ids),
      );
    }
    expect(await other.clone().text()).not.toContain(ALPHA.name);
    await tellsNothing(other);

    // The owner, in the other environment.
    if (isPerEnvironment) {
      const path = pathIn(here).replace('/sandbox/', '/production/');
      const elsewhere = await ask(here.owner, here, path);
      if (namesThing) {
        expect(elsewhere.status).toBe(404);
      }
      await tellsNothing(elsewhere);
    }

    // Members of a suspended merchant read, and change nothing of it; they open no form to refund.
    const isClosed = route.method === 'POST' ? !route.whenReadOnly : REFUNDING.test(route.path);
    if (isClosed || (route.method === 'GET' && !route.path.endsWith('.csv'))) {
      await setStatus('suspended');
      expect((await ask(here.owner, here)).status, 'suspended').toBe(isClosed ? 403 : status);
      await setStatus('active');
      // The same holds for all members while the operator pauses changes (docs/decisions.md#48).
      await pauseChanges(true);
      expect((await ask(here.owner, here)).status, 'paused').toBe(isClosed ? 503 : status);
      await pauseChanges(false);
    }

    expect(await belongings(here)).toEqual(before);

    // The owner.
    expect((await ask(here.owner, here)).status).toBe(status);
  });
});

async function pauseChanges(isPaused: boolean): Promise<void> {
  const sql = `UPDATE gateway_settings SET members_read_only = ?1, members_read_only_since_ms = ?2,
    members_read_only_by = ?3`;
  const values = isPaused ? [1, Date.now(), 'Sara'] : [0, null, null];
  await env.DB.prepare(sql)
    .bind(...values)
    .run();
}

async function setStatus(status: 'active' | 'suspended'): Promise<void> {
  await env.DB.prepare('UPDATE merchants SET status = ?1 WHERE id = ?2')
    .bind(status, ALPHA.id)
    .run();
}

/** No answer contains data of ALPHA's sandbox, except what the request itself contained. */
function expectNoForeignData(answer: string, sent: readonly string[]): void {
  const markers = [...Object.values(MARKERS), ALPHA.webhookSecret, endpointSecret('we_alpha')];
  expect(markers.filter((marker) => answer.includes(marker) && !sent.includes(marker))).toEqual([]);
}

/**
 * Every row of ALPHA, of the merchant as a whole or of its sandbox, in both databases and in its payments'
 * objects; and how much was sent. Sessions that the test itself makes do not count.
 */
async function belongings({ owner, member, invitationId, keyDigest, saleId }: World) {
  const ids = [ALPHA.id, owner.memberId, member.memberId, invitationId, keyDigest];
  const database = env.BACK_OFFICE_DB;
  const [sessions, members] = await database.batch<Record<string, unknown>>([
    database
      .prepare('SELECT id, revoked_at_ms FROM sessions WHERE id IN (?1, ?2) ORDER BY id')
      .bind(owner.sessionId, member.sessionId),
    database
      .prepare('SELECT * FROM members WHERE id IN (?1, ?2) ORDER BY id')
      .bind(owner.memberId, member.memberId),
  ]);
  const rows = await databaseRows((table) => ['sessions', 'members', 'banks'].includes(table));
  const owned = Object.entries(rows).map(([table, found]) => [
    table,
    found
      .filter((row) => JSON.parse(row).environment !== 'production')
      .filter((row) => ids.some((id) => row.includes(id))),
  ]);
  return {
    sessions: sessions?.results,
    members: members?.results,
    owned,
    objects: [await allRows(MARKERS.paid), await allRows(MARKERS.open), await allRows(saleId)],
    sent: Object.values(caught).map((messages) => messages.length),
  };
}
