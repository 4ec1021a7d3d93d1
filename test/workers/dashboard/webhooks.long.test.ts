import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ENDPOINTS_MAX } from '../../../src/engine/webhooks/endpoints.ts';
import { SECRETS_MAX } from '../../../src/engine/webhooks/secret-rules.ts';
import { bytesFromBase64, hexFromBytes, utf8 } from '../../../src/kit/crypto/encoding.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import worker from '../../support/gateway.ts';
import {
  ALPHA,
  type Arrival,
  advance,
  answerOf,
  BETA,
  call,
  consume,
  HOUR_MS,
  isSignedBy,
  merchantServer,
  ORIGIN,
  payHosted,
  paymentIn,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { auditLog, type SignedIn, signedIn, submit, visit } from './support.ts';

/**
 * Goal: members set up endpoints, rotate secrets without a gap, test their server and resume
 * a paused endpoint; other merchants see and change nothing of it. Method: the tests post forms as
 * browsers do, and a public library verifies what arrives.
 */

const caught = useGateway();

const PATH = '/dashboard/sandbox/webhooks';
const HOOK = 'https://hooks.example.com/kefel?token=1';

let httpStatus = 200;
let arrivals: Arrival[] = [];

beforeEach(() => {
  httpStatus = 200;
  arrivals = merchantServer(() => new Response('<b>thanks\u202e</b>', { status: httpStatus }));
});

/** The page's text without markup. */
async function textOf(response: Response | Promise<Response>): Promise<string> {
  const html = await (await response).text();
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
}

const actions = async () => (await auditLog()).map(({ action }) => action);

async function secretIn(response: Response | Promise<Response>): Promise<string> {
  const html = await (await response).text();
  return /id="shown-secret"[^>]*value="(whsec_[^"]+)"/.exec(html)?.[1] ?? '';
}

async function idsOf(environment: Environment = 'sandbox'): Promise<readonly string[]> {
  const { results } = await env.DB.prepare(
    `SELECT id FROM webhook_secrets WHERE merchant_id = ?1 AND environment = ?2
     ORDER BY created_at_ms DESC, id DESC`,
  )
    .bind(ALPHA.id, environment)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

let orders = 0;

/** A payment whose event is sent. Returns what has arrived. */
async function deliverOne(callbackUrl: string | null = null): Promise<Arrival> {
  orders += 1;
  await payHosted({ paymentIntentUniqueId: `order-${orders}`, callbackUrl });
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  const arrival = arrivals.at(-1);
  if (arrival === undefined) {
    throw new Error('nothing arrived');
  }
  return arrival;
}

/** Adds an endpoint with the form. Returns its id and its secret. */
async function addByForm(
  member: SignedIn,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ readonly id: string; readonly secret: string; readonly path: string }> {
  const answer = await submit(member, `${PATH}/endpoints`, { url: HOOK, ...fields });
  const html = await answer.text();
  const id = /<code>(we_[0-9a-f]+)<\/code>/.exec(html)?.[1] ?? '';
  return { id, secret: await secretIn(new Response(html)), path: `${PATH}/endpoints/${id}` };
}

const endpointRows = async () =>
  (await env.DB.prepare('SELECT * FROM webhook_endpoints').all()).results;

describe('an endpoint', () => {
  test('is added, shown with its secret once, audited and used', async () => {
    const member = await signedIn('developer');
    const { id, secret, path } = await addByForm(member, { url: ` ${HOOK} `, description: 'Shop' });
    expect(secret).toMatch(/^whsec_/);
    const page = await (await visit(member, path)).text();
    expect(page).toContain(`value="${HOOK}"`);
    expect(page).not.toContain(secret);
    expect(await textOf(visit(member, PATH))).toContain(`Shop · ${HOOK}`);
    expect(await auditLog()).toMatchObject([
      { action: 'webhook.endpoint_created', environment: 'sandbox', target: id },
    ]);
    const detail = (await auditLog())[0]?.detail ?? '';
    expect(JSON.parse(detail)).toMatchObject({ enabled: true, eventTypes: 'all' });
    expect(detail).not.toContain('token=1');
    const arrival = await deliverOne();
    expect([arrival.url, isSignedBy(secret, arrival)]).toEqual([HOOK, true]);
    expect(isSignedBy(ALPHA.webhookSecret, arrival)).toBe(false);
  });

  test('of a new merchant has its first secret, without a word about old ones', async () => {
    const member = await signedIn('developer');
    const page = await textOf(submit(member, `${PATH}/endpoints`, { url: HOOK }));
    expect(page).toContain('The endpoint was created. This is its secret');
    expect(page.split('Send a test event')[0]).not.toMatch(/the old ones/i);
  });

  test('belongs to one environment', async () => {
    const member = await signedIn();
    await addByForm(member);
    const production = await (await visit(member, '/dashboard/production/webhooks')).text();
    expect(production).not.toContain('hooks.example.com/');
  });

  test('can be changed: its URL, types and extra header', async () => {
    const member = await signedIn('developer');
    const { id, path, secret } = await addByForm(member);
    const changed = await submit(member, path, {
      url: 'https://new.example.com/',
      eventType: 'PAYMENT_SUCCESS',
      signatureHeader: 'X-Shop-Signature',
    });
    expect([changed.status, changed.headers.get('location')]).toEqual([303, `${path}?done=saved`]);
    const arrival = await deliverOne();
    expect(arrival.url).toBe('https://new.example.com/');
    expect(arrival.headers.get('x-shop-signature')).toBe(await hexHmac(secret, arrival.text));
    expect(await auditLog()).toMatchObject([
      { action: 'webhook.endpoint_created' },
      { action: 'webhook.endpoint_changed', target: id },
    ]);
    expect(JSON.parse((await auditLog())[1]?.detail ?? '')).toEqual({
      origin: 'https://new.example.com',
      enabled: true,
      eventTypes: 'PAYMENT_SUCCESS',
      signatureHeader: 'X-Shop-Signature',
    });
  });

  test('can be disabled, enabled and deleted', async () => {
    const member = await signedIn('developer');
    const { path } = await addByForm(member);
    await submit(member, `${path}/disable`);
    expect(await textOf(visit(member, path))).toContain('Disabled');
    await submit(member, `${path}/enable`);
    expect(await textOf(visit(member, path))).toContain('Enabled');
    const deleted = await submit(member, `${path}/delete`);
    expect(deleted.headers.get('location')).toBe(`${PATH}?done=deleted`);
    expect((await visit(member, path)).status).toBe(404);
    expect(await endpointRows()).toEqual([]);
    expect(await idsOf()).toEqual([`${ALPHA.id}-sandbox`]);
    expect(await actions()).toEqual([
      'webhook.endpoint_created',
      'webhook.endpoint_changed',
      'webhook.endpoint_changed',
      'webhook.endpoint_deleted',
    ]);
  });

  test('a paused one is resumed by a developer', async () => {
    const member = await signedIn('developer');
    const { id, path } = await addByForm(member);
    await env.DB.prepare(
      `INSERT INTO failing_endpoints VALUES (?1, 'sandbox', ?2, ?3, ?3, 'HTTP 500', ?3, NULL)`,
    )
      .bind(ALPHA.id, id, Date.now())
      .run();
    expect(await textOf(visit(member, path))).toMatch(/Paused .* HTTP 500/);
    await submit(member, `${path}/resume`);
    expect(await textOf(visit(member, path))).not.toContain('Paused');
    expect((await actions()).at(-1)).toBe('webhook.endpoint_resumed');
  });

  test('rotates its own secrets, not those of the environment', async () => {
    const member = await signedIn('developer');
    const { path, secret } = await addByForm(member);
    const fresh = await secretIn(submit(member, `${path}/secrets`, { overlapHours: '24' }));
    advance(6 * SECOND_MS);
    const arrival = await deliverOne();
    expect([secret, fresh].map((known) => isSignedBy(known, arrival))).toEqual([true, true]);
    const old = await secretIn(submit(member, `${PATH}/secrets/${ALPHA.id}-sandbox/show`));
    expect(old).toBe(ALPHA.webhookSecret);
    const foreign = await submit(member, `${path}/secrets/${ALPHA.id}-sandbox/show`);
    expect(foreign.status).toBe(404);
  });

  test('that does not exist gets no secret', async () => {
    const member = await signedIn('developer');
    const answer = await submit(member, `${PATH}/endpoints/we_nothing/secrets`, {
      overlapHours: '0',
    });
    expect(answer.status).toBe(404);
    expect(await idsOf()).toHaveLength(1);
  });

  test('the eleventh is refused', async () => {
    const member = await signedIn('developer');
    for (let times = 0; times < ENDPOINTS_MAX; times += 1) {
      expect((await addByForm(member)).id).not.toBe('');
    }
    const refused = await submit(member, `${PATH}/endpoints`, { url: HOOK });
    expect(refused.status).toBe(400);
    expect(await textOf(refused)).toContain('There are already 10 endpoints');
    expect(await endpointRows()).toHaveLength(ENDPOINTS_MAX);
    expect(await idsOf()).toHaveLength(ENDPOINTS_MAX + 1);
  });

  test.each([
    ['signatureHeader', 'X Shop', 'without spaces'],
    ['signatureHeader', 'webhook-signature', 'already has a meaning'],
    ['signatureHeader', 'Content-Length', 'already has a meaning'],
    ['signatureHeader', 'x'.repeat(65), 'at most 64 characters'],
    ['description', 'x'.repeat(201), 'at most 200 characters'],
    ['description', 'Shop\u0000', 'only visible characters'],
    ['eventType', 'PAYMENT_REFUNDED', 'Choose event types from the list'],
  ])('with the %s "%.20s" is refused with the reason', async (field, value, reason) => {
    const member = await signedIn('developer');
    const { path } = await addByForm(member);
    const before = await endpointRows();
    for (const target of [`${PATH}/endpoints`, path]) {
      const refused = await submit(member, target, { url: HOOK, [field]: value });
      expect(refused.status).toBe(400);
      expect(await textOf(refused)).toContain(reason);
    }
    expect(await endpointRows()).toEqual(before);
  });

  test.each([
    ['hooks', 'That isn’t a valid URL'],
    ['ftp://shop.example.com/', 'must start with https:// or http://'],
    ['https://user:word@shop.example.com/', 'user name or password'],
    ['https://10.0.0.1/hook', 'not an IP address'],
    ['https://shop/', 'full domain name'],
    ['https://db.internal/', 'private or special use'],
    ['https://shop.example.com/a b', 'No spaces'],
    ['HTTPS://shop.example.com/', 'Enter http:// or https://'],
    [`https://shop.example.com/${'x'.repeat(2_048)}`, 'longer than 2,048'],
  ])(
    '%s is refused at once with its reason, kept in the field, and changes nothing',
    async (url, reason) => {
      const member = await signedIn('developer');
      const refused = await submit(member, `${PATH}/endpoints`, { url });
      expect(refused.status).toBe(400);
      const html = await refused.text();
      expect(html).toContain('aria-invalid="true"');
      expect(html).toContain(`value="${url}"`);
      expect(html).toContain('href="#url"');
      expect(await textOf(new Response(html))).toContain(reason);
      // A test webhook rejects the same address and sends nothing.
      expect((await submit(member, `${PATH}/test`, { url })).status).toBe(400);
      expect(arrivals).toEqual([]);
      expect(await endpointRows()).toEqual([]);
      expect(await actions()).toEqual([]);
    },
  );

  test('rejects http unless the operator allows it', async () => {
    const member = await signedIn();
    const unsafe = { url: 'http://a.example.com/' };
    const response = await submit(member, `${PATH}/endpoints`, unsafe);
    expect(response.status).toBe(400);
    expect(await textOf(response)).toContain('must start with https://');
    const lax = { ...env, CALLBACK_HTTPS_ONLY: 'false' };
    expect((await post(member, `${PATH}/endpoints`, unsafe, lax)).status).toBe(200);
  });
});

test('decisions.md#19: a payment whose callbackUrl is plain http shows the endpoint that got its event', async () => {
  const member = await signedIn('developer');
  await addByForm(member);
  const callbackUrl = 'http://hooks.example.com/kefel';
  await payHosted({ paymentIntentUniqueId: 'order-http', callbackUrl });
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  const page = await textOf(visit(member, '/dashboard/sandbox/payments/order-http'));
  expect(page).toContain(new URL(HOOK).origin);
  expect(page).not.toContain('not sent');
});

/** Posts to a Worker with other settings. */
function post(
  member: SignedIn,
  path: string,
  fields: Readonly<Record<string, string>>,
  bindings: Env,
): Promise<Response> {
  const request = new Request(`${ORIGIN}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', cookie: member.cookie },
    body: new URLSearchParams({ csrf: member.csrf, ...fields }),
  });
  const ctx: unknown = { waitUntil: () => undefined, passThroughOnException: () => undefined };
  return worker.fetch(request as never, bindings, ctx as ExecutionContext);
}

describe('signing secrets', () => {
  test('overlap in a rotation: both sign until the old one ends', async () => {
    const member = await signedIn('developer');
    const answer = await submit(member, `${PATH}/secrets`, { overlapHours: '1' });
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    const fresh = await secretIn(answer);
    const rotatedAtMs = Date.now();
    advance(6 * SECOND_MS);
    const signers = async () => {
      const arrival = await deliverOne(HOOK);
      return [isSignedBy(ALPHA.webhookSecret, arrival), isSignedBy(fresh, arrival)];
    };
    expect(await signers()).toEqual([true, true]);
    vi.setSystemTime(rotatedAtMs + HOUR_MS - 1);
    expect(await signers()).toEqual([true, true]);
    vi.setSystemTime(rotatedAtMs + HOUR_MS + 6 * SECOND_MS);
    expect(await signers()).toEqual([false, true]);
    // Only that one answer held it, and D1 keeps it sealed.
    expect(await (await visit(member, PATH)).text()).not.toMatch(/whsec_\w/);
    const stored = await env.DB.prepare('SELECT sealed_secret FROM webhook_secrets').all();
    expect(JSON.stringify(stored.results)).not.toContain(fresh.slice(6));
    expect(await actions()).toEqual(['webhook.secret_rotated']);
    expect(JSON.stringify(await auditLog())).not.toContain('whsec_');
  });

  test('end at once in a rotation without overlap', async () => {
    const member = await signedIn('developer');
    const fresh = await secretIn(submit(member, `${PATH}/secrets`, { overlapHours: '0' }));
    const arrival = await deliverOne(HOOK);
    expect([isSignedBy(ALPHA.webhookSecret, arrival), isSignedBy(fresh, arrival)]).toEqual([
      false,
      true,
    ]);
  });

  test('keep an earlier end in a second rotation', async () => {
    const member = await signedIn('developer');
    await submit(member, `${PATH}/secrets`, { overlapHours: '1' });
    await submit(member, `${PATH}/secrets`, { overlapHours: '72' });
    const { results } = await env.DB.prepare(
      `SELECT (expires_at_ms - ?1) / ${HOUR_MS} AS hours FROM webhook_secrets
       WHERE merchant_id = ?2 AND environment = 'sandbox' ORDER BY hours`,
    )
      .bind(Date.now(), ALPHA.id)
      .all();
    expect(results.map(({ hours }) => hours)).toEqual([null, 1, 72]);
  });

  test('end on demand, except the last one without an end', async () => {
    const member = await signedIn('developer');
    advance(SECOND_MS);
    await submit(member, `${PATH}/secrets`, { overlapHours: '24' });
    const [newest = '', old = ''] = await idsOf();
    const page = await (await visit(member, PATH)).text();
    expect(page).toContain(`Revoke secret ${old}`);
    expect(page).not.toContain(`Revoke secret ${newest}`);
    expect((await submit(member, `${PATH}/secrets/${newest}/end`)).status).toBe(400);
    expect((await submit(member, `${PATH}/secrets/${old}/end`)).status).toBe(303);
    expect((await submit(member, `${PATH}/secrets/${old}/end`)).status).toBe(404);
    expect(await (await visit(member, PATH)).text()).not.toContain(old);
    expect(await actions()).toEqual(['webhook.secret_rotated', 'webhook.secret_ended']);
  });

  test('are ten in force at most', async () => {
    const member = await signedIn('developer');
    for (let times = 1; times < SECRETS_MAX; times += 1) {
      expect((await submit(member, `${PATH}/secrets`, { overlapHours: '24' })).status).toBe(200);
    }
    const refused = await submit(member, `${PATH}/secrets`, { overlapHours: '24' });
    expect(refused.status).toBe(400);
    expect(await textOf(refused)).toContain('There are already 10 active secrets');
    expect(await idsOf()).toHaveLength(SECRETS_MAX);
    // A rotation without overlap makes room.
    expect((await submit(member, `${PATH}/secrets`, { overlapHours: '0' })).status).toBe(200);
    expect(await actions()).toHaveLength(SECRETS_MAX);
  });

  test.each(['', '2', '-1', 'NaN'])('reject an overlap of "%s" hours', async (overlapHours) => {
    const member = await signedIn('developer');
    expect((await submit(member, `${PATH}/secrets`, { overlapHours })).status).toBe(400);
    expect(await idsOf()).toHaveLength(1);
  });

  test('are shown on demand, which the audit log records', async () => {
    const member = await signedIn('developer');
    const [id = ''] = await idsOf();
    expect(await secretIn(submit(member, `${PATH}/secrets/${id}/show`))).toBe(ALPHA.webhookSecret);
    expect(await auditLog()).toMatchObject([{ action: 'webhook.secret_shown', target: id }]);
  });

  test('that were copied from another merchant are not shown', async () => {
    const member = await signedIn('developer');
    const [id = ''] = await idsOf();
    await env.DB.prepare(
      `UPDATE webhook_secrets SET sealed_secret =
         (SELECT sealed_secret FROM webhook_secrets WHERE id = ?1) WHERE id = ?2`,
    )
      .bind(`${BETA.id}-sandbox`, id)
      .run();
    const page = await (await submit(member, `${PATH}/secrets/${id}/show`)).text();
    expect(page).not.toContain('id="shown-secret"');
    expect(await textOf(new Response(page))).toContain('can no longer be read');
    expect(await actions()).toEqual([]);
  });
});

describe('a test event', () => {
  /** Whether one of the environment's published keys verifies the RSA signature. */
  async function isGenuine({ event }: Arrival, environment: Environment): Promise<boolean> {
    const prefix = environment === 'sandbox' ? '/sandbox' : '';
    const { envelope } = await answerOf(call(`/api/v1/payment${prefix}/webhook-keys`));
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    for (const { publicKey } of envelope.content as { publicKey: string }[]) {
      const spki = bytesFromBase64(publicKey.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
      const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
      const signature = bytesFromBase64(event.signature);
      if (await crypto.subtle.verify(algorithm.name, key, signature, utf8(event.body))) {
        return true;
      }
    }
    return false;
  }

  test.each(['sandbox', 'production'] as const)(
    'of %s has both signatures and the form of a real one, without a payment',
    async (environment) => {
      const member = await signedIn('developer');
      const real = await deliverOne(HOOK);
      arrivals.length = 0;
      const path = `/dashboard/${environment}/webhooks/test`;
      const page = await textOf(submit(member, path, { url: HOOK }));
      expect(page).toContain('The test event was accepted.');
      const [arrival] = arrivals;
      if (arrival === undefined) {
        throw new Error('nothing arrived');
      }
      expect(arrival.url).toBe(HOOK);
      expect(isSignedBy(ALPHA.webhookSecret, arrival)).toBe(true);
      expect(await isGenuine(arrival, environment)).toBe(true);
      expect(arrival.headers.get('webhook-id')).toMatch(/^evt_test_[0-9a-f]{32}$/);
      expect(arrival.event).toMatchObject({
        webHookEvent: 'PAYMENT_FAILED',
        status: 'FAILED',
        environment,
        paymentIntentUniqueId: expect.stringMatching(/^test_[0-9a-f]{32}$/),
      });
      const payment = paymentIn(arrival);
      expect(payment).toMatchObject({
        uniqueId: arrival.event.paymentIntentUniqueId,
        test: true,
        status: 'FAILED',
        transaction: null,
        merchantCustomer: null,
        checkoutBeneficiaries: [],
        productItems: [],
        paymentMethodTypes: ['TELE_BIRR'],
        merchantId: ALPHA.id,
        environment,
      });
      expect(Object.keys(arrival.event)).toEqual(Object.keys(real.event));
      expect(Object.keys(payment)).toEqual(Object.keys(paymentIn(real)));
    },
  );

  test('touches no object and shows status, answer and error', async () => {
    const member = await signedIn('developer');
    httpStatus = 503;
    const page = await textOf(submit(member, `${PATH}/test`, { url: HOOK }));
    expect(page).toContain('The test event was not accepted.');
    expect(page).toContain('HTTP status 503');
    // A server's answer is escaped.
    expect(page).toContain('<b>thanks[U+202E]</b>');
    vi.mocked(globalThis.fetch).mockRejectedValue(new Error('reset'));
    expect(await textOf(submit(member, `${PATH}/test`, { url: HOOK }))).toContain(
      'The connection failed: check the host name',
    );
    const [first, second] = await auditLog();
    const target = 'https://hooks.example.com';
    expect(first).toMatchObject({ action: 'webhook.test_requested', target });
    expect(second).toMatchObject({ action: 'webhook.test_sent', target });
    expect(JSON.parse(second?.detail ?? '')).toEqual({
      ...JSON.parse(first?.detail ?? ''),
      httpStatus: 503,
    });
    expect([...caught.webhooks, ...caught.retries, ...caught.projections]).toEqual([]);
    expect(await env.DB.prepare('SELECT * FROM failing_endpoints').first()).toBeNull();
  });

  test('is not sent without an address', async () => {
    const member = await signedIn('developer');
    expect((await submit(member, `${PATH}/test`, { url: '' })).status).toBe(400);
    expect(arrivals).toEqual([]);
  });

  test('can be sent five times a minute by each merchant', async () => {
    const member = await signedIn('developer');
    const limited = { ...env, RATE_LIMITS: 'on' };
    const statuses: number[] = [];
    for (let times = 0; times < 6; times += 1) {
      const response = await post(member, `${PATH}/test`, { url: HOOK }, limited);
      statuses.push(response.status);
      await response.body?.cancel();
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(arrivals).toHaveLength(5);
    const other = await post(member, '/dashboard/production/webhooks/test', { url: HOOK }, limited);
    expect(other.status).toBe(200);
  });
});

test('a test event to an endpoint is signed like its events, and resumes it', async () => {
  const member = await signedIn('developer');
  const { id, secret } = await addByForm(member, { signatureHeader: 'x-shop' });
  await env.DB.prepare(
    `INSERT INTO failing_endpoints VALUES (?1, 'sandbox', ?2, ?3, ?3, 'HTTP 500', ?3, NULL)`,
  )
    .bind(ALPHA.id, id, Date.now())
    .run();
  const page = await textOf(submit(member, `${PATH}/endpoints/${id}/test`, {}));
  expect(page).toContain('The endpoint was paused. It has resumed');
  const [arrival] = arrivals;
  if (arrival === undefined) {
    throw new Error('nothing arrived');
  }
  expect([arrival.url, isSignedBy(secret, arrival)]).toEqual([HOOK, true]);
  expect(arrival.headers.get('x-shop')).toBe(await hexHmac(secret, arrival.text));
});

/** As a shop plugin computes it: the key is the secret as text. */
async function hexHmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign']);
  return hexFromBytes(await crypto.subtle.sign('HMAC', key, utf8(text)));
}

/** An order in a shop, by the rules of existing plugins: they verify the HMAC and read `status`. */
async function orderAfter({ headers, text }: Arrival, typedSecret: string): Promise<string> {
  if (headers.get('x-shop-signature') !== (await hexHmac(typedSecret, text))) {
    return 'refused';
  }
  const { status } = JSON.parse(text);
  return (
    { SUCCESS: 'processing', FAILED: 'failed', EXPIRED: 'canceled' }[String(status)] ?? 'pending'
  );
}

describe('the extra signature header of webhooks to a callbackUrl', () => {
  const save = (member: SignedIn, signatureHeader: string) =>
    submit(member, `${PATH}/callbacks`, { signatureHeader });

  test('lets a shop plugin verify them by the secret that was typed in', async () => {
    const member = await signedIn('developer');
    const [id = ''] = await idsOf();
    const typed = await secretIn(submit(member, `${PATH}/secrets/${id}/show`));
    expect(await orderAfter(await deliverOne(HOOK), typed)).toBe('refused');

    const saved = await save(member, ' X-Shop-Signature ');
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${PATH}?done=saved`]);
    const arrival = await deliverOne(HOOK);
    expect(await orderAfter(arrival, typed)).toBe('processing');
    expect(isSignedBy(typed, arrival)).toBe(true);
    expect(await orderAfter(arrival, `${typed}x`)).toBe('refused');
    await submit(member, `${PATH}/test`, { url: HOOK });
    expect(await orderAfter(arrivals.at(-1) as Arrival, typed)).toBe('failed');

    // During a rotation the newest secret signs.
    const fresh = await secretIn(submit(member, `${PATH}/secrets`, { overlapHours: '1' }));
    expect(await orderAfter(await deliverOne(HOOK), fresh)).toBe('processing');

    await save(member, '');
    expect((await deliverOne(HOOK)).headers.get('x-shop-signature')).toBeNull();
  });

  test('is shown, audited when it changes, and belongs to one environment', async () => {
    const member = await signedIn('developer');
    await save(member, 'X-Shop-Signature');
    await save(member, 'X-Shop-Signature');
    expect(await auditLog()).toMatchObject([
      { action: 'webhook.callbacks_changed', environment: 'sandbox' },
    ]);
    expect((await auditLog())[0]?.detail).toBe('{"signatureHeader":"X-Shop-Signature"}');
    expect(await (await visit(member, PATH)).text()).toContain('value="X-Shop-Signature"');
    const viewer = await signedIn('viewer');
    expect((await submit(viewer, `${PATH}/callbacks`, { signatureHeader: '' })).status).toBe(403);
    expect(await (await visit(viewer, PATH)).text()).not.toContain('/callbacks');
    const production = await visit(member, '/dashboard/production/webhooks');
    expect(await production.text()).not.toContain('X-Shop-Signature');
    const { id } = await addByForm(member);
    await deliverOne();
    expect([arrivals.at(-1)?.headers.get('x-shop-signature'), id]).toEqual([null, id]);
  });

  test.each([
    ['X Shop', 'without spaces'],
    ['webhook-signature', 'already has a meaning'],
    ['x'.repeat(65), 'at most 64 characters'],
  ])('is refused with the name "%.20s"', async (name, reason) => {
    const member = await signedIn('developer');
    const refused = await save(member, name);
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(await textOf(new Response(html))).toContain(reason);
    expect(html).toContain(`value="${name}"`);
    expect(await auditLog()).toEqual([]);
  });
});

describe('a paused server of callbackUrls', () => {
  const PAUSED = 'https://hooks.example.com';

  async function pause(origin = PAUSED): Promise<void> {
    await env.DB.prepare(
      `INSERT INTO failing_endpoints VALUES (?1, 'sandbox', ?2, ?3, ?3, 'HTTP 500', ?3, NULL)`,
    )
      .bind(ALPHA.id, origin, Date.now())
      .run();
  }
  const left = async () =>
    (await env.DB.prepare('SELECT endpoint FROM failing_endpoints').all<{ endpoint: string }>())
      .results;

  test('is named on the settings page to every member and resumed by a developer', async () => {
    await pause();
    const viewer = await signedIn('viewer');
    const seen = await (await visit(viewer, PATH)).text();
    expect(await textOf(new Response(seen))).toMatch(/Paused .* HTTP 500/);
    expect(seen).not.toContain('failing/resume');
    const member = await signedIn('developer');
    const answer = await submit(member, `${PATH}/failing/resume`, { origin: PAUSED });
    expect(answer.headers.get('location')).toBe(`${PATH}?done=resumed`);
    await submit(member, `${PATH}/failing/resume`, { origin: PAUSED });
    expect(await left()).toEqual([]);
    expect(await auditLog()).toMatchObject([
      { action: 'webhook.endpoint_resumed', target: PAUSED },
    ]);
  });

  test('is resumed by a test event that arrives, and only by that', async () => {
    const member = await signedIn('developer');
    await pause();
    httpStatus = 500;
    await submit(member, `${PATH}/test`, { url: HOOK });
    expect(await left()).toHaveLength(1);
    httpStatus = 200;
    expect(await textOf(submit(member, `${PATH}/test`, { url: HOOK }))).toContain(
      'The endpoint was paused. It has resumed',
    );
    expect(await left()).toEqual([]);
    expect(await actions()).toEqual([
      'webhook.test_requested',
      'webhook.test_sent',
      'webhook.test_requested',
      'webhook.endpoint_resumed',
      'webhook.test_sent',
    ]);
  });
});

test('shows a viewer the merchant id, public keys and origins, but no secrets, paths or buttons', async () => {
  const owner = await signedIn();
  const { path } = await addByForm(owner);
  const viewer = await signedIn('viewer');
  const html = await (await visit(viewer, PATH)).text();
  expect(html).toContain('-----BEGIN PUBLIC KEY-----');
  expect(html).toMatch(new RegExp(`id="merchant-id"[^>]*value="${ALPHA.id}"`));
  for (const page of [html, await (await visit(viewer, path)).text()]) {
    expect(page).toContain('https://hooks.example.com');
    expect(page).not.toContain('token=1');
    expect(page).not.toMatch(/action="[^"]*\/webhooks\/(endpoints|test|secrets)/);
  }
});
