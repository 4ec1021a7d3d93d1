import { createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/engine/domain/schedule.ts';
import { publishedKeys, retiredEntry } from '../../../src/engine/webhooks/published-keys.ts';
import {
  bodySignatureHeader,
  requestBody,
  signEventBody,
  standardWebhookHeaders,
} from '../../../src/engine/webhooks/sign.ts';
import { ConfigError } from '../../../src/kit/config-error.ts';
import type { NamedKey } from '../../../src/kit/crypto/key-ring.ts';

function rsaKey(keyId: string, modulusLength = 2048): { named: NamedKey; pem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const base64 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return {
    named: { keyId, base64 },
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  };
}

function verifies(pem: string, body: string, signature: string): boolean {
  return createVerify('RSA-SHA256').update(body, 'utf8').verify(pem, signature, 'base64');
}

function publicBase64(pem: string): string {
  return pem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
}

/** What is published in November 2026 with this ring and these retired keys. */
function published2026(ring: readonly { readonly named: NamedKey }[], retired = '') {
  const keys = ring.map(({ named }) => named);
  return publishedKeys(keys, retired, {
    retentionMs: 400 * DAY_MS,
    nowMs: Date.UTC(2026, 10, 30),
  });
}

const newer = rsaKey('k2');
const older = rsaKey('k1');
/** With a letter in two code points, which Unicode normalization would join. */
const body = '{"uniqueId":"ትዕዛዝ","description":"Cafe\u0301","totalAmount":10000}';

describe('the RSA signature of an event (decisions.md#17, #32)', () => {
  test('is made by the first key and verified by node:crypto over the UTF-8 of the body', async () => {
    const signature = await signEventBody([newer.named, older.named], body);
    expect(signature).toMatch(/^[A-Za-z0-9+/]{342}==$/);
    expect(verifies(newer.pem, body, signature)).toBe(true);
    expect(verifies(newer.pem, `${body} `, signature)).toBe(false);
    expect(verifies(older.pem, body, signature)).toBe(false);
  });

  test('is deterministic: a second signature has the same bytes', async () => {
    const first = await signEventBody([newer.named], body);
    expect(await signEventBody([newer.named], body)).toEqual(first);
  });

  test('survives a rotation: both public keys are published, in the order of the ring', async () => {
    const before = await signEventBody([older.named], body);
    const published = await published2026([newer, older]);
    expect(published).toEqual([
      { keyId: 'k2', publicKey: newer.pem, retired: null },
      { keyId: 'k1', publicKey: older.pem, retired: null },
    ]);
    const byOld = published.find((key) => key.keyId === 'k1')?.publicKey ?? '';
    expect(verifies(byOld, body, before)).toBe(true);
    expect(JSON.stringify(published)).not.toContain('PRIVATE');
  });

  test('fails with an error that names the broken key and shows no part of it', async () => {
    const broken = { keyId: 'k9', base64: Buffer.from('secret material').toString('base64') };
    const error = await signEventBody([broken], body).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('k9');
    expect(String(error)).not.toContain(broken.base64);
    await expect(published2026([{ named: broken }])).rejects.toThrow(ConfigError);
  });

  test('is refused to a key below 2,048 bits, named by its id', async () => {
    const short = rsaKey('k3', 1024).named;
    const refusal = /WEBHOOK_RSA_PRIVATE_KEYS_.*key k3 has fewer than 2048 bits/;
    await expect(signEventBody([short], body)).rejects.toThrow(refusal);
    await expect(published2026([newer, { named: short }])).rejects.toThrow(refusal);
  });
});

describe('a retired key (decisions.md#32)', () => {
  const retiredAtMs = Date.UTC(2026, 10, 22);
  const atNoon = retiredAtMs + 12 * 60 * 60 * 1_000;

  test('is published without its private half, once, after the ring', async () => {
    const entry = await retiredEntry(older.named, atNoon);
    const retired = { atMs: retiredAtMs, publishedUntilMs: Date.UTC(2027, 11, 27) };
    expect(await published2026([newer], ` ${entry} ,`)).toEqual([
      { keyId: 'k2', publicKey: newer.pem, retired: null },
      { keyId: 'k1', publicKey: older.pem, retired },
    ]);
    expect(await published2026([newer, older], entry)).toMatchObject([
      { keyId: 'k2', retired: null },
      { keyId: 'k1', retired: null },
    ]);
  });

  test.each([
    ['a private key', `k1:${older.named.base64}:2026-11-22`],
    ['no date', `k1:${publicBase64(older.pem)}`],
    ['30 February', `k1:${publicBase64(older.pem)}:2026-02-30`],
    ['no such date', `k1:${publicBase64(older.pem)}:2026-13-40`],
    ['too few bits', `k1:${publicBase64(rsaKey('k1', 1024).pem)}:2026-11-22`],
    ['no base64', 'k1:A:2026-11-22'],
  ])('is refused with %s, by an error without its content', async (_name, entry) => {
    const error = await published2026([newer], entry).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('WEBHOOK_RETIRED_KEYS_SANDBOX');
    expect(String(error)).not.toContain(entry.slice(3, 40));
  });
});

describe('the request body (decisions.md#17)', () => {
  const PARTS = { environment: 'sandbox', uniqueId: 'o', signature: 's', body } as const;

  test.each(['sandbox', 'production'] as const)('names the environment %s', (environment) => {
    const text = requestBody({ ...PARTS, event: 'payment_failed', environment });
    expect(JSON.parse(text).environment).toBe(environment);
  });

  test('is the envelope, its fields in order, the event a string inside', () => {
    expect(
      requestBody({ ...PARTS, event: 'payment_succeeded', uniqueId: 'o"1', signature: 'c2ln' }),
    ).toBe(
      '{"webHookEvent":"PAYMENT_SUCCESS","paymentIntentUniqueId":"o\\"1","status":"SUCCESS",' +
        '"environment":"sandbox","payloadVersion":"2026-11-23","signature":"c2ln","body":"{\\"uniqueId\\":\\"ትዕዛዝ\\",\\"description\\":\\"Cafe\u0301\\",\\"totalAmount\\":10000}"}',
    );
  });

  test('contains exactly the signed bytes', async () => {
    const signature = await signEventBody([newer.named], body);
    const text = requestBody({ ...PARTS, event: 'payment_failed', signature });
    const received = JSON.parse(text);
    expect(verifies(newer.pem, received.body, received.signature)).toBe(true);
  });
});

describe('Standard Webhooks headers (decisions.md#17)', () => {
  const secret = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
  const event = {
    eventId: 'evt_1',
    timestampSeconds: Math.floor(Date.now() / 1000),
    requestBody: '{"a":"ብር"}',
  };

  test('are verified by standardwebhooks and svix as they come from npm', async () => {
    const headers = await standardWebhookHeaders({ ...event, secrets: [secret(1)] });
    expect(Object.keys(headers)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    const parsed = { a: 'ብር' };
    expect(new StandardWebhook(secret(1)).verify(event.requestBody, headers)).toEqual(parsed);
    expect(() => new SvixWebhook(secret(1)).verify(event.requestBody, headers)).not.toThrow();
  });

  test('equal those of the library itself', async () => {
    const headers = await standardWebhookHeaders({ ...event, secrets: [secret(1)] });
    const atDate = new Date(event.timestampSeconds * 1000);
    const theirs = new StandardWebhook(secret(1)).sign(event.eventId, atDate, event.requestBody);
    expect(headers['webhook-signature']).toBe(theirs);
  });

  test('carry one signature per secret during a rotation: either secret verifies', async () => {
    const headers = await standardWebhookHeaders({ ...event, secrets: [secret(2), secret(1)] });
    expect(headers['webhook-signature']).toMatch(/^v1,[^ ]{44} v1,[^ ]{44}$/);
    for (const known of [secret(1), secret(2)]) {
      expect(() => new StandardWebhook(known).verify(event.requestBody, headers)).not.toThrow();
      expect(() => new SvixWebhook(known).verify(event.requestBody, headers)).not.toThrow();
    }
    expect(() => new StandardWebhook(secret(3)).verify(event.requestBody, headers)).toThrow();
  });

  test('cover id, time and body', async () => {
    const headers = await standardWebhookHeaders({ ...event, secrets: [secret(1)] });
    const peer = new StandardWebhook(secret(1));
    expect(() => peer.verify(`${event.requestBody} `, headers)).toThrow();
    expect(() => peer.verify(event.requestBody, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    const moved = { ...headers, 'webhook-timestamp': String(event.timestampSeconds + 1) };
    expect(() => peer.verify(event.requestBody, moved)).toThrow();
  });

  test('are sent without a signature when there is no secret', async () => {
    const headers = await standardWebhookHeaders({ ...event, secrets: [] });
    expect(Object.keys(headers)).toEqual(['webhook-id', 'webhook-timestamp']);
  });

  test('reject an invalid webhook secret, without repeating it', async () => {
    const error = await standardWebhookHeaders({ ...event, secrets: ['hunter2'] }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('hunter2');
  });
});

describe("the header that an endpoint's merchant names (decisions.md#17)", () => {
  const secrets = ['whsec_bmV3ZXI=', 'whsec_b2xkZXI='];

  test("is the body's HMAC by the newest secret, as it was typed in", async () => {
    const digest = createHmac('sha256', 'whsec_bmV3ZXI=').update(body, 'utf8').digest('hex');
    expect(await bodySignatureHeader('x-shop', body, secrets)).toEqual({ 'x-shop': digest });
  });

  test.each([
    ['without a name', null, secrets],
    ['without a secret', 'x-shop', []],
  ])('is absent %s', async (_name, name, known) => {
    expect(await bodySignatureHeader(name, body, known)).toEqual({});
  });
});
