/**
 * Basis of all tests that run inside workerd. Only three things are not real: the clock (`Date`
 * stands still until a test moves it), the sending side of the queues (messages are caught, and the
 * test delivers them to the consumer) and the merchant's server. The clock starts decades ahead, so
 * that no alarm fires on its own during a test.
 */

export * from './support/api.ts';
export * from './support/clock.ts';
export * from './support/customer.ts';
export * from './support/deliveries.ts';
export * from './support/delivery-stage.ts';
export * from './support/gateway.ts';
export * from './support/merchants.ts';
export * from './support/payment-object.ts';
