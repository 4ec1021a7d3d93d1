import { ethiopianTimestamp } from '../../domain/ethiopian-time.ts';
import { majorText } from '../../domain/money.ts';
import type { RailOrder } from '../rail-order.ts';
import type { EbirrSettings } from './settings.ts';

/** The body of eBirr's `API_PURCHASE`, the only call that asks a customer for money. */
export interface PurchaseRequest {
  readonly schemaVersion: '1.0';
  readonly requestId: string;
  readonly timestamp: string;
  readonly channelName: 'WEB';
  readonly serviceName: 'API_PURCHASE';
  readonly serviceParams: {
    readonly merchantUid: string;
    readonly apiUserId: string;
    readonly apiKey: string;
    readonly paymentMethod: string;
    readonly prefix?: string;
    readonly returnUrl?: string;
    readonly payerInfo: { readonly accountNo: string; readonly prefix?: string };
    readonly transactionInfo: {
      readonly referenceId: string;
      readonly invoiceId: string;
      readonly amount: string;
      readonly currency: string;
      readonly description: string;
    };
  };
}

/** The content of an attempt's request, independent of eBirr's format. */
export interface Purchase {
  readonly requestId: string;
  readonly reference: string;
  /** 251XXXXXXXXX. */
  readonly phone: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string;
  readonly returnUrl: string;
}

/** The purchase for an order that the owner of `phone` is to pay. */
export function purchaseFor(order: RailOrder, phone: string): Purchase {
  const { attempt, terms } = order;
  return {
    requestId: attempt.id,
    reference: attempt.reference,
    phone,
    amountMinor: order.chargedMinor,
    currency: terms.currency,
    description: purchaseDescription(terms.merchantName, terms.description, attempt.reference),
    returnUrl: order.callbackUrl,
  };
}

/** The request body, with its fields in the order of eBirr's published examples. Pure. */
export function purchaseRequest(
  settings: EbirrSettings,
  purchase: Purchase,
  nowMs: number,
): PurchaseRequest {
  // Integrators who were given a prefix send it in both places.
  const prefix = settings.prefix === undefined ? {} : { prefix: settings.prefix };
  return {
    schemaVersion: '1.0',
    requestId: purchase.requestId,
    // eBirr's examples name no time zone, so we send Ethiopia's, which is the provider's.
    timestamp: ethiopianTimestamp(nowMs),
    channelName: 'WEB',
    serviceName: 'API_PURCHASE',
    serviceParams: {
      merchantUid: settings.merchantUid,
      apiUserId: settings.apiUserId,
      apiKey: settings.apiKey,
      paymentMethod: settings.paymentMethod,
      ...prefix,
      ...(settings.sendsReturnUrl ? { returnUrl: purchase.returnUrl } : {}),
      payerInfo: { accountNo: purchase.phone, ...prefix },
      transactionInfo: {
        referenceId: purchase.reference,
        invoiceId: purchase.reference,
        amount: majorText(purchase.amountMinor),
        currency: purchase.currency,
        description: purchase.description,
      },
    },
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
    .map(plainText)
    .filter((part) => part !== '')
    .join(' - ')
    .slice(0, DESCRIPTION_LENGTH_MAX)
    .trim();
  return text.length < DESCRIPTION_LENGTH_MIN ? `Order ${reference}` : text;
}

function plainText(text: string): string {
  return text
    .slice(0, TEXT_LENGTH_READ_MAX)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9.,:()/_-]+/g, ' ')
    .trim();
}
