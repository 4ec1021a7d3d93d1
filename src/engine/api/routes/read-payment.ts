import { uuidV7TimeMs } from '../../../kit/crypto/uuid-v7.ts';
import { successResponse } from '../../../kit/http/envelope.ts';
import { problem } from '../../../kit/http/problem.ts';
import type { Tenant } from '../../../kit/tenant.ts';
import { checkoutUrlOf, receiptUrlOf } from '../../attempts/order.ts';
import { INTENT_NUMBER } from '../../domain/identifiers.ts';
import { hasEnded, type Intent } from '../../domain/intent.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { statusContent } from '../../webhooks/payload.ts';
import type { MerchantCall } from '../call.ts';

/** Asks the merchant's book for the unique id of a payment with this uuid or number. */
type FindUniqueId = (env: Env, tenant: Tenant, id: string) => Promise<string | null>;

/**
 * GET …/intents/{id}: the payment as it is now (docs/decisions.md#21). A unique
 * id leads directly to the object. A uuid or integer id is looked up in the book, which may
 * lag by seconds. An id of another merchant or environment is a 404, like an unknown one
 * (docs/decisions.md#29).
 */
export async function readPayment(
  call: MerchantCall,
  findUniqueId: FindUniqueId,
): Promise<Response> {
  const direct = await (await intentByUniqueId(call.env, call.access, call.id)).read();
  const intent = direct ?? (isOtherId(call.id) ? await readByOtherId(call, findUniqueId) : null);
  if (intent === null) {
    throw problem('payment_not_found');
  }
  return successResponse('Payment found', await paymentContent(call, intent));
}

/**
 * The payment, with its page until it has ended, because a merchant whose answer was lost sends the
 * customer there, and with its receipt once it is paid.
 */
export async function paymentContent(
  { env, nowMs }: Pick<MerchantCall, 'env' | 'nowMs'>,
  intent: Intent,
) {
  const checkoutUrl = hasEnded(intent.status) ? null : await checkoutUrlOf(env, intent);
  const receiptUrl = await receiptUrlOf(env, intent, nowMs);
  return { ...statusContent(intent), checkoutUrl, receiptUrl };
}

async function readByOtherId(
  { env, access, id }: MerchantCall,
  findUniqueId: FindUniqueId,
): Promise<Intent | null> {
  const uniqueId = await findUniqueId(env, access, id);
  return uniqueId === null ? null : (await intentByUniqueId(env, access, uniqueId)).read();
}

/** Ids of another form cost no question. */
function isOtherId(id: string): boolean {
  return uuidV7TimeMs(id.toLowerCase()) !== null || INTENT_NUMBER.test(id);
}
