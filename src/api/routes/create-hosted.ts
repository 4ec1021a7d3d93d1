import { signLink } from '../../crypto/link-token.ts';
import { jsonResponse } from '../../http/envelope.ts';
import type { MerchantCall } from '../call.ts';
import { answerTaken, savedBody } from '../creation-answer.ts';
import { readNewPayment } from '../new-payment.ts';

/** POST …/intent: a hosted checkout. One call to the object, and no D1 query with a warm cache. */
export async function createHosted(call: MerchantCall): Promise<Response> {
  const payment = await readNewPayment(call, 'hosted');
  if (payment instanceof Response) {
    return payment;
  }
  const { client, terms, idempotency, warnings } = payment;
  const link = { objectId: client.objectId, index: 0 };
  const token = await signLink(call.config.linkSigningKeys, 'checkout', link);
  const answer = savedBody(`${terms.baseUrl}/checkout/${token}`, warnings);
  const result = await client.create({
    terms,
    idempotency,
    attempt: null,
    answer,
    answerWithinMs: 0,
  });
  return result.type === 'created'
    ? jsonResponse(200, answer)
    : answerTaken(call, client, terms.uniqueId, result, warnings);
}
