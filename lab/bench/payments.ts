/** Longer than a run. */
const LONG_EXPIRY_SECONDS = 86_400;

/** The body of a typical hosted create, as JSON: an item, all methods, a URL to return to. */
export function hostedPayment(uniqueId: string, otherFields: object = {}): string {
  return JSON.stringify({
    paymentIntentUniqueId: uniqueId,
    currency: 'ETB',
    amount: 150.5,
    items: [{ name: 'Coffee', quantity: 1, type: 'PHYSICAL_PRODUCT', price: 150.5 }],
    methods: [],
    commissionPaidByCustomer: true,
    expireIn: LONG_EXPIRY_SECONDS,
    returnUrl: 'https://shop.example/thanks',
    ...otherFields,
  });
}

/** The body of an express payment that the sandbox lets succeed, as JSON. */
export function expressPayment(uniqueId: string, callbackUrl: string): string {
  return JSON.stringify({
    paymentIntentUniqueId: uniqueId,
    currency: 'ETB',
    amount: 150.5,
    method: 'CBE',
    phoneNumber: '0911234567',
    commissionPaidByCustomer: true,
    expireIn: LONG_EXPIRY_SECONDS,
    callbackUrl,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  });
}
