import { ethiopianTimestamp } from '../../../kit/ethiopian-time.ts';
import { majorText } from '../../../kit/money.ts';
import { plainAscii } from '../plain-text.ts';
import type { RailOrder } from '../rail-order.ts';
import type { EbirrSettings } from './settings.ts';

/**
 * The body of `API_PURCHASE`, the only call that asks a customer for money: the owner of `phone`,
 * 251XXXXXXXXX. Its fields are in the order of eBirr's published examples. Pure.
 */
export function purchaseRequest(
  settings: EbirrSettings,
  { attempt, terms, chargedMinor, callbackUrl }: RailOrder,
  phone: string,
  nowMs: number,
) {
  const { reference } = attempt;
  // Integrators who were given a prefix send it in both places.
  const prefix = settings.prefix === undefined ? {} : { prefix: settings.prefix };
  return ebirrRequest(settings, 'API_PURCHASE', attempt.id, nowMs, {
    paymentMethod: settings.paymentMethod,
    ...prefix,
    ...(settings.sendsReturnUrl && { returnUrl: callbackUrl }),
    payerInfo: { accountNo: phone, ...prefix },
    transactionInfo: {
      referenceId: reference,
      invoiceId: reference,
      amount: majorText(chargedMinor),
      currency: terms.currency,
      description: purchaseDescription(terms.merchantName, terms.description, reference),
    },
  });
}

/** A request of our account, with its members in the order of eBirr's published examples. Pure. */
export function ebirrRequest<Params extends object>(
  { merchantUid, apiUserId, apiKey }: EbirrSettings,
  serviceName: string,
  requestId: string,
  nowMs: number,
  params: Params,
) {
  return {
    schemaVersion: '1.0',
    requestId,
    // eBirr's examples name no time zone, so we send Ethiopia's, which is the provider's.
    timestamp: ethiopianTimestamp(nowMs),
    channelName: 'WEB',
    serviceName,
    serviceParams: { merchantUid, apiUserId, apiKey, ...params },
  };
}

/** The vendor documents 0 to 255 in one place and 5 to 100 in another: we obey both. */
const DESCRIPTION_LENGTH_MIN = 5;
const DESCRIPTION_LENGTH_MAX = 100;

/** Enough to fill any description. Bounds the work on hostile texts. */
const TEXT_LENGTH_READ_MAX = 400;

/**
 * What the customer may read in the prompt: the merchant and what the payment is for. eBirr
 * documents no character set, and a prompt may pass through SMS and XML, so we send only ASCII
 * letters, digits and plain punctuation.
 */
export function purchaseDescription(
  merchantName: string,
  description: string | null,
  reference: string,
): string {
  const text = [merchantName, description ?? '']
    .map((part) => plainAscii(part.slice(0, TEXT_LENGTH_READ_MAX), /[^A-Za-z0-9.,:()/_-]+/g))
    .filter((part) => part !== '')
    .join(' - ')
    .slice(0, DESCRIPTION_LENGTH_MAX)
    .trim();
  return text.length < DESCRIPTION_LENGTH_MIN ? `Order ${reference}` : text;
}
