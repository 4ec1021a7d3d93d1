import type { PaymentLink } from '../../src/engine/links/payment-link.ts';
import { START_MS } from './clock.ts';

/** The payment link of a merchant, at whose page the hosted payments of some histories are made. */

const CODE = '0123456789abcdef';

export function linkOf(paymentsMax: number): PaymentLink {
  return {
    id: 'link',
    code: CODE,
    version: 1,
    title: 'Link',
    description: null,
    price: { kind: 'fixed', amountMinor: 10_000 },
    currency: 'ETB',
    methods: [],
    askFor: { name: 'NO', phone: 'NO', email: 'NO', note: 'NO' },
    commissionPaidByCustomer: false,
    splits: [],
    validUntilMs: null,
    paymentsMax,
    paidText: null,
    returnUrl: null,
    callbackUrl: null,
    metadata: {},
    isActive: true,
    createdAtMs: START_MS,
    updatedAtMs: START_MS,
  };
}
