import { createHash } from 'node:crypto';
import type { Currency, Environment, Method } from '../../src/domain/method.ts';
import { REFUND_SCENARIOS } from '../../src/rails/simulator/refunds.ts';
import { Random } from '../harness/random.ts';

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
  | 'express_paid_at_rail'
  /** In production, through a provider's stand-in. */
  | 'express_paid_at_provider'
  | 'express_declined_at_provider';

export type FinalStatus = 'SUCCESS' | 'FAILED' | 'EXPIRED' | 'CANCELED';

export interface Plan {
  readonly story: Story;
  readonly uniqueId: string;
  readonly environment: Environment;
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
  /** A cancellation on the dashboard, instead of by the API. */
  readonly isCanceledByMember: boolean;
  /** After the payment succeeded, one after the other. */
  readonly refunds: readonly RefundPlan[];
  /** For the customer's choices and pauses. */
  readonly random: Random;
}

export interface RefundPlan {
  readonly id: string;
  /** Null: all that is left. */
  readonly amountMinor: number | null;
  readonly idempotencyKey: string | null;
  readonly isCanceled: boolean;
  /** On the dashboard, instead of by the API. */
  readonly isByMember: boolean;
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
  'express_paid_at_provider',
  'express_paid_at_provider',
  'express_paid_at_provider',
  'express_declined_at_provider',
];

const METHODS: readonly [Method, ...Method[]] = [
  'TELE_BIRR',
  'TELE_BIRR_USSD',
  'CBE',
  'ETS_SWITCH',
  'M_PESA',
  'E_BIRR',
];

/** Providers that report the customer's act and return money by API. */
const PROVIDERS: readonly [Method, ...Method[]] = ['TELE_BIRR', 'ETS_SWITCH', 'M_PESA'];
/** Those with whom a decline ends the payment: another card may pay within EthSwitch's 20 minutes. */
const DECLINING_PROVIDERS: readonly [Method, ...Method[]] = ['TELE_BIRR', 'M_PESA'];

/** Longer than a run, so that only the story ends the payment. */
const LONG_EXPIRY_SECONDS = 6 * 3_600;
const IDEMPOTENCY_KEY_PROBABILITY = 0.6;
const REPLAY_PROBABILITY = 0.3;
const REFUND_PROBABILITY = 0.5;
const MEMBER_PROBABILITY = 0.4;
/** The sandbox waits 20 s before it returns this amount, so it can be canceled. */
const SLOW_REFUND_MINOR = REFUND_SCENARIOS.pending.amountMinor;
/** In the sandbox the provider refuses to return this amount. */
const DECLINED_REFUND_MINOR = REFUND_SCENARIOS.declined.amountMinor;

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
  express_paid_at_provider: 'SUCCESS',
  express_declined_at_provider: 'FAILED',
};

/** Stories without a step after the create. */
export const ENDS_BY_ITSELF: readonly Story[] = [
  'hosted_left_alone',
  'express_simulated_success',
  'express_simulated_failure',
];

function providersFor(story: Story): readonly [Method, ...Method[]] {
  return story === 'express_declined_at_provider' ? DECLINING_PROVIDERS : PROVIDERS;
}

/** The plan for payment `index` in a run with this seed. */
export function planOf(seed: number, index: number, callbackUrl: string): Plan {
  const random = new Random(seed, 'payment', index);
  const story = random.pick(STORIES);
  const kind = story.startsWith('express') ? 'express' : 'hosted';
  const environment = story.endsWith('_at_provider') ? 'production' : 'sandbox';
  const uniqueId = `chaos-${seed}-${index}`;
  const isProduction = environment === 'production';
  // M-PESA takes no cents.
  const amountMinor = isProduction
    ? random.between(100, 50_000) * 100
    : random.between(100, 5_000_000);
  const currency = isProduction ? 'ETB' : random.pick<Currency>(['ETB', 'USD']);
  const methods = isProduction
    ? ([random.pick(providersFor(story)), 'M_PESA'] as const)
    : ([random.pick(METHODS), random.pick(METHODS)] as const);
  const phoneNumber = methods[0] === 'M_PESA' ? '0711223344' : '0911223344';
  const common = {
    paymentIntentUniqueId: uniqueId,
    amount: amountMinor / 100,
    currency,
    commissionPaidByCustomer: isProduction ? false : random.chance(0.5),
    returnUrl: 'https://shop.example/thanks?order=1',
    callbackUrl,
    refundEvents: true,
    expireIn: story === 'hosted_left_alone' ? random.between(5, 10) : LONG_EXPIRY_SECONDS,
  };
  const testMode = TEST_MODES[story];
  const own =
    kind === 'hosted'
      ? { methods: [] }
      : { method: methods[0], phoneNumber, ...(testMode !== undefined && { testMode }) };
  const hasKey = isProduction || random.chance(IDEMPOTENCY_KEY_PROBABILITY);
  return {
    story,
    uniqueId,
    environment,
    kind,
    amountMinor,
    currency,
    idempotencyKey: hasKey ? `key-${uniqueId}` : null,
    body: JSON.stringify({ ...common, ...own }),
    methods,
    isReplayed: random.chance(REPLAY_PROBABILITY),
    isCanceledByMember: random.chance(MEMBER_PROBABILITY),
    refunds: REFUNDED.includes(story) ? refundsOf(random, environment, uniqueId, amountMinor) : [],
    random,
  };
}

/** Stories whose success the merchant sees before it refunds. */
const REFUNDED: readonly Story[] = [
  'hosted_paid',
  'hosted_declined_then_paid',
  'express_paid_at_rail',
  'express_paid_at_provider',
];

/** In production the whole payment, which every provider returns; in the sandbox parts, too. */
function refundsOf(
  random: Random,
  environment: Environment,
  uniqueId: string,
  amountMinor: number,
): readonly RefundPlan[] {
  if (!random.chance(REFUND_PROBABILITY)) {
    return [];
  }
  const parts =
    environment === 'sandbox' && amountMinor > 2 * SLOW_REFUND_MINOR + DECLINED_REFUND_MINOR
      ? random.pick([[SLOW_REFUND_MINOR], [DECLINED_REFUND_MINOR], [100, 200]] as const)
      : [];
  return [...parts, null].map((part, index) => {
    const id = `${uniqueId}-refund-${index}`;
    // The form takes an amount, which is not known before the end for what others leave.
    const isByMember = (part !== null || index === 0) && random.chance(MEMBER_PROBABILITY);
    return {
      id: isByMember ? dashboardId(id) : id,
      amountMinor: part,
      idempotencyKey: random.chance(IDEMPOTENCY_KEY_PROBABILITY) ? `${uniqueId}-${index}` : null,
      isCanceled: part === SLOW_REFUND_MINOR,
      isByMember,
    };
  });
}

/** As the dashboard's form makes them. */
function dashboardId(text: string): string {
  return `rfd_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

const TEST_MODES: Partial<Record<Story, Readonly<Record<string, string>>>> = {
  express_simulated_success: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  express_simulated_failure: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
  express_paid_at_rail: { testModeType: 'ACTUAL_TEST' },
};
