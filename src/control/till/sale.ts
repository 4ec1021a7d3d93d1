import type { KeyedBody } from '../../engine/api/keyed-body.ts';
import type { AddedTerms } from '../../engine/api/routes/create-payment.ts';
import type { Config } from '../../engine/config.ts';
import { base32FromBytes, sha256Hex, utf8 } from '../../kit/crypto/encoding.ts';
import { majorFromMinor } from '../../kit/money.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { hasAtMost, isPrintable } from '../../kit/text.ts';
import { amountMinorWritten } from '../../kit/typed-amount.ts';

/** A sale at a till: what its form may say, and the hosted payment that it makes. */

/** What the seller sends. */
export interface AskedSale {
  /** Made by the form's page: a form that is sent twice makes one payment. */
  readonly nonce: string;
  /** As typed, in birr. */
  readonly amount: string;
  readonly note: string;
}

export interface ReadSale {
  readonly amountMinor: number;
  /** The customer reads it on the checkout and on the receipt. */
  readonly note: string | null;
}

export type SaleProblem =
  | 'amount_missing'
  | 'amount_invalid'
  | 'amount_too_small'
  | 'amount_too_large'
  | 'note_invalid';

/** The headline of the checkout page on a phone. */
export const SALE_NOTE_CHARACTERS_MAX = 100;
/** The customer stands at the counter: long enough to top up, short enough for an address that lies open. */
const SALE_SECONDS = 15 * 60;
/** The key of metadata under which a merchant's programs find the name of the till. */
const TILL_KEY = 'till';

export function readSale({ amount, note }: AskedSale): ReadSale | SaleProblem {
  const amountMinor = amountMinorWritten(amount.trim());
  const noted = note.trim();
  if (amountMinor === null) {
    return amount.trim() === '' ? 'amount_missing' : 'amount_invalid';
  }
  return hasAtMost(noted, SALE_NOTE_CHARACTERS_MAX) && isPrintable(noted)
    ? { amountMinor, note: noted === '' ? null : noted }
    : 'note_invalid';
}

/** Who sells: the member, and the name that the team knows them by. */
interface Seller {
  readonly id: string;
  readonly name: string;
}

/** 80 bits, as for payment links. */
const ID_BYTES = 10;

/**
 * The payment of a form: the same for the same form with the same choice, and for no other till's. So a
 * repeat after a lost answer finds it.
 */
export async function saleBody(
  { environment, merchantId }: Tenant,
  seller: Seller,
  nonce: string,
  { amountMinor, note }: ReadSale,
  { expireInSecondsMin, expireInSecondsMax }: Config,
  ownOrigin: string,
): Promise<{ readonly uniqueId: string; readonly body: KeyedBody; readonly added: AddedTerms }> {
  const named = ['till-sale', environment, merchantId, seller.id, nonce, amountMinor, note ?? ''];
  const text = JSON.stringify(named);
  const digest = await crypto.subtle.digest('SHA-256', utf8(text));
  const uniqueId = `TILL-${base32FromBytes(new Uint8Array(digest).subarray(0, ID_BYTES))}`;
  return {
    uniqueId,
    body: {
      value: {
        paymentIntentUniqueId: uniqueId,
        paymentLinkUniqueId: null,
        amount: majorFromMinor(amountMinor),
        items: [],
        currency: 'ETB',
        methods: [],
        splitPayment: [],
        // The customer pays what the seller said.
        commissionPaidByCustomer: false,
        returnUrl: ownOrigin,
        callbackUrl: null,
        expireIn: Math.min(Math.max(SALE_SECONDS, expireInSecondsMin), expireInSecondsMax),
        customerInfo: null,
        metadata: { [TILL_KEY]: seller.name },
      },
      idempotency: {
        keyDigest: await sha256Hex(`till_sale/${uniqueId}`),
        bodyDigest: `till_sale:${await sha256Hex(text)}`,
      },
    },
    // The customer's phone has no page of the shop to return to.
    added: { tillId: seller.id, description: note, returnUrl: null },
  };
}
