import { configOf } from '../config.ts';
import { linkId, signLink } from '../crypto/link-token.ts';
import { type Attempt, chargedMinor, type Intent } from '../domain/intent.ts';
import type { RailOrder } from '../rails/rail.ts';

/** Everything an adapter may know about an attempt of this intent, links included. */
export async function railOrder(
  env: Env,
  objectId: string,
  intent: Intent,
  attempt: Attempt,
): Promise<RailOrder> {
  const keys = configOf(env).linkSigningKeys;
  const attemptIndex = intent.attempts.findIndex((candidate) => candidate.id === attempt.id);
  if (attemptIndex < 0) {
    throw new Error('an attempt of another payment');
  }
  const [attemptToken, checkoutToken, selfDescribingId] = await Promise.all([
    signLink(keys, 'attempt', { objectId, attemptIndex }),
    signLink(keys, 'checkout', { objectId, attemptIndex: 0 }),
    linkId(keys, { objectId, attemptIndex }),
  ]);
  const { baseUrl } = intent.terms;
  const checkoutUrl = `${baseUrl}/checkout/${checkoutToken}`;
  return {
    terms: intent.terms,
    attempt,
    chargedMinor: chargedMinor(intent.terms, attempt.method),
    attemptToken,
    callbackUrl: `${baseUrl}/rails/${attempt.railId}/${attemptToken}`,
    selfDescribingId,
    checkoutUrl,
    returnUrl: `${checkoutUrl}/returned`,
  };
}
