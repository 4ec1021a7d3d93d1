import { linkId, signLink } from '../../kit/crypto/link-token.ts';
import { objectNameOf } from '../../kit/crypto/object-name.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import type { Attempt } from '../domain/attempt.ts';
import { hasReceipt, type Intent } from '../domain/intent.ts';
import { chargedMinor, type IntentTerms } from '../domain/terms.ts';
import type { Rail } from '../rails/rail.ts';
import type { RailOrder } from '../rails/rail-order.ts';

/** Everything that the adapter may know about an attempt of this intent, links included. */
export async function railOrder(
  env: Env,
  rail: Rail,
  intent: Pick<Intent, 'terms' | 'attempts'>,
  attempt: Attempt,
): Promise<RailOrder> {
  const keys = configOf(env).linkSigningKeys;
  const index = intent.attempts.findIndex(({ id }) => id === attempt.id);
  if (index < 0) {
    throw new Error('The attempt belongs to another payment');
  }
  const { terms } = intent;
  const link = { objectName: await objectNameOf(terms), index };
  const [attemptToken, checkoutUrl, orderId] = await Promise.all([
    signLink(keys, 'attempt', link),
    checkoutUrlOf(env, intent),
    rail.openCallback === undefined ? undefined : linkId(keys, link),
  ]);
  return {
    terms,
    attempt,
    chargedMinor: chargedMinor(terms, attempt.method),
    attemptToken,
    callbackUrl: `${terms.baseUrl}/rails/${attempt.railId}/${attemptToken}`,
    ...(orderId !== undefined && { orderId }),
    checkoutUrl,
    returnUrl: `${checkoutUrl}/returned`,
  };
}

/** The URL of a payment's checkout page. */
export async function checkoutUrlOf(
  env: Env,
  { terms }: { readonly terms: Tenant & Pick<IntentTerms, 'uniqueId' | 'baseUrl'> },
): Promise<string> {
  return `${terms.baseUrl}${await pagePath(env, 'checkout', await objectNameOf(terms))}`;
}

/** The URL of a payment's receipt. Null before the payment is paid, and once the receipt is over. */
export async function receiptUrlOf(
  env: Env,
  intent: Intent,
  nowMs: number,
): Promise<string | null> {
  return hasReceipt(intent, nowMs)
    ? `${intent.terms.baseUrl}${await receiptPathOf(env, await objectNameOf(intent.terms))}`
    : null;
}

/** The path of a paid payment's receipt. Its link only shows: it can start nothing. */
export function receiptPathOf(env: Env, objectName: string): Promise<string> {
  return pagePath(env, 'receipt', objectName);
}

async function pagePath(
  env: Env,
  page: 'checkout' | 'receipt',
  objectName: string,
): Promise<string> {
  const link = { objectName, index: 0 };
  return `/${page}/${await signLink(configOf(env).linkSigningKeys, page, link)}`;
}
