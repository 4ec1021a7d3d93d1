import type { Currency, Method } from '../../src/domain/method.ts';
import { Chance } from './chance.ts';

/** What happens to a payment, decided before it is created. */
export type Story =
  | 'hosted_paid'
  | 'hosted_declined_then_paid'
  | 'hosted_abandoned'
  | 'hosted_abandoned_at_rail'
  | 'hosted_canceled'
  | 'hosted_left_alone'
  | 'express_simulated_success'
  | 'express_simulated_failure'
  | 'express_paid_at_rail';

export type FinalStatus = 'SUCCESS' | 'FAILED' | 'EXPIRED' | 'CANCELED';

export interface Plan {
  readonly story: Story;
  readonly uniqueId: string;
  readonly kind: 'hosted' | 'express';
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly idempotencyKey: string | null;
  /** Body of the create request. */
  readonly body: string;
  /** The customer's choices on the page: first, and after a decline. */
  readonly methods: readonly [Method, Method];
  /** Whether to send the acknowledged create again at the end, to compare the answers. */
  readonly isReplayed: boolean;
  /** For the customer's choices and pauses. */
  readonly chance: Chance;
}

const STORIES: readonly [Story, ...Story[]] = [
  // Twice as likely, because they have the most steps, so a kill can hit more places.
  'hosted_paid',
  'hosted_paid',
  'hosted_declined_then_paid',
  'hosted_declined_then_paid',
  'hosted_abandoned',
  'hosted_abandoned_at_rail',
  'hosted_canceled',
  'hosted_left_alone',
  'hosted_left_alone',
  'express_simulated_success',
  'express_simulated_success',
  'express_simulated_failure',
  'express_paid_at_rail',
];

const METHODS: readonly [Method, ...Method[]] = [
  'TELE_BIRR',
  'TELE_BIRR_USSD',
  'CBE',
  'ETS_SWITCH',
  'M_PESA',
  'E_BIRR',
];

/** Longer than a run, so that only the story ends the payment. */
const LONG_EXPIRY_SECONDS = 3_600;
const IDEMPOTENCY_KEY_PROBABILITY = 0.6;
const REPLAY_PROBABILITY = 0.3;

/** The final status of each story after its last step. */
export const FINAL_STATUS: Readonly<Record<Story, FinalStatus>> = {
  hosted_paid: 'SUCCESS',
  hosted_declined_then_paid: 'SUCCESS',
  hosted_abandoned: 'FAILED',
  hosted_abandoned_at_rail: 'FAILED',
  hosted_canceled: 'CANCELED',
  hosted_left_alone: 'EXPIRED',
  express_simulated_success: 'SUCCESS',
  express_simulated_failure: 'FAILED',
  express_paid_at_rail: 'SUCCESS',
};

/** Stories without a step after the create. */
export const ENDS_BY_ITSELF: readonly Story[] = [
  'hosted_left_alone',
  'express_simulated_success',
  'express_simulated_failure',
];

/** The plan for payment `index` in a run with this seed. */
export function planOf(seed: number, index: number, callbackUrl: string): Plan {
  const chance = new Chance(seed, 'payment', index);
  const story = chance.oneOf(STORIES);
  const kind = story.startsWith('express') ? 'express' : 'hosted';
  const uniqueId = `chaos-${seed}-${index}`;
  const amountMinor = chance.integer(100, 5_000_000);
  const currency = chance.oneOf<Currency>(['ETB', 'USD']);
  const methods = [chance.oneOf(METHODS), chance.oneOf(METHODS)] as const;
  const common = {
    paymentIntentUniqueId: uniqueId,
    amount: amountMinor / 100,
    currency,
    commissionPaidByCustomer: chance.happens(0.5),
    returnUrl: 'https://shop.example/thanks?order=1',
    callbackUrl,
    expireIn: story === 'hosted_left_alone' ? chance.integer(5, 10) : LONG_EXPIRY_SECONDS,
  };
  const own =
    kind === 'hosted'
      ? { methods: [] }
      : { method: methods[0], phoneNumber: '0911223344', testMode: TEST_MODES[story] };
  return {
    story,
    uniqueId,
    kind,
    amountMinor,
    currency,
    idempotencyKey: chance.happens(IDEMPOTENCY_KEY_PROBABILITY) ? `key-${uniqueId}` : null,
    body: JSON.stringify({ ...common, ...own }),
    methods,
    isReplayed: chance.happens(REPLAY_PROBABILITY),
    chance,
  };
}

const TEST_MODES: Partial<Record<Story, Readonly<Record<string, string>>>> = {
  express_simulated_success: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  express_simulated_failure: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
  express_paid_at_rail: { testModeType: 'ACTUAL_TEST' },
};
