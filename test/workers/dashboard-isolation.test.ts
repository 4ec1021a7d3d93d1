import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import type { DashboardRoute } from '../../back-office/dashboard/route.ts';
import { DASHBOARD_ROUTES } from '../../back-office/dashboard/routes.ts';
import { newInvitation } from '../../back-office/members/invitations.ts';
import { isAllowed, type Permission, ROLES } from '../../back-office/members/permissions.ts';
import { runBatch } from '../../src/platform/database.ts';
import { requestRefund } from '../../src/refunds/request.ts';
import { databaseRows } from '../security/storage.ts';
import { type SignedIn, sessionFor, signedIn, submit, visit } from './dashboard-support.ts';
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
} from './support.ts';

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
  hook: 'alpha-hooks.example.com',
  failing: 'https://failing.example.com',
} as const;

interface World {
  readonly owner: SignedIn;
  /** Another member of ALPHA, with a passkey and a session. */
  readonly member: SignedIn;
  readonly invitationId: string;
  readonly keyDigest: string;
  /** Of the payment that is paid. */
  readonly transactionId: string;
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
  const { attempts } = await intentOf(MARKERS.paid);
  return {
    owner,
    member,
    invitationId: invitation.id,
    keyDigest: keyDigest ?? '',
    transactionId: attempts[0]?.reference ?? '',
  };
}

interface Case {
  readonly path: (world: World) => string;
  readonly fields?: (world: World) => Readonly<Record<string, string>>;
  /**
   * `thing`: the path names something of ALPHA's sandbox, which does not exist for others: 404.
   * `own`: the member gets their own page, or changes their own settings.
   */
  readonly about: 'thing' | 'own';
  /** The status of the owner's answer: 303 for accepted forms. */
  readonly status?: number;
}

const SANDBOX = '/dashboard/sandbox';
const ENDPOINT = `${SANDBOX}/webhooks/endpoints/we_alpha`;
const EVENT_SEQUENCE = 3;
const FORM_ID = 'A'.repeat(22);

const at = (path: string) => () => path;
const page = (path: string): Case => ({ path: at(path), about: 'own' });
const form = (path: string, fields: Readonly<Record<string, string>> = {}, status = 303): Case => ({
  path: at(path),
  fields: () => fields,
  about: 'own',
  status,
});
const thing = (
  path: Case['path'],
  fields: Case['fields'] | null = null,
  status = fields === null ? 200 : 303,
): Case => ({ path, ...(fields !== null && { fields }), about: 'thing', status });

function refundFields({ transactionId }: World): Readonly<Record<string, string>> {
  return { refund: `rfd_${'0'.repeat(32)}`, transaction: transactionId, amount: '1' };
}

const CASES: Readonly<Record<string, Case>> = {
  'GET /dashboard': { ...page('/dashboard'), status: 303 },

  'GET /dashboard/:environment/overview': page(`${SANDBOX}/overview`),
  'POST /dashboard/:environment/overview/access-seen': form(`${SANDBOX}/overview/access-seen`, {
    time: '1',
  }),
  'GET /dashboard/:environment/payments': page(`${SANDBOX}/payments`),
  'POST /dashboard/:environment/payments': form(`${SANDBOX}/payments`, {
    search: MARKERS.paid,
  }),
  'GET /dashboard/:environment/payments.csv': page(`${SANDBOX}/payments.csv`),
  'GET /dashboard/:environment/payments/:uniqueId': thing(
    at(`${SANDBOX}/payments/${MARKERS.paid}`),
  ),
  'POST /dashboard/:environment/payments/:uniqueId/cancel': thing(
    at(`${SANDBOX}/payments/${MARKERS.open}/cancel`),
    () => ({}),
  ),
  'GET /dashboard/:environment/payments/:uniqueId/refund': thing(
    at(`${SANDBOX}/payments/${MARKERS.paid}/refund`),
  ),
  'POST /dashboard/:environment/payments/:uniqueId/refund/options': thing(
    at(`${SANDBOX}/payments/${MARKERS.paid}/refund/options`),
    refundFields,
    200,
  ),
  // Without a ceremony before it: refused, even for the owner.
  'POST /dashboard/:environment/payments/:uniqueId/refund': thing(
    at(`${SANDBOX}/payments/${MARKERS.paid}/refund`),
    (world) => ({ ...refundFields(world), credential: '{}' }),
    401,
  ),
  'POST /dashboard/:environment/payments/:uniqueId/refunds/:refund/cancel': thing(
    at(`${SANDBOX}/payments/${MARKERS.paid}/refunds/${MARKERS.refund}/cancel`),
    () => ({}),
  ),
  'GET /dashboard/:environment/refunds': page(`${SANDBOX}/refunds`),
  'POST /dashboard/:environment/payments/:uniqueId/events/:sequence/resend': thing(
    at(`${SANDBOX}/payments/${MARKERS.paid}/events/${EVENT_SEQUENCE}/resend`),
    () => ({}),
  ),

  'GET /dashboard/:environment/webhooks': page(`${SANDBOX}/webhooks`),
  'POST /dashboard/:environment/webhooks/test': form(
    `${SANDBOX}/webhooks/test`,
    { url: 'https://new-hooks.example.com/hook' },
    200,
  ),
  // The forms work in the sandbox without a passkey.
  'POST /dashboard/:environment/webhooks/secrets/options': form(
    `${SANDBOX}/webhooks/secrets/options`,
    { overlapHours: '24' },
    204,
  ),
  'POST /dashboard/:environment/webhooks/secrets/:secretId/show/options': thing(
    at(`${SANDBOX}/webhooks/secrets/${ALPHA.id}-sandbox/show/options`),
    () => ({}),
    204,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/options': form(
    `${SANDBOX}/webhooks/endpoints/options`,
    { url: 'https://new-hooks.example.com/hook' },
    204,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/options': thing(
    at(`${ENDPOINT}/options`),
    () => ({ url: 'https://new-hooks.example.com/hook' }),
    204,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/enable/options': thing(
    at(`${ENDPOINT}/enable/options`),
    () => ({}),
    204,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets/options': thing(
    at(`${ENDPOINT}/secrets/options`),
    () => ({ overlapHours: '24' }),
    204,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets/:secretId/show/options': thing(
    at(`${ENDPOINT}/secrets/we_alpha-secret/show/options`),
    () => ({}),
    204,
  ),
  'POST /dashboard/:environment/webhooks/secrets': form(
    `${SANDBOX}/webhooks/secrets`,
    { overlapHours: '24' },
    200,
  ),
  'POST /dashboard/:environment/webhooks/secrets/:secretId/show': thing(
    at(`${SANDBOX}/webhooks/secrets/${ALPHA.id}-sandbox/show`),
    () => ({}),
    200,
  ),
  'POST /dashboard/:environment/webhooks/secrets/:secretId/end': thing(
    at(`${SANDBOX}/webhooks/secrets/alpha-second/end`),
    () => ({}),
  ),
  'POST /dashboard/:environment/webhooks/callbacks': form(`${SANDBOX}/webhooks/callbacks`, {
    signatureHeader: 'X-Shop-Signature',
  }),
  'POST /dashboard/:environment/webhooks/failing/resume': form(
    `${SANDBOX}/webhooks/failing/resume`,
    { origin: MARKERS.failing },
  ),
  'POST /dashboard/:environment/webhooks/endpoints': form(
    `${SANDBOX}/webhooks/endpoints`,
    { url: 'https://new-hooks.example.com/hook' },
    200,
  ),
  'GET /dashboard/:environment/webhooks/endpoints/new': page(`${SANDBOX}/webhooks/endpoints/new`),
  'GET /dashboard/:environment/webhooks/endpoints/:endpoint': thing(at(ENDPOINT)),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint': thing(at(ENDPOINT), () => ({
    url: 'https://new-hooks.example.com/hook',
  })),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/enable': thing(
    at(`${ENDPOINT}/enable`),
    () => ({}),
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/disable': thing(
    at(`${ENDPOINT}/disable`),
    () => ({}),
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/resume': thing(
    at(`${ENDPOINT}/resume`),
    () => ({}),
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/delete': thing(
    at(`${ENDPOINT}/delete`),
    () => ({}),
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets': thing(
    at(`${ENDPOINT}/secrets`),
    () => ({ overlapHours: '24' }),
    200,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets/:secretId/show': thing(
    at(`${ENDPOINT}/secrets/we_alpha-secret/show`),
    () => ({}),
    200,
  ),
  'POST /dashboard/:environment/webhooks/endpoints/:endpoint/secrets/:secretId/end': thing(
    at(`${ENDPOINT}/secrets/we_alpha-old/end`),
    () => ({}),
  ),
  'GET /dashboard/:environment/webhooks/events': page(`${SANDBOX}/webhooks/events`),
  'GET /dashboard/:environment/webhooks/events/:uniqueId/:sequence': thing(
    at(`${SANDBOX}/webhooks/events/${MARKERS.paid}/${EVENT_SEQUENCE}`),
  ),
  'POST /dashboard/:environment/webhooks/events/:uniqueId/:sequence/resend': thing(
    at(`${SANDBOX}/webhooks/events/${MARKERS.paid}/${EVENT_SEQUENCE}/resend`),
    () => ({}),
  ),
  'GET /dashboard/:environment/webhooks/resend': page(`${SANDBOX}/webhooks/resend`),
  'POST /dashboard/:environment/webhooks/resend': form(
    `${SANDBOX}/webhooks/resend`,
    { from: '2089-01-01', to: '2099-01-01' },
    200,
  ),

  'GET /dashboard/:environment/keys': page(`${SANDBOX}/keys`),
  'POST /dashboard/:environment/keys/options': form(
    `${SANDBOX}/keys/options`,
    { name: 'Another key', form: FORM_ID },
    204,
  ),
  'POST /dashboard/:environment/keys': form(
    `${SANDBOX}/keys`,
    { name: 'Another key', form: FORM_ID },
    200,
  ),
  'GET /dashboard/:environment/keys/:key': thing(({ keyDigest }) => `${SANDBOX}/keys/${keyDigest}`),
  'POST /dashboard/:environment/keys/:key/name': thing(
    ({ keyDigest }) => `${SANDBOX}/keys/${keyDigest}/name`,
    () => ({ name: 'Renamed' }),
  ),
  'POST /dashboard/:environment/keys/:key/roll/options': thing(
    ({ keyDigest }) => `${SANDBOX}/keys/${keyDigest}/roll/options`,
    () => ({ overlap: 'day', form: FORM_ID }),
    204,
  ),
  'POST /dashboard/:environment/keys/:key/roll': thing(
    ({ keyDigest }) => `${SANDBOX}/keys/${keyDigest}/roll`,
    () => ({ overlap: 'day', form: FORM_ID }),
    200,
  ),
  'POST /dashboard/:environment/keys/:key/revoke': thing(
    ({ keyDigest }) => `${SANDBOX}/keys/${keyDigest}/revoke`,
    () => ({}),
  ),

  'GET /dashboard/:environment/methods': page(`${SANDBOX}/methods`),
  'POST /dashboard/:environment/methods/:method/enable': form(
    `${SANDBOX}/methods/TELE_BIRR/enable`,
  ),
  'POST /dashboard/:environment/methods/:method/disable': form(
    `${SANDBOX}/methods/TELE_BIRR/disable`,
  ),

  'GET /dashboard/branding': page('/dashboard/branding'),
  'POST /dashboard/branding/color': form('/dashboard/branding/color', { color: '#123456' }),
  'POST /dashboard/branding/color/remove': form('/dashboard/branding/color/remove'),
  // Without a file, the owner gets an error message.
  'POST /dashboard/branding/logo': form('/dashboard/branding/logo', {}, 400),
  'POST /dashboard/branding/logo/remove': form('/dashboard/branding/logo/remove'),

  'GET /dashboard/audit': page('/dashboard/audit'),

  'GET /dashboard/team': page('/dashboard/team'),
  'POST /dashboard/team/invitations/options': form(
    '/dashboard/team/invitations/options',
    { name: 'Somebody New', role: 'viewer' },
    200,
  ),
  // Without a ceremony before it: refused, even for the owner. A new role and a recovery link also.
  'POST /dashboard/team/invitations': form(
    '/dashboard/team/invitations',
    { name: 'Somebody New', role: 'viewer' },
    403,
  ),
  'POST /dashboard/team/invitations/:invitation/revoke': thing(
    ({ invitationId }) => `/dashboard/team/invitations/${invitationId}/revoke`,
    () => ({}),
  ),
  'GET /dashboard/team/members/:member': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}`,
  ),
  'POST /dashboard/team/members/:member/role/options': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}/role/options`,
    () => ({ role: 'developer' }),
    200,
  ),
  'POST /dashboard/team/members/:member/role': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}/role`,
    () => ({ role: 'developer', sure: 'yes' }),
    403,
  ),
  'POST /dashboard/team/members/:member/remove': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}/remove`,
    () => ({ sure: 'yes' }),
  ),
  'POST /dashboard/team/members/:member/recovery/options': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}/recovery/options`,
    () => ({}),
    200,
  ),
  'POST /dashboard/team/members/:member/recovery': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}/recovery`,
    () => ({}),
    403,
  ),
  'POST /dashboard/team/members/:member/sessions/revoke': thing(
    ({ member }) => `/dashboard/team/members/${member.memberId}/sessions/revoke`,
    () => ({}),
  ),

  'GET /dashboard/account': page('/dashboard/account'),
  'POST /dashboard/account/passkeys/confirm': form(
    '/dashboard/account/passkeys/confirm',
    { passkey: 'New one' },
    200,
  ),
  // Without a confirmation before it: refused, even for the owner.
  'POST /dashboard/account/passkeys/options': form(
    '/dashboard/account/passkeys/options',
    {
      passkey: 'New one',
    },
    401,
  ),
  // Without a ceremony before it: refused, even for the owner.
  'POST /dashboard/account/passkeys': form(
    '/dashboard/account/passkeys',
    { passkey: 'New one', credential: '{}' },
    401,
  ),
  'POST /dashboard/account/passkeys/rename': form('/dashboard/account/passkeys/rename', {
    passkey: 'cred-0-a',
    name: 'Other name',
  }),
  'POST /dashboard/account/passkeys/remove': form('/dashboard/account/passkeys/remove', {
    passkey: 'cred-0-b',
  }),
  'POST /dashboard/account/sessions/revoke-others': form(
    '/dashboard/account/sessions/revoke-others',
  ),
  'POST /dashboard/account/sessions/:session/revoke': thing(
    ({ owner }) => `/dashboard/account/sessions/${owner.sessionId}/revoke`,
    () => ({}),
  ),
  'POST /dashboard/sign-out': form('/dashboard/sign-out'),
};

/** Who may do what, independently of the routes' own permission: owners, every member, cashiers. */
const OWNERS = /(?:branding|audit|team|methods\/:method)/;
const EVERYBODY =
  /^(?:GET (?!.*(?:keys\/:key|webhooks\/resend|endpoints\/new)).*|POST \/dashboard\/(?:account.*|sign-out|:environment\/payments|:environment\/overview\/.*))$/;

const REFUNDING = /:uniqueId\/refund/;

function permissionOf(name: string): Permission {
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

test('the table holds exactly the routes of the dashboard', () => {
  expect(Object.keys(CASES).sort()).toEqual(DASHBOARD_ROUTES.map(nameOf).sort());
});

describe.each(DASHBOARD_ROUTES)('$method $path', (route) => {
  const wanted = CASES[nameOf(route)] ?? page('/missing');
  const isPerEnvironment = route.path.includes('/:environment/');

  function ask(member: SignedIn | null, world: World, path = wanted.path(world)) {
    return route.method === 'GET'
      ? visit(member, path)
      : submit(member, path, wanted.fields?.(world) ?? {});
  }

  test('is refused to strangers and works for its owner', async () => {
    const here = await world();
    const before = await belongings(here);
    const untouched = async (response: Response, path = '') => {
      const sent = [...Object.values(wanted.fields?.(here) ?? {}), ...path.split('/')];
      expectNoForeignData(await response.text(), sent);
      expect(await belongings(here)).toEqual(before);
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
      await untouched(response);
    }

    // Members of the same merchant whose role does not allow it.
    for (const role of ROLES.filter((candidate) => !isAllowed(candidate, route.permission))) {
      const response = await ask(await signedIn(role), here);
      expect(response.status, role).toBe(403);
      // The links to the other language repeat the path, which this merchant's member knows.
      await untouched(response, wanted.path(here));
    }

    // A form without its token, or with another session's.
    if (route.method === 'POST') {
      for (const csrf of ['', (await signedIn('owner')).csrf]) {
        const response = await ask({ ...here.owner, csrf }, here);
        expect(response.status, 'CSRF').toBe(403);
        await untouched(response);
      }
    }

    // Another merchant's owner.
    const other = await ask(await signedIn('owner', BETA), here);
    if (wanted.about === 'thing') {
      expect(other.status).toBe(404);
    }
    expect(await other.clone().text()).not.toContain(ALPHA.name);
    await untouched(other);

    // The owner, in the other environment.
    if (isPerEnvironment) {
      const path = wanted.path(here).replace('/sandbox/', '/production/');
      const elsewhere = await ask(here.owner, here, path);
      if (wanted.about === 'thing') {
        expect(elsewhere.status).toBe(404);
      }
      await untouched(elsewhere);
    }

    // The owner.
    const { status } = await ask(here.owner, here);
    expect(status).toBe(wanted.status ?? 200);
  });
});

/** No answer contains data of ALPHA's sandbox, except what the request itself contained. */
function expectNoForeignData(answer: string, sent: readonly string[]): void {
  const markers = [...Object.values(MARKERS), ALPHA.webhookSecret, endpointSecret('we_alpha')];
  expect(markers.filter((marker) => answer.includes(marker) && !sent.includes(marker))).toEqual([]);
}

/**
 * Every row of ALPHA, of the merchant as a whole or of its sandbox, in both databases and in its payments'
 * objects; and how much was sent. Sessions that the test itself makes do not count.
 */
async function belongings({ owner, member, invitationId, keyDigest }: World) {
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
    objects: [await allRows(MARKERS.paid), await allRows(MARKERS.open)],
    sent: Object.values(caught).map((messages) => messages.length),
  };
}
