import { decide, openIntent } from '../../engine/domain/decide.ts';
import { intentNumberFrom } from '../../engine/domain/identifiers.ts';
import { plainTerms } from '../../engine/domain/plain-terms.ts';
import { eventBody } from '../../engine/webhooks/payload.ts';
import type { OutgoingWebhook } from '../../engine/webhooks/send.ts';
import { requestBody, signEvent } from '../../engine/webhooks/sign.ts';
import { uuidV7 } from '../../kit/crypto/uuid-v7.ts';
import type { Tenant } from '../../kit/tenant.ts';

/**
 * A test webhook without a payment behind it. It has all fields of a real event, so that it
 * exercises the merchant's own code. The merchant's code cannot take it for money: it reports a
 * failed payment with an id that no payment has, and `test` is true in production too.
 */

/** Prefixes of a test event's id and of its payment's id. */
export const TEST_EVENT_PREFIX = 'evt_test_';
export const TEST_PAYMENT_PREFIX = 'test_';

/** 1.00: an amount that no item has. */
const AMOUNT_MINOR = 100;
const LIFETIME_MS = 60_000;

/** A new test event of a tenant, signed with the keys of its environment. */
export async function testEvent(
  env: Env,
  { merchantId, environment }: Tenant,
  about: { readonly merchantName: string; readonly ownOrigin: string; readonly nowMs: number },
): Promise<Pick<OutgoingWebhook, 'eventId' | 'ownOrigin' | 'requestBody'>> {
  const { merchantName, ownOrigin, nowMs } = about;
  const uniqueId = `${TEST_PAYMENT_PREFIX}${randomHex()}`;
  const terms = plainTerms({
    uniqueId,
    uuid: uuidV7(nowMs),
    number: intentNumberFrom(crypto.getRandomValues(new Uint8Array(8))),
    merchantName,
    merchantId,
    environment,
    kind: 'hosted',
    amountMinor: AMOUNT_MINOR,
    methods: [{ method: 'TELE_BIRR', commissionMinor: 0 }],
    baseUrl: ownOrigin,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + LIFETIME_MS,
  });
  // A payment that its customer abandoned at once. It exists in no object and no table.
  const { intent } = decide(openIntent(terms), [{ type: 'abandon_payment' }], nowMs);
  const body = JSON.stringify({
    ...JSON.parse(eventBody(intent, 'payment_failed', null, '')),
    // In production too.
    test: true,
  });
  const signature = await signEvent(env, environment, body);
  return {
    eventId: `${TEST_EVENT_PREFIX}${randomHex()}`,
    ownOrigin,
    requestBody: requestBody({ event: 'payment_failed', environment, uniqueId, signature, body }),
  };
}

function randomHex(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
