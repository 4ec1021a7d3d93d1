import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { configOf } from '../../src/engine/config.ts';
import { generateApiKey } from '../../src/engine/merchants/api-key.ts';
import { forgetDirectory } from '../../src/engine/merchants/directory.ts';
import { sha256Hex } from '../../src/kit/crypto/encoding.ts';
import { signLink } from '../../src/kit/crypto/link-token.ts';
import { uuidV7 } from '../../src/kit/crypto/uuid-v7.ts';
import { withoutRequestId } from '../support/problems.ts';
import { signedIn, submit, visit } from '../workers/dashboard/support.ts';
import { operate } from '../workers/operator/support.ts';
import {
  ALPHA,
  addEndpoint,
  BETA,
  type Body,
  call,
  chooseMethod,
  clientOf,
  consumeAll,
  createHosted,
  merchantServer,
  payHosted,
  postRefund,
  runSql,
  statusPath,
  useGateway,
} from '../workers/support.ts';

/**
 * Goal: answers do not tell what exists (docs/reliability.md#api1): what belongs to another merchant, and
 * keys and links that are unknown, wrong or revoked, are answered with the same bytes as what never
 * existed. Method: the same request twice, once for a foreign and once for an unknown thing.
 */

const caught = useGateway();

const API = '/api/v1/payment/sandbox';

/** Status, headers and body, without what names the request itself. */
async function comparable(response: Promise<Response>, ...ids: string[]) {
  const { status, headers, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    headers: [...answer.headers].filter(([name]) => name !== 'x-request-id'),
    text: await answer.text(),
  }));
  const text = headers.some(([, value]) => value.includes('json'))
    ? withoutRequestId(rest.text)
    : rest.text;
  const hidden = (value: string) =>
    ids.reduce(
      (left, id) => left.replaceAll(id, 'ID').replaceAll(encodeURIComponent(id), 'ID'),
      value,
    );
  return {
    status,
    headers: headers.map(([name, value]) => [name, hidden(value)]),
    text: hidden(text),
  };
}

type Comparable = Awaited<ReturnType<typeof comparable>>;

/** Things of ALPHA, and names of the same form that nothing has. */
async function things() {
  merchantServer();
  await payHosted();
  await addEndpoint(ALPHA, 'we_alpha', { url: 'https://shop.example.com/' });
  const refund = await postRefund();
  if (!refund.ok) {
    throw new Error(await refund.text());
  }
  await consumeAll(caught);
  const [event] = await clientOf().events();
  const member = await signedIn();
  const { digest } =
    (await env.DB.prepare(
      "SELECT digest FROM api_keys WHERE merchant_id = ? AND environment = 'sandbox' AND revoked_at_ms IS NULL",
    )
      .bind(ALPHA.id)
      .first<{ digest: string }>()) ?? {};
  return {
    payment: ['order-1', 'order-9'],
    uuid: [(await clientOf().read())?.terms.uuid ?? '', uuidV7(Date.now())],
    refund: ['refund-1', 'refund-9'],
    event: [event?.eventId ?? '', `${(event?.eventId ?? '').slice(0, -4)}0000`],
    endpoint: ['we_alpha', 'we_other'],
    key: [digest ?? '', '0'.repeat(64)],
    member: [member.memberId, 'mem_none'],
    session: [member.sessionId, `ses_${'0'.repeat(12)}`],
  } as const;
}

type Thing = keyof Awaited<ReturnType<typeof things>>;

interface Call {
  readonly method: string;
  readonly thing: Thing;
  readonly pathOf: (id: string) => string;
  readonly body?: Body;
}

const CALLS: readonly Call[] = [
  { method: 'GET', thing: 'payment', pathOf: statusPath },
  { method: 'GET', thing: 'uuid', pathOf: statusPath },
  { method: 'GET', thing: 'payment', pathOf: (id) => `${API}/checkout/${id}` },
  { method: 'POST', thing: 'payment', pathOf: (id) => `${API}/intent/cancel/${id}` },
  {
    method: 'POST',
    thing: 'payment',
    pathOf: () => `${API}/refund`,
    body: { paymentIntentUniqueId: 'ID', refundUniqueId: 'r' },
  },
  { method: 'GET', thing: 'refund', pathOf: (id) => `${API}/refund/${id}` },
  { method: 'POST', thing: 'refund', pathOf: (id) => `${API}/refund/${id}/cancel` },
  { method: 'GET', thing: 'event', pathOf: (id) => `${API}/events/${id}` },
  { method: 'POST', thing: 'event', pathOf: (id) => `${API}/events/${id}/resend` },
  { method: 'GET', thing: 'endpoint', pathOf: (id) => `${API}/webhook-endpoints/${id}` },
  {
    method: 'PATCH',
    thing: 'endpoint',
    pathOf: (id) => `${API}/webhook-endpoints/${id}`,
    body: { enabled: false },
  },
  { method: 'DELETE', thing: 'endpoint', pathOf: (id) => `${API}/webhook-endpoints/${id}` },
  { method: 'POST', thing: 'endpoint', pathOf: (id) => `${API}/webhook-endpoints/${id}/secret` },
];

test.each(CALLS)(
  'API1:2023 $method of a foreign $thing is answered as of an unknown one',
  async ({ method, thing, pathOf, body }) => {
    const [foreign, unknown] = (await things())[thing];
    const ask = (id: string) =>
      comparable(
        call(pathOf(id), {
          method,
          apiKey: BETA.apiKeys.sandbox,
          ...(body && { body: JSON.parse(JSON.stringify(body).replace('ID', id)) }),
        }),
        foreign,
        unknown,
      );
    const answer = await ask(foreign);
    expect(answer.status).toBe(404);
    expect(answer).toEqual(await ask(unknown));
  },
);

const PAGES: readonly (readonly ['GET' | 'POST', Thing, (id: string) => string])[] = [
  ['GET', 'payment', (id) => `/dashboard/sandbox/payments/${id}`],
  ['POST', 'payment', (id) => `/dashboard/sandbox/payments/${id}/cancel`],
  ['GET', 'payment', (id) => `/dashboard/sandbox/payments/${id}/refund`],
  ['GET', 'payment', (id) => `/dashboard/sandbox/webhooks/events/${id}/3`],
  ['GET', 'endpoint', (id) => `/dashboard/sandbox/webhooks/endpoints/${id}`],
  ['POST', 'endpoint', (id) => `/dashboard/sandbox/webhooks/endpoints/${id}/delete`],
  ['GET', 'key', (id) => `/dashboard/sandbox/keys/${id}`],
  ['POST', 'key', (id) => `/dashboard/sandbox/keys/${id}/revoke`],
  ['GET', 'member', (id) => `/dashboard/team/members/${id}`],
  ['POST', 'member', (id) => `/dashboard/team/members/${id}/recovery`],
  ['POST', 'session', (id) => `/dashboard/account/sessions/${id}/revoke`],
];

test.each(PAGES)('API1:2023 %s of the page of a foreign %s: as an unknown one', async (...row) => {
  const [method, thing, pathOf] = row;
  const [foreign, unknown] = (await things())[thing];
  const stranger = await signedIn('owner', BETA);
  const ask = (id: string) => {
    const path = pathOf(id);
    const answer = method === 'GET' ? visit(stranger, path) : submit(stranger, path);
    return comparable(answer, foreign, unknown);
  };
  const answer = await ask(foreign);
  expect(answer.status).toBe(404);
  expect(answer).toEqual(await ask(unknown));
});

/** Keys that no route accepts, however close they come to a good one. */
const KEYS: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['malformed', () => 'hunter2'],
  ['another text of the right form', () => `kfl_test_${'0'.repeat(49)}`],
  [
    'genuine but never issued',
    () => generateApiKey(configOf(env).dataEncryptionKeys, 'sandbox', new Uint8Array(32).fill(99)),
  ],
  ['revoked', () => ALPHA.revokedApiKeys.sandbox],
  [
    'a suspended merchant’s',
    async () => {
      await runSql([
        { sql: "UPDATE merchants SET status = 'suspended' WHERE id = ?1", params: [ALPHA.id] },
      ]);
      forgetDirectory();
      return ALPHA.apiKeys.sandbox;
    },
  ],
];

test('API2:2023 keys: wrong, unknown, revoked and suspended ones get the same bytes', async () => {
  await createHosted();
  const answers: Comparable[] = [];
  for (const [, key] of KEYS) {
    const apiKey = await key();
    answers.push(await comparable(call(statusPath('order-1'), { apiKey })));
  }
  expect(answers.map(({ status }) => status)).toEqual(KEYS.map(() => 401));
  expect(answers).toEqual(KEYS.map(() => answers[0]));
});

test('API2:2023 links: an altered one gets the same bytes as one of another payment’s attempt', async () => {
  const url = await createHosted();
  const own = url.split('/').at(-1) ?? '';
  const attempt = await chooseMethod(url);
  const { objectName } = clientOf('order-9');
  // Genuine, but its payment does not exist.
  const unused = await signLink(configOf(env).linkSigningKeys, 'checkout', {
    objectName,
    index: 0,
  });
  const tokens = [`${own.slice(0, -4)}AAAA`, own.slice(0, -1), attempt, unused, 'unlike'];
  for (const form of ['', '/status', '/returned']) {
    const answers: Comparable[] = [];
    for (const token of tokens) {
      answers.push(await comparable(call(`/checkout/${token}${form}`, { apiKey: null }), token));
    }
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 404));
    expect(answers).toEqual(tokens.map(() => answers[0]));
  }
});

test('API2:2023 secrets of the desk: a wrong one learns nothing', async () => {
  const authorization = `Bearer kfl_op_${'x'.repeat(43)}`;
  const paths = ['merchants/mer_alpha', 'merchants/mer_none', 'dead-letters/1'].map(
    (page) => `/operator/${page}`,
  );
  const answers = await Promise.all(
    paths.map((path) => comparable(operate(path, undefined, { authorization }), path)),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(answers).toEqual(paths.map(() => answers[0]));
});

test('ASVS 5.0 V11: Kefel finds keys and sessions by their digest, never by the secret', async () => {
  const member = await signedIn();
  forgetDirectory();
  const bound: unknown[] = [];
  for (const database of [env.DB, env.BACK_OFFICE_DB]) {
    const prepare = database.prepare.bind(database);
    vi.spyOn(database, 'prepare').mockImplementation((sql) => {
      const statement = prepare(sql);
      const bind = statement.bind.bind(statement);
      statement.bind = (...values) => {
        bound.push(sql, ...values);
        return bind(...values);
      };
      return statement;
    });
  }
  const apiKey = ALPHA.apiKeys.sandbox;
  await call(statusPath('order-1'), { apiKey });
  await visit(member, '/dashboard/account');
  const token = member.cookie.split('=')[1] ?? '';
  const texts = bound.map(String);
  expect(texts).toContain(await sha256Hex(token));
  expect(texts.filter((text) => text.includes(apiKey) || text.includes(token))).toEqual([]);
  expect(texts).toContain(await sha256Hex(apiKey));
});
