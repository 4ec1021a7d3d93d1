import { verify } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect } from 'vitest';
import type { Envelope, ShownEvent, ShownPayment } from '../../lab/harness/shown.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import type { ReceivedRequest } from './e2e-merchant-server.ts';

export type { ShownPayment as Payment };

/** A webhook with three valid signatures. */
export interface VerifiedWebhook {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly webHookEvent: string;
  readonly status: string;
  readonly paymentIntentUniqueId: string;
  readonly payment: ShownEvent;
}

/** What a merchant verifies webhooks with. */
export interface VerificationKeys {
  readonly merchantId: string;
  readonly environment: Environment;
  /** `whsec_…` */
  readonly secret: string;
  /** SPKI PEM. */
  readonly publicKey: string;
}

/**
 * Verifies as a merchant would, with the unmodified libraries: standardwebhooks and svix over the
 * raw bytes, node:crypto over the text of `body`. Throws when any signature is invalid.
 */
export function verifiedWebhook(request: ReceivedRequest, keys: VerificationKeys): VerifiedWebhook {
  expect(request.method).toBe('POST');
  expect(request.headers['content-type']).toBe('application/json; charset=utf-8');
  const raw = request.rawBody.toString('utf8');
  const standardHeaders = headersNamed(request, 'webhook-');
  const svixHeaders = Object.fromEntries(
    Object.entries(standardHeaders).map(([name, value]) => [
      name.replace('webhook-', 'svix-'),
      value,
    ]),
  );
  const standard = new StandardWebhook(keys.secret);
  const svix = new SvixWebhook(keys.secret);
  expect(standard.verify(raw, standardHeaders)).toEqual(JSON.parse(raw));
  svix.verify(raw, standardHeaders);
  svix.verify(raw, svixHeaders);
  for (const peer of [standard, svix]) {
    expect(() => peer.verify(`${raw} `, standardHeaders)).toThrow();
  }

  const envelope: Envelope = JSON.parse(raw);
  const signature = Buffer.from(envelope.signature, 'base64');
  expect(verify('RSA-SHA256', Buffer.from(envelope.body), keys.publicKey, signature)).toBe(true);
  const tampered = Buffer.from(`${envelope.body} `);
  expect(verify('RSA-SHA256', tampered, keys.publicKey, signature)).toBe(false);
  expect(Object.keys(envelope)).toEqual([
    'webHookEvent',
    'paymentIntentUniqueId',
    'status',
    'environment',
    'payloadVersion',
    'signature',
    'body',
  ]);

  const payment: ShownEvent = JSON.parse(envelope.body);
  expect(payment).toMatchObject({
    event: envelope.webHookEvent,
    uniqueId: envelope.paymentIntentUniqueId,
    // A refund's envelope says what became of the refund; the payment stays paid.
    status: envelope.webHookEvent.startsWith('REFUND_') ? 'SUCCESS' : envelope.status,
  });
  const { merchantId, environment } = keys;
  const last = Object.entries(payment).slice(-3, -1);
  expect(last).toEqual(Object.entries({ merchantId, environment }));
  expect(envelope.environment).toBe(environment);
  return {
    id: standardHeaders['webhook-id'] ?? '',
    timestampSeconds: Number(standardHeaders['webhook-timestamp']),
    webHookEvent: envelope.webHookEvent,
    status: envelope.status,
    paymentIntentUniqueId: envelope.paymentIntentUniqueId,
    payment,
  };
}

function headersNamed(request: ReceivedRequest, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => name.startsWith(prefix)),
  );
}
