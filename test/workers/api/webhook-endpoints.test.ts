import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { ENDPOINTS_MAX } from '../../../src/engine/webhooks/endpoints.ts';
import { SECRETS_MAX } from '../../../src/engine/webhooks/secret-rules.ts';
import { databaseRows } from '../../security/storage.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  ALPHA,
  type Arrival,
  addEndpoint,
  advance,
  answerOf,
  BETA,
  type CallOptions,
  call,
  HOUR_MS,
  isSignedBy,
  payHosted,
  SECOND_MS,
  useDeliveries,
} from '../support.ts';

/** Goal: a program can do with its endpoints what members do in the dashboard, and no more. */

const { arrivals, deliverAll } = useDeliveries();

const PATH = '/api/v1/payment/sandbox/webhook-endpoints';
const URL_A = 'https://shop.example.com/hooks?token=1';
const URL_B = 'https://b.example.com/hooks';

interface Content {
  readonly id: string;
  readonly secret?: string;
  readonly [name: string]: unknown;
}

async function ask(path: string, options: CallOptions = {}) {
  const { status, envelope } = await answerOf(call(path, options));
  return { status, ...envelope, content: envelope.content as Content };
}

const create = (body: Record<string, unknown> = {}) =>
  ask(PATH, { method: 'POST', body: { url: URL_A, ...body } });
const change = (id: string, body: Record<string, unknown>) =>
  ask(`${PATH}/${id}`, { method: 'PATCH', body });

const KEY = 'first-endpoint';

const createWith = (
  key: string,
  body: CallOptions['body'] = { url: URL_A },
  options: CallOptions = {},
) =>
  answerOf(call(PATH, { method: 'POST', headers: { 'idempotency-key': key }, body, ...options }));

let orders = 0;

/** What arrives of a new payment's event. */
async function delivered(): Promise<readonly Arrival[]> {
  orders += 1;
  arrivals.length = 0;
  await payHosted({ paymentIntentUniqueId: `order-${orders}`, callbackUrl: null });
  await deliverAll();
  return [...arrivals];
}

test('creates, lists, reads, changes and deletes an endpoint', async () => {
  const created = await create();
  const expected = {
    id: expect.stringMatching(/^we_[0-9a-f]{20}$/),
    url: URL_A,
    kind: 'URL',
    eventTypes: [],
    description: '',
    enabled: true,
    paused: false,
    signatureHeader: null,
    payloadVersion: '2026-11-23',
    createdAt: new Date(Date.now()).toISOString(),
  };
  const { id, secret } = created.content;
  expect(created).toMatchObject({ status: 200 });
  expect(created.content).toEqual({ ...expected, secret: expect.stringMatching(/^whsec_/) });
  expect((await ask(PATH)).content).toEqual([expected]);
  expect((await ask(`${PATH}/${id}`)).content).toEqual(expected);
  const [arrival] = await delivered();
  expect([arrival?.url, isSignedBy(secret, arrival)]).toEqual([URL_A, true]);
  expect(JSON.parse(arrival?.text ?? '')).toMatchObject({ payloadVersion: '2026-11-23' });

  const changes = {
    url: 'https://new.example.com/',
    eventTypes: ['PAYMENT_FAILED', 'PAYMENT_SUCCESS', 'PAYMENT_FAILED'],
    description: ' Shop ',
    signatureHeader: 'X-Shop',
  };
  const changed = await change(id, changes);
  expect(changed.content).toEqual({
    ...expected,
    ...changes,
    eventTypes: ['PAYMENT_SUCCESS', 'PAYMENT_FAILED'],
    description: 'Shop',
  });
  const [next] = await delivered();
  expect([next?.url, next?.headers.has('x-shop')]).toEqual(['https://new.example.com/', true]);

  const removed = await change(id, { signatureHeader: null, enabled: false, eventTypes: null });
  expect(removed.content).toEqual({
    ...changed.content,
    signatureHeader: null,
    enabled: false,
  });
  expect(await delivered()).toEqual([]);

  expect((await ask(`${PATH}/${id}`, { method: 'DELETE' })).content).toEqual(removed.content);
  expect((await ask(`${PATH}/${id}`)).status).toBe(404);
  expect((await ask(PATH)).content).toEqual([]);
  expect(
    await env.DB.prepare('SELECT * FROM webhook_secrets WHERE endpoint_id = ?').bind(id).first(),
  ).toBeNull();
});

describe('a creation with an Idempotency-Key (docs/decisions.md#8)', () => {
  const ids = async () => ((await ask(PATH)).content as unknown as Content[]).map(({ id }) => id);

  test('a repeat gets the first answer byte for byte, also after changes and the deletion', async () => {
    const first = await createWith(KEY);
    const { id, secret } = first.envelope.content as Content;
    expect(first.status).toBe(200);
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    const repeated = async () => {
      const { status, text, headers } = await createWith(KEY);
      expect([status, text]).toEqual([200, first.text]);
      expect(headers.get('idempotent-replayed')).toBe('true');
    };
    await repeated();
    expect(await ids()).toEqual([id]);
    const [arrival] = await delivered();
    expect(isSignedBy(secret, arrival)).toBe(true);
    await change(id, { url: URL_B, enabled: false });
    await repeated();
    await ask(`${PATH}/${id}/secret`, { method: 'POST', body: { overlapHours: 0 } });
    await repeated();
    await ask(`${PATH}/${id}`, { method: 'DELETE' });
    await repeated();
    expect(await ids()).toEqual([]);
  });

  test('two requests at once create one endpoint, and get one answer', async () => {
    const [one, other] = await Promise.all([createWith(KEY), createWith(KEY)]);
    expect(one.text).toBe(other.text);
    expect(await ids()).toHaveLength(1);
    const log = await auditLog();
    expect(log.map(({ action }) => action)).toEqual(['webhook.endpoint_created']);
  });

  test.each<[string, string, number, string?]>([
    ['another body', JSON.stringify({ url: URL_B }), 422, 'idempotency_key_reused'],
    ['the same fields in other bytes', `{ "url": "${URL_A}" }`, 422, 'idempotency_key_reused'],
    ['no valid body', '{}', 422, 'idempotency_key_reused'],
  ])('the key with %s is refused', async (_name, body, status, code) => {
    await createWith(KEY);
    expect(await createWith(KEY, body)).toMatchObject({ status, envelope: { code } });
    expect(await ids()).toHaveLength(1);
  });

  test('the key of another merchant or environment is another key', async () => {
    const first = await createWith(KEY);
    const others = [
      await createWith(KEY, undefined, { apiKey: BETA.apiKeys.sandbox }),
      await answerOf(
        call(PATH.replace('/sandbox', ''), {
          method: 'POST',
          headers: { 'idempotency-key': KEY },
          body: { url: URL_A },
          apiKey: ALPHA.apiKeys.production,
        }),
      ),
    ];
    for (const { status, text, headers } of others) {
      expect([status, headers.has('idempotent-replayed')]).toEqual([200, false]);
      expect(text).not.toBe(first.text);
    }
  });

  test('a refused request stores nothing, so it can be corrected', async () => {
    expect((await createWith(KEY, { url: 'shop' })).status).toBe(400);
    expect((await createWith(KEY)).status).toBe(200);
    expect((await createWith('x'.repeat(256))).envelope).toMatchObject({
      code: 'idempotency_key_invalid',
    });
  });

  test('at the limit of endpoints, only a repeat is answered', async () => {
    const first = await createWith(KEY);
    for (let made = 1; made < ENDPOINTS_MAX; made += 1) {
      await create();
    }
    const { status, envelope } = await createWith('another');
    expect([status, envelope.code]).toEqual([409, 'webhook_endpoint_limit']);
    expect((await createWith(KEY)).text).toBe(first.text);
    await ask(`${PATH}/${(await ids())[1]}`, { method: 'DELETE' });
    expect((await createWith('another')).status).toBe(200);
  });

  test('a crash leaves the endpoint with its answer, or neither', async () => {
    // The Worker loses D1's answer: once before the batch, then after it.
    const unmocked = env.DB.batch.bind(env.DB);
    const batch = vi.spyOn(env.DB, 'batch');
    batch.mockRejectedValueOnce(new Error('died before the batch'));
    expect((await createWith(KEY)).status).toBeGreaterThanOrEqual(500);
    expect(await ids()).toEqual([]);
    batch.mockImplementationOnce(async (statements) => {
      await unmocked(statements);
      throw new Error('died after the batch');
    });
    expect((await createWith(KEY)).status).toBeGreaterThanOrEqual(500);
    const [id, ...more] = await ids();
    expect(more).toEqual([]);
    const { status, envelope } = await createWith(KEY);
    expect([status, (envelope.content as Content).id]).toEqual([200, id]);
    const [arrival] = await delivered();
    expect(isSignedBy((envelope.content as Content).secret, arrival)).toBe(true);
  });

  test('the stored answer is sealed, and another merchant’s row does not open it', async () => {
    const { text, envelope } = await createWith(KEY);
    const { secret = '' } = envelope.content as Content;
    const stored = JSON.stringify(await databaseRows());
    expect(stored).not.toContain(secret.slice('whsec_'.length));
    expect(stored).not.toContain('whsec_');
    expect(text).toContain(secret);
    await env.DB.prepare('UPDATE webhook_endpoint_answers SET merchant_id = ?').bind(BETA.id).run();
    const stolen = await createWith(KEY, undefined, { apiKey: BETA.apiKeys.sandbox });
    expect([stolen.status, stolen.text.includes(secret)]).toEqual([500, false]);
  });
});

describe('two enabled endpoints with one url', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
    ['the same url', {}, {}, true],
    [
      'a url that differs in the case of its host',
      {},
      { url: URL_A.replace('shop', 'SHOP') },
      true,
    ],
    ['another path', {}, { url: `${URL_A}2` }, false],
    ['a disabled first one', { enabled: false }, {}, false],
    ['a disabled second one', {}, { enabled: false }, false],
  ])('%s (%j, %j): a warning is %s', async (_name, first, second, isWarned) => {
    const { content, warnings: none } = await create(first);
    expect(none).toBeUndefined();
    const { status, warnings = [] } = await create(second);
    expect(status).toBe(200);
    expect(warnings).toEqual(isWarned ? [expect.stringContaining(content.id)] : []);
  });

  test('a repeat has the warnings of the first answer', async () => {
    await create();
    const first = await createWith(KEY);
    expect(first.envelope.warnings).toHaveLength(1);
    expect((await createWith(KEY)).text).toBe(first.text);
  });

  test('the endpoints of others cause none', async () => {
    await addEndpoint(BETA, 'we_beta', { url: URL_A });
    await addEndpoint(ALPHA, 'we_live', { url: URL_A }, 'production');
    expect((await create()).warnings).toBeUndefined();
  });
});

test('of two endpoints, the one of the id is read, changed and deleted', async () => {
  const header = { signatureHeader: 'x'.repeat(64) };
  const { secret: _first, ...other } = (await create({ description: 'First', ...header })).content;
  advance(1);
  const { id } = (await create({ description: 'Second' })).content;
  expect((await ask(`${PATH}/${id}`)).content).toMatchObject({ id, description: 'Second' });
  expect((await ask(`${PATH}/we_unknown`)).status).toBe(404);
  const disabled = { id, description: 'Second', signatureHeader: null, enabled: false };
  expect((await change(id, { enabled: false })).content).toMatchObject(disabled);
  const deleted = await ask(`${PATH}/${id}`, { method: 'DELETE' });
  expect(deleted).toMatchObject({ status: 200, content: disabled });
  expect((await ask(PATH)).content).toEqual([other]);
});

test('keeps the version of the payload with which it was created', async () => {
  const { id } = (await create()).content;
  // As if a gateway before this one had created it.
  await env.DB.prepare("UPDATE webhook_endpoints SET payload_version = '2025-01-01'").run();
  const kept = { id, description: 'Changed', payloadVersion: '2025-01-01' };
  expect((await change(id, { description: 'Changed' })).content).toMatchObject(kept);
  expect((await ask(PATH)).content).toMatchObject([kept]);
});

test('is recorded in the audit log by the name of the key, without secrets and paths', async () => {
  const { id } = (await create()).content;
  await change(id, { enabled: false });
  await ask(`${PATH}/${id}/secret`, { method: 'POST' });
  await ask(`${PATH}/${id}`, { method: 'DELETE' });
  const log = await auditLog();
  expect(log.map(({ action }) => action)).toEqual([
    'webhook.endpoint_created',
    'webhook.endpoint_changed',
    'webhook.secret_rotated',
    'webhook.endpoint_deleted',
  ]);
  expect(JSON.stringify(log)).not.toMatch(/whsec_|token=1/);
  const actors = await env.DB.prepare(
    'SELECT DISTINCT actor_kind, actor_name FROM audit_log',
  ).all();
  expect(actors.results).toEqual([{ actor_kind: 'api_key', actor_name: 'valid' }]);
});

test('a rotated secret signs at once, and the old one for the overlap', async () => {
  const { id, secret: old } = (await create()).content;
  const body = { overlapHours: 1 };
  const { secret } = (await ask(`${PATH}/${id}/secret`, { method: 'POST', body })).content;
  expect(secret).not.toBe(old);
  const rotatedAtMs = Date.now();
  advance(6 * SECOND_MS);
  const [both] = await delivered();
  expect([isSignedBy(old, both), isSignedBy(secret, both)]).toEqual([true, true]);
  vi.setSystemTime(rotatedAtMs + HOUR_MS + 6 * SECOND_MS);
  const [later] = await delivered();
  expect([isSignedBy(old, later), isSignedBy(secret, later)]).toEqual([false, true]);
});

test('rotations leave no ended secrets behind, and those of other owners alone', async () => {
  await addEndpoint(BETA, 'we_other', { url: URL_A });
  const { id } = (await create()).content;
  const secrets = async () => {
    const { results } = await env.DB.prepare('SELECT id FROM webhook_secrets').all();
    return results.length;
  };
  await env.DB.prepare(
    "UPDATE webhook_secrets SET expires_at_ms = 1 WHERE id = 'we_other-secret'",
  ).run();
  const before = await secrets();
  for (const overlapHours of [0, 0, 1]) {
    const path = `${PATH}/${id}/secret`;
    expect((await ask(path, { method: 'POST', body: { overlapHours } })).status).toBe(200);
  }
  expect(await secrets()).toBe(before + 1);
});

test('each endpoint has its own limit of secrets, and overlapHours 0 makes room', async () => {
  const other = (await create({ url: URL_B })).content;
  advance(1);
  const { id } = (await create()).content;
  const rotate = (endpointId: string, body: Record<string, unknown> = {}) =>
    ask(`${PATH}/${endpointId}/secret`, { method: 'POST', body });
  for (let times = 1; times < SECRETS_MAX; times += 1) {
    expect((await rotate(id)).status).toBe(200);
  }
  expect(await rotate(id)).toMatchObject({ status: 409, code: 'webhook_secret_limit' });
  const toOther = (await delivered()).find(({ url }) => url === URL_B);
  expect(isSignedBy(other.secret, toOther)).toBe(true);
  expect((await rotate(other.id)).status).toBe(200);
  expect((await rotate(id, { overlapHours: 0 })).status).toBe(200);
});

test('paused: false resumes a paused endpoint, and true is refused', async () => {
  const { id } = (await create()).content;
  await env.DB.prepare(
    `INSERT INTO failing_endpoints VALUES (?1, 'sandbox', ?2, ?3, ?3, 'HTTP 500', ?3, NULL)`,
  )
    .bind(ALPHA.id, id, Date.now())
    .run();
  expect((await ask(`${PATH}/${id}`)).content.paused).toBe(true);
  expect((await change(id, { paused: true })).status).toBe(400);
  expect((await change(id, { description: 'still' })).content.paused).toBe(true);
  expect((await change(id, { paused: false })).content.paused).toBe(false);
});

test('an endpoint with a URL that Kefel now refuses can be disabled, but not moved to another refused URL', async () => {
  await addEndpoint(ALPHA, 'we_1', { url: 'https://10.0.0.1/' });
  expect(await change('we_1', { enabled: false })).toMatchObject({
    status: 200,
    content: { enabled: false },
  });
  expect((await change('we_1', { url: 'https://10.0.0.2/' })).status).toBe(400);
});

describe('what is not valid changes nothing', () => {
  test.each([
    ['url', undefined, 'required'],
    ['url', 'shop', 'invalid_format'],
    ['url', 'https://10.0.0.1/', 'undeliverable'],
    ['url', `https://shop.example.com/${'x'.repeat(2_048)}`, 'too_long'],
    ['eventTypes', ['PAYMENT_REFUNDED'], 'invalid_choice'],
    ['eventTypes', 'PAYMENT_SUCCESS', 'invalid_type'],
    ['eventTypes', new Array(21).fill('PAYMENT_SUCCESS'), 'too_many'],
    ['description', 'x'.repeat(201), 'too_long'],
    ['description', 'a\u202eb', 'invalid_format'],
    ['enabled', 'yes', 'invalid_type'],
    ['signatureHeader', '', 'invalid_format'],
    ['signatureHeader', 'X Shop', 'invalid_format'],
    ['signatureHeader', 'X-Shop\r\nX-Evil: 1', 'invalid_format'],
    ['signatureHeader', 'Host', 'invalid_choice'],
    ['signatureHeader', 'webhook-id', 'invalid_choice'],
    ['signatureHeader', 'x'.repeat(65), 'too_long'],
    ['secret', 'whsec_mine', 'unknown_field'],
    ['payloadVersion', '2026-11-23', 'unknown_field'],
  ])('%s: %j is %s', async (field, value, code) => {
    const refused = await create({ [field]: value });
    expect(refused).toMatchObject({ status: 400, code: 'validation_failed' });
    const path =
      field === 'eventTypes' && Array.isArray(value) && value.length === 1
        ? 'eventTypes[0]'
        : field;
    expect(refused).toMatchObject({ validationErrorCodes: { [path]: code } });
    expect((await ask(PATH)).content).toEqual([]);
    if (value !== undefined) {
      await addEndpoint(ALPHA, 'we_1', { url: URL_A });
      expect((await change('we_1', { [field]: value })).status).toBe(400);
      expect((await ask(`${PATH}/we_1`)).content).toMatchObject({ url: URL_A, enabled: true });
    }
  });

  test.each([['-1'], ['73'], ['1.5']])('overlapHours: %s', async (hours) => {
    const { id } = (await create()).content;
    const body = { overlapHours: Number(hours) };
    const refused = await ask(`${PATH}/${id}/secret`, { method: 'POST', body });
    expect(refused.status).toBe(400);
  });
});
