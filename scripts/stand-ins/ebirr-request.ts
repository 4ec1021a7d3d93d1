/** A leaf is a string that matches; `name?` is optional; no other members are allowed. */
type Shape = { readonly [name: string]: RegExp | Shape };

const ID = /^[A-Za-z0-9._-]{1,50}$/;
const PREFIX = /^[A-Za-z0-9]{1,20}$/;
const AMOUNT = /^(?!0+\.00$)(?:0|[1-9]\d*)\.\d{2}$/;

/** `API_PURCHASE` according to eBirr's examples; lengths according to the vendor's documentation. */
const PURCHASE: Shape = {
  schemaVersion: /^1\.0$/,
  requestId: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  timestamp: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/,
  channelName: /^WEB$/,
  serviceName: /^API_PURCHASE$/,
  serviceParams: {
    merchantUid: /^.{7,15}$/,
    apiUserId: /^.{7,15}$/,
    apiKey: /^.{12,40}$/,
    paymentMethod: /^MWALLET_ACCOUNT$/,
    'prefix?': PREFIX,
    'returnUrl?': /^https?:\/\/[^\s/]+\/\S+$/,
    payerInfo: { accountNo: /^2519\d{8}$/, 'prefix?': PREFIX },
    transactionInfo: {
      referenceId: ID,
      invoiceId: ID,
      amount: AMOUNT,
      currency: /^ETB$/,
      description: /^[A-Za-z0-9 .,:()/_-]{5,100}$/,
    },
  },
};

/** A received purchase request, well-formed. */
export interface WirePurchase {
  readonly requestId: string;
  readonly timestamp: string;
  readonly serviceParams: {
    readonly merchantUid: string;
    readonly apiUserId: string;
    readonly apiKey: string;
    readonly prefix?: string;
    readonly returnUrl?: string;
    readonly payerInfo: { readonly accountNo: string; readonly prefix?: string };
    readonly transactionInfo: { readonly referenceId: string; readonly amount: string };
  };
}

/** `API_TRANSACTIONSTATUS` as clients of the vendor's own service send it. */
const STATUS: Shape = {
  ...PURCHASE,
  serviceName: /^API_TRANSACTIONSTATUS$/,
  serviceParams: {
    merchantUid: /^.{7,15}$/,
    apiUserId: /^.{7,15}$/,
    apiKey: /^.{12,40}$/,
    referenceId: ID,
  },
};

/** A received status query, well-formed. */
export interface WireStatusQuery {
  readonly requestId: string;
  readonly timestamp: string;
  readonly serviceParams: {
    readonly merchantUid: string;
    readonly apiUserId: string;
    readonly apiKey: string;
    readonly referenceId: string;
  };
}

const REFUND_PARAMS: Shape = {
  merchantUid: /^.{7,15}$/,
  apiUserId: /^.{7,15}$/,
  apiKey: /^.{12,40}$/,
  transactionId: ID,
  description: /^.{0,255}$/,
};

/** The calls that return a payment. The vendor documents the first, and its SDKs have the last. */
const REFUNDS: Readonly<Record<string, Shape>> = {
  API_CANCELPURCHASE: {
    ...PURCHASE,
    serviceName: /^API_CANCELPURCHASE$/,
    serviceParams: {
      ...REFUND_PARAMS,
      'paymentMethod?': /^MWALLET_ACCOUNT$/,
      'referenceId?': ID,
    },
  },
  API_REVERSAL: {
    ...PURCHASE,
    serviceName: /^API_REVERSAL$/,
    serviceParams: REFUND_PARAMS,
  },
  API_REFUND: {
    ...PURCHASE,
    serviceName: /^API_REFUND$/,
    serviceParams: { ...REFUND_PARAMS, amount: AMOUNT, referenceId: ID },
  },
};

/** A received refund, well-formed. */
export interface WireRefund {
  readonly requestId: string;
  readonly timestamp: string;
  readonly serviceName: string;
  readonly serviceParams: {
    readonly merchantUid: string;
    readonly apiUserId: string;
    readonly apiKey: string;
    readonly transactionId: string;
    readonly referenceId?: string;
    /** Only of `API_REFUND`. */
    readonly amount?: string;
  };
}

/** The `serviceName` in the body, well-formed or not. */
export function serviceNameOf(body: string): string {
  return /"serviceName":"(\w+)"/.exec(body)?.[1] ?? '';
}

/** The refund in `body`, or the name of its first wrong member. */
export function wireRefund(body: string): WireRefund | string {
  const value = parsed(body);
  const shape = REFUNDS[serviceNameOf(body)];
  return shape === undefined ? 'serviceName' : (faultOf(value, shape, '') ?? (value as WireRefund));
}

/** The status query in `body`, or the name of its first wrong member. */
export function wireStatusQuery(body: string): WireStatusQuery | string {
  const value = parsed(body);
  return faultOf(value, STATUS, '') ?? (value as WireStatusQuery);
}

/** The request in `body`, or the name of its first wrong member. */
export function wirePurchase(body: string): WirePurchase | string {
  const value = parsed(body);
  const fault = faultOf(value, PURCHASE, '');
  if (fault !== null) {
    return fault;
  }
  const purchase = value as WirePurchase;
  const { prefix, payerInfo } = purchase.serviceParams;
  return prefix === payerInfo.prefix ? purchase : 'payerInfo.prefix';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function faultOf(value: unknown, shape: RegExp | Shape, path: string): string | null {
  if (shape instanceof RegExp) {
    return typeof value === 'string' && shape.test(value) ? null : path;
  }
  if (typeof value !== 'object' || value === null) {
    return path || 'body';
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const [entry, inner] of Object.entries(shape)) {
    const name = entry.replace('?', '');
    const isLeftOut = entry !== name && !members.has(name);
    const fault = isLeftOut ? null : faultOf(members.get(name), inner, `${path}.${name}`);
    if (fault !== null) {
      return fault;
    }
    members.delete(name);
  }
  const [extra] = members.keys();
  return extra === undefined ? null : `${path}.${extra}`;
}
