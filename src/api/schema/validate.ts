export type { Validated, ValidationContext } from './context.ts';
export { validateExpress } from './express.ts';
export type { PaymentOrder } from './order.ts';
export { uniqueIdOf, validatePaymentIntent } from './payment-intent.ts';
