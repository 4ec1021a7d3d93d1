import { signLink } from '../../crypto/link-token.ts';
import { jsonResponse, successBody } from '../../http/envelope.ts';
import type { MerchantCall } from '../call.ts';
import { readNewPayment } from '../new-payment.ts';
import { SAVED_MESSAGE } from '../saved-message.ts';
import { answerTaken } from '../taken.ts';

/** POST …/intent: a hosted checkout. One call to the object, and no D1 query with a warm cache. */
export async function createHosted(call: MerchantCall): Promise<Response> {
  const read = await readNewPayment(call, 'hosted');
  if (read.type === 'answered') {
    return read.response;
  }
  const { client, terms, idempotency, warnings } = read;
  const link = { objectId: client.objectId, attemptIndex: 0 };
  const token = await signLink(call.config.linkSigningKeys, 'checkout', link);
  const answer = successBody(SAVED_MESSAGE, `${terms.baseUrl}/checkout/${token}`, warnings);
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
