import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { configOf } from '../../src/engine/config.ts';
import { generateApiKey } from '../../src/engine/merchants/api-key.ts';
import { forgetDirectory } from '../../src/engine/merchants/directory.ts';
import { sha256Hex } from '../../src/kit/crypto/encoding.ts';
import { signLink } from '../../src/kit/crypto/link-token.ts';
import { uuidV7 } from '../../src/kit/crypto/uuid-v7.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import { ROUTES } from '../workers/api/operations.ts';
import { signedIn, visit } from '../workers/dashboard/support.ts';
import { operate } from '../workers/operator/support.ts';
import {
  ALPHA,
  addEndpoint,
  allRows,
  answerOf,
  BETA,
  call,
  chooseMethod,
  clientOf,
  consumeAll,
  createHosted,
  intentOf,
  merchantServer,
  payHosted,
  postRefund,
  runSql,
  statusPath,
  useGateway,
} from '../workers/support.ts';
import { type Comparable, comparable } from './comparable.ts';
import { databaseRows } from './storage.ts';

/**
 * Goal: answers do not tell what exists (docs/reliability.md#api1): what belongs to another merchant, and
 * keys and links that are unknown, wrong or revoked, are answered with the same bytes as what never
 * existed. Method: the same request twice, once for a foreign and once for an unknown thing.
 */

const caught = useGateway();

/** Ids of things of ALPHA's sandbox, each with one of the same form that nothing has. */
async function things() {
  merchantServer();
  await payHosted();
  await addEndpoint(ALPHA, 'we_alpha', { url: 'https://shop.example.com/' });
  expect((await postRefund()).status).toBe(200);
  const link = { paymentLinkUniqueId: 'link-1', title: 'Honey', amount: 450 };
  const linked = await call('/api/v1/payment/sandbox/links', { method: 'POST', body: link });
  expect(linked.status).toBe(200);
  await consumeAll(caught);
  const [event] = await clientOf().events();
  const eventId = event?.eventId ?? '';
  const { terms } = await intentOf();
  return {
    payment: [
      ['order-1', 'order-9'],
      [terms.uuid, uuidV7(Date.now())],
      [String(terms.number), String(terms.number + 1)],
    ],
    refund: [['refund-1', 'refund-9']],
    event: [[eventId, `${eventId.slice(0, -4)}0000`]],
    endpoint: [['we_alpha', 'we_other']],
    link: [['link-1', 'link-9']],
  } as const;
}

/** Calls about a thing. A payment is read by each of its ids. */
function callsIn(environment: Environment, known: Awaited<ReturnType<typeof things>>) {
  return ROUTES.filter((route) => route.environment === environment).flatMap((route) =>
    route.thing === null
      ? []
      : known[route.thing]
          .slice(0, route.id === 'readPayment' ? undefined : 1)
          .map(([id, unknown]) => ({ ...route, ids: [id, unknown] as const })),
  );
}

const STRANGERS = [
  ['another merchant', 'sandbox', BETA.apiKeys.sandbox],
  ['the other environment', 'production', ALPHA.apiKeys.production],
] as const;

test.each(STRANGERS)(
  'API1:2023, promises.md#8, decisions.md#29: for %s, each thing is answered as an unknown one',
  async (_name, environment, apiKey) => {
    const known = await things();
    // A key's use is recorded.
    const rows = () => databaseRows((table) => table === 'api_keys');
    const stored = async () => [await rows(), await allRows(), caught.webhooks.length];
    const before = await stored();
    for (const { id, method, pathOf, body, ids } of callsIn(environment, known)) {
      const [foreign, unknown] = await Promise.all(
        ids.map((thing) =>
          comparable(call(pathOf(thing), { method, apiKey, body: body?.(thing) }), ...ids),
        ),
      );
      expect([id, foreign?.status]).toEqual([id, 404]);
      expect(foreign).toEqual(unknown);
    }
    const lists = ROUTES.filter(({ id }) => /^list(?!Banks)/.test(id));
    for (const { id, pathOf } of lists.filter((list) => list.environment === environment)) {
      const { content } = (await answerOf(call(pathOf(''), { apiKey }))).envelope;
      expect([id, Object(content).data ?? content]).toEqual([id, []]);
    }
    expect(await stored()).toEqual(before);
    // The owner's lists have them.
    for (const { id, pathOf } of lists.filter((list) => list.environment === 'sandbox')) {
      const { content } = (await answerOf(call(pathOf('')))).envelope;
      expect([id, Object(content).data ?? content]).not.toEqual([id, []]);
    }
    // The owner finds each, so the ids are right.
    for (const { id, method, pathOf, body, ids } of callsIn('sandbox', known)) {
      const answer = await call(pathOf(ids[0]), { method, body: body?.(ids[0]) });
      await answer.body?.cancel();
      expect([id, answer.status]).not.toEqual([id, 404]);
    }
  },
);

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

test('API2:2023 links: an altered one gets the same bytes as one of another payment’s attempt, and creates nothing', async () => {
  const url = await createHosted();
  const own = url.split('/').at(-1) ?? '';
  const attempt = await chooseMethod(url);
  const { linkSigningKeys } = configOf(env);
  const linkOf = (uniqueId: string, keys = linkSigningKeys) =>
    signLink(keys, 'checkout', { objectName: clientOf(uniqueId).objectName, index: 0 });
  // Genuine, but its payment does not exist.
  const unused = await linkOf('order-9');
  const misSigned = await linkOf('order-1', [{ keyId: 't1', base64: btoa('x'.repeat(32)) }]);
  const altered = [`${own.slice(0, -4)}AAAA`, own.slice(0, -1), 't1.AAAA', misSigned, 'unlike'];
  const tokens = [...altered, attempt, unused];
  for (const form of ['', '/status', '/returned']) {
    const answers: Comparable[] = [];
    for (const token of tokens) {
      answers.push(await comparable(call(`/checkout/${token}${form}`, { apiKey: null }), token));
    }
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 404));
    expect(answers).toEqual(tokens.map(() => answers[0]));
  }
  expect(await allRows('order-9')).toEqual({});
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
