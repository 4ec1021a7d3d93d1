/** A merchant's program, as it uses each generated client. */
export interface Shop {
  /** The address of the page. */
  create(payment: HostedPayment): Promise<string>;
  /** `SUCCESS` or `FAILURE`. */
  charge(payment: ExpressPayment): Promise<string>;
  paymentStatus(id: string): Promise<string>;
  refund(refund: Refund): Promise<string>;
  refundStatus(id: string): Promise<string>;
}

/** `baseUrl`: with the environment. Nothing else differs between sandbox and production. */
export type NewShop = (baseUrl: string, apiKey: string) => Shop;

export interface Refund {
  paymentIntentUniqueId: string;
  refundUniqueId: string;
  amountMinor: number;
}

export type HostedPayment = ReturnType<typeof hostedPayment>;
export type ExpressPayment = ReturnType<typeof expressPayment>;

/** A price that `multipleOf` would refuse. */
const PRICE = 19.99;

export function hostedPayment(id: string) {
  return {
    paymentIntentUniqueId: id,
    amount: PRICE,
    currency: 'ETB' as const,
    methods: [],
    returnUrl: 'https://shop.example.com/thanks',
    expireIn: 3_600,
    commissionPaidByCustomer: false,
    customerInfo: { phone: '' },
  };
}

/** Production ignores `testMode`, so the same program serves both environments. */
export function expressPayment(id: string, amount: number) {
  return {
    paymentIntentUniqueId: id,
    amount,
    currency: 'ETB' as const,
    method: 'M_PESA' as const,
    phoneNumber: '0711223344',
    expireIn: 3_600,
    commissionPaidByCustomer: false,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' } as const,
  };
}
