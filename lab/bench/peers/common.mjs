/** What the ordinary and the tuned peer share: validation, answers and signed webhooks. */
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The benchmark has ended. */
process.once('disconnect', () => process.exit());

const ID = { type: 'string', minLength: 1, maxLength: 200 };
const URL = { type: 'string', maxLength: 2048, pattern: '^https?://' };

/** For Fastify, which compiles it once. */
export const PAYMENT_SCHEMA = {
  body: {
    type: 'object',
    required: ['paymentIntentUniqueId', 'currency', 'amount', 'expireIn'],
    properties: {
      paymentIntentUniqueId: ID,
      currency: { enum: ['ETB', 'USD'] },
      amount: { type: 'number', minimum: 1, maximum: 999_999_999.99 },
      items: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          required: ['name', 'quantity', 'type', 'price'],
          properties: {
            name: ID,
            quantity: { type: 'integer', minimum: 1 },
            type: ID,
            price: { type: 'number', minimum: 0 },
          },
        },
      },
      methods: { type: 'array', items: ID },
      method: ID,
      phoneNumber: ID,
      commissionPaidByCustomer: { type: 'boolean' },
      expireIn: { type: 'integer', minimum: 5, maximum: 31_622_400 },
      returnUrl: URL,
      callbackUrl: URL,
    },
  },
};

export function digestOf(apiKey) {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** A payment that was charged at once has a callbackUrl and makes an event. */
export function eventOf(payment, id) {
  const { paymentIntentUniqueId, amount, currency } = payment;
  const body = JSON.stringify({
    id,
    uniqueId: paymentIntentUniqueId,
    status: 'SUCCESS',
    totalAmount: Math.round(amount * 100),
    currency,
    creationDate: new Date().toISOString(),
  });
  return JSON.stringify({
    webHookEvent: 'PAYMENT_SUCCESS',
    paymentIntentUniqueId,
    status: 'SUCCESS',
    environment: 'sandbox',
    body,
  });
}

const secret = randomBytes(32);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TIMEOUT_MS = 15_000;

/** Signs as Kefel does, RSA over the body and HMAC over the request, and posts. */
export async function deliver({ id, url, body }) {
  const envelope = JSON.parse(body);
  const signature = sign('sha256', Buffer.from(envelope.body), privateKey).toString('base64');
  const text = JSON.stringify({ ...envelope, signature });
  const webhookId = `evt_${id}`;
  const timestamp = Math.floor(Date.now() / 1_000);
  const mac = createHmac('sha256', secret).update(`${webhookId}.${timestamp}.${text}`);
  const response = await fetch(url, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'webhook-id': webhookId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${mac.digest('base64')}`,
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.ok;
}
