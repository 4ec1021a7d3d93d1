import { majorText } from '../../domain/money.ts';
import type { RailOrder } from '../rail.ts';
import type { EbirrSettings } from './settings.ts';

/** The body of the one call that asks a customer for money: eBirr's `API_PURCHASE`. */
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

/** What the request of one attempt says, before it is written in eBirr's form. */
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

/** The request for an order that `phone` shall pay. */
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

/** In the order of fields of eBirr's published examples. Pure. */
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

/** Ethiopia has no summer time. */
const ETHIOPIA_AHEAD_OF_UTC_MS = 3 * 60 * 60 * 1_000;

/**
 * `2026-01-31 12:34:56`, the form of eBirr's examples, which name no zone: the time of day that the
 * provider's own clocks show.
 */
export function ethiopianTimestamp(atMs: number): string {
  const iso = new Date(atMs + ETHIOPIA_AHEAD_OF_UTC_MS).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** The vendor's documentation gives 0 to 255 in one place and 5 to 100 in another: both are kept. */
const DESCRIPTION_LENGTH_MIN = 5;
const DESCRIPTION_LENGTH_MAX = 100;

/** More is never needed to fill a description, and bounds the work on hostile texts. */
const TEXT_LENGTH_READ_MAX = 400;

/**
 * What the customer may read in the prompt: who is to be paid, and for what. No character set is
 * documented, and a prompt may pass through SMS and XML: letters, digits and plain punctuation go.
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
