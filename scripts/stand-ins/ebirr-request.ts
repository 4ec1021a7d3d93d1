import { faultOf, parsed, type Shape } from './shapes.ts';

const ID = /^[A-Za-z0-9._-]{1,50}$/;
const PREFIX = /^[A-Za-z0-9]{1,20}$/;
const AMOUNT = /^(?!0+\.00$)(?:0|[1-9]\d*)\.\d{2}$/;
const ACCOUNT = {
  merchantUid: /^.{7,15}$/,
  apiUserId: /^.{7,15}$/,
  apiKey: /^.{12,40}$/,
};
const REFUND = { ...ACCOUNT, transactionId: ID, description: /^.{0,255}$/ };
const WALLET = 'MWALLET_ACCOUNT';

/**
 * The parameters of each service in eBirr's examples, with the lengths in the vendor's
 * documentation.
 */
const PARAMS: Readonly<Record<string, Shape>> = {
  API_PURCHASE: {
    ...ACCOUNT,
    paymentMethod: WALLET,
    'prefix?': PREFIX,
    'returnUrl?': /^https?:\/\/[^\s/]+\/\S+$/,
    payerInfo: { accountNo: /^2519\d{8}$/, 'prefix?': PREFIX },
    transactionInfo: {
      referenceId: ID,
      invoiceId: ID,
      amount: AMOUNT,
      currency: 'ETB',
      description: /^[A-Za-z0-9 .,:()/_-]{5,100}$/,
    },
  },
  /** As clients of the vendor's own service send it. */
  API_TRANSACTIONSTATUS: { ...ACCOUNT, referenceId: ID },
  /** The calls that return a payment. The vendor documents the first, and its SDKs have the last. */
  API_CANCELPURCHASE: { ...REFUND, 'paymentMethod?': WALLET, 'referenceId?': ID },
  API_REVERSAL: REFUND,
  API_REFUND: { ...REFUND, amount: AMOUNT, referenceId: ID },
};

/** A received request, well-formed. */
interface WireRequest<Service extends string, Params> {
  readonly requestId: string;
  readonly timestamp: string;
  readonly serviceName: Service;
  readonly serviceParams: Readonly<Record<keyof typeof ACCOUNT, string>> & Params;
}

export type WirePurchase = WireRequest<
  'API_PURCHASE',
  {
    readonly prefix?: string;
    readonly returnUrl?: string;
    readonly payerInfo: { readonly accountNo: string; readonly prefix?: string };
    readonly transactionInfo: { readonly referenceId: string; readonly amount: string };
  }
>;

export type WireStatusQuery = WireRequest<
  'API_TRANSACTIONSTATUS',
  { readonly referenceId: string }
>;

export type WireRefund = WireRequest<
  'API_CANCELPURCHASE' | 'API_REVERSAL' | 'API_REFUND',
  {
    readonly transactionId: string;
    readonly referenceId?: string;
    /** Only of `API_REFUND`. */
    readonly amount?: string;
  }
>;

/** The request in `body`, or the name of its first wrong member. */
export function wireRequest(body: string): WirePurchase | WireStatusQuery | WireRefund | string {
  const value = parsed(body);
  const serviceName = String(Object(value).serviceName);
  const fault = faultOf(value, {
    schemaVersion: '1.0',
    requestId: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    timestamp: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/,
    channelName: 'WEB',
    serviceName: Object.hasOwn(PARAMS, serviceName) ? serviceName : /^(?!)/,
    serviceParams: PARAMS[serviceName] ?? {},
  });
  if (fault !== null) {
    return fault;
  }
  const request = value as WirePurchase | WireStatusQuery | WireRefund;
  const isTwofold =
    request.serviceName === 'API_PURCHASE' &&
    request.serviceParams.prefix !== request.serviceParams.payerInfo.prefix;
  return isTwofold ? 'payerInfo.prefix' : request;
}
