import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import { REFERENCE_LENGTH, referenceFrom } from '../../../src/engine/domain/identifiers.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import type { IntentTerms } from '../../../src/engine/domain/terms.ts';
import type { Rail } from '../../../src/engine/rails/rail.ts';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';
import { attemptWith, termsWith } from '../checkout-fixtures.ts';

/** Of what the customer pays, rounded down. */
const COMMISSION_PERCENT = 2;

/**
 * An order of ETB 1,500.00 as an adapter gets it, planned by `rail` now. `terms.amountMinor` is what the
 * customer pays: the order's own amount is less, so that no adapter takes one for the other.
 */
export function orderFor(
  rail: Rail,
  method: Method,
  changed: {
    readonly attempt?: Partial<Attempt>;
    readonly terms?: Partial<IntentTerms>;
    readonly order?: Partial<RailOrder>;
  } = {},
): RailOrder {
  const nowMs = Date.now();
  const terms = termsWith({
    environment: 'production',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 900_000,
    ...changed.terms,
  });
  const attempt = attemptWith({
    railId: rail.id,
    method,
    phone: '251911234567',
    redirectUrl: null,
    queriedAtMs: null,
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
    ...rail.plan(terms, method, nowMs),
    ...changed.attempt,
  });
  const chargedMinor = terms.amountMinor;
  const commissionMinor = Math.floor((chargedMinor * COMMISSION_PERCENT) / 100);
  const amountMinor = chargedMinor - commissionMinor;
  return {
    terms: { ...terms, amountMinor, commissionPaidByCustomer: true },
    attempt,
    chargedMinor,
    attemptToken: 'test1.attempt-token',
    callbackUrl: `https://pay.example.com/rails/${rail.id}/test1.attempt-token`,
    checkoutUrl: 'https://pay.example.com/checkout/test1.checkout-token',
    returnUrl: 'https://pay.example.com/checkout/test1.checkout-token/returned',
    ...changed.order,
  };
}

export function freshReference(): string {
  return referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH)));
}
