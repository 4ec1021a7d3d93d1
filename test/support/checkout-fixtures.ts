import type { Attempt } from '../../src/engine/domain/attempt.ts';
import { openIntent } from '../../src/engine/domain/decide.ts';
import type { Intent } from '../../src/engine/domain/intent.ts';
import type { IntentTerms, LineItem } from '../../src/engine/domain/terms.ts';
import { someTerms } from './intents.ts';

/**
 * 2025-11-21 12:00 in Addis Ababa. Long past, so a comparison with the real clock fails at once.
 */
export const NOW_MS = Date.UTC(2025, 10, 21, 9);

export function itemWith(changed: Partial<LineItem> = {}): LineItem {
  return {
    name: 'Yirgacheffe coffee, 1 kg',
    description: null,
    image: null,
    quantity: 1,
    type: 'PHYSICAL_PRODUCT',
    priceMinor: 45_000,
    ...changed,
  };
}

/**
 * A hosted sandbox payment of ETB 1,500.00 for two items, with every method; the merchant pays the
 * commission.
 */
export function termsWith(changed: Partial<IntentTerms> = {}): IntentTerms {
  return someTerms({
    merchantName: 'Tomoca Coffee',
    uniqueId: 'order-1001',
    amountMinor: 150_000,
    methods: [
      { method: 'TELE_BIRR', commissionMinor: 1_500 },
      { method: 'TELE_BIRR_USSD', commissionMinor: 1_500 },
      { method: 'CBE', commissionMinor: 1_000 },
      { method: 'ETS_SWITCH', commissionMinor: 2_250 },
      { method: 'M_PESA', commissionMinor: 1_500 },
      { method: 'E_BIRR', commissionMinor: 1_500 },
    ],
    items: [
      itemWith({ quantity: 3 }),
      itemWith({ name: 'Delivery in Addis Ababa', type: 'SERVICE', priceMinor: 15_000 }),
    ],
    customer: { name: 'Almaz', email: null, phone: '911234567', isPhoneUpdatable: true },
    returnUrl: 'https://shop.example.com/thanks',
    callbackUrl: null,
    simulation: null,
    metadata: {},
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 900_000,
    ...changed,
  });
}

export function attemptWith(changed: Partial<Attempt> = {}): Attempt {
  return {
    id: '0b0f4f0c-8a77-4f5e-8a26-6f4c4dbb2d7e',
    railId: 'simulator',
    startClaim: 'not_needed',
    startClaimId: null,
    reference: 'H7K2M9QX4T0B8ZC3VN5D',
    method: 'TELE_BIRR',
    phone: null,
    status: 'processing',
    flow: 'redirect',
    deadlineAtMs: NOW_MS + 900_000,
    windowIsFinal: true,
    checkAtMs: null,
    redirectUrl: 'https://pay.example.com/simulator/t1.abc',
    railReference: null,
    providerCode: null,
    proposal: null,
    manualResolutionId: null,
    isProved: false,
    receipt: null,
    issuerReceipt: null,
    failureReason: null,
    checks: 0,
    queriedAtMs: null,
    startedAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    ...changed,
  };
}

export function intentWith(
  terms: Partial<IntentTerms> = {},
  changed: Partial<Omit<Intent, 'terms'>> = {},
): Intent {
  return { ...openIntent(termsWith(terms)), ...changed };
}
