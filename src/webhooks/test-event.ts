import { decide, openIntent } from '../domain/decide.ts';
import { intentNumberFrom } from '../domain/identifiers.ts';
import type { Intent, IntentTerms, Tenant } from '../domain/intent.ts';
import { eventBody } from './payload.ts';
import type { OutgoingWebhook } from './send.ts';
import { requestBody, signEvent } from './sign.ts';

/**
 * A webhook that tells of nothing, for trying a receiver. It has the form of a real event to the
 * last field, so that the receiver's own code is tried, and it can be taken for money by nobody: it
 * says that a payment failed, of an id that no payment has, and `test` is true in production too.
 */

/** What the id of a test event and that of its payment begin with. */
export const TEST_EVENT_PREFIX = 'evt_test_';
export const TEST_PAYMENT_PREFIX = 'test_';

/** 1.00: an amount that no item has. */
const AMOUNT_MINOR = 100;
const LIFETIME_MS = 60_000;

/** A new test event of a tenant, signed with the keys of its environment. */
export async function testEvent(
  env: Env,
  tenant: Tenant,
  about: { readonly merchantName: string; readonly ownOrigin: string; readonly nowMs: number },
): Promise<Pick<OutgoingWebhook, 'eventId' | 'ownOrigin' | 'requestBody'>> {
  const uniqueId = `${TEST_PAYMENT_PREFIX}${randomHex()}`;
  const number = intentNumberFrom(crypto.getRandomValues(new Uint8Array(8)));
  const intent = testPayment({ ...about, tenant, uniqueId, number, uuid: crypto.randomUUID() });
  const body = eventBody(intent, 'payment_failed');
  const signature = await signEvent(env, tenant.environment, body);
  return {
    eventId: `${TEST_EVENT_PREFIX}${randomHex()}`,
    ownOrigin: about.ownOrigin,
    requestBody: requestBody({ event: 'payment_failed', uniqueId, signature, body }),
  };
}

interface TestPayment extends Pick<IntentTerms, 'uniqueId' | 'uuid' | 'number' | 'merchantName'> {
  readonly tenant: Tenant;
  readonly ownOrigin: string;
  readonly nowMs: number;
}

/** A payment that a customer gave up at once. It exists in no object and no table. */
function testPayment(payment: TestPayment): Intent {
  const { tenant, ownOrigin, nowMs, ...ids } = payment;
  const terms: IntentTerms = {
    ...ids,
    merchantId: tenant.merchantId,
    // Whatever keys sign it: no money moved, and `test` says so.
    environment: 'sandbox',
    branding: null,
    kind: 'hosted',
    paymentLinkUniqueId: null,
    amountMinor: AMOUNT_MINOR,
    currency: 'ETB',
    methods: [{ method: 'TELE_BIRR', commissionMinor: 0 }],
    items: [],
    itemPriceBasis: 'line',
    splits: [],
    commissionPaidByCustomer: false,
    customer: null,
    description: null,
    debitAccount: null,
    returnUrl: null,
    callbackUrl: null,
    simulation: null,
    baseUrl: ownOrigin,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + LIFETIME_MS,
  };
  return decide(openIntent(terms), [{ type: 'abandon_payment' }], nowMs).intent;
}

function randomHex(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
