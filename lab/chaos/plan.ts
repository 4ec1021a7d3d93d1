import { createHash } from 'node:crypto';
import type { Method } from '../../src/engine/domain/method.ts';
import { REFUND_SCENARIOS } from '../../src/engine/rails/simulator/refunds.ts';
import type { Currency } from '../../src/kit/money.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import { Random } from '../harness/random.ts';

/** What a customer or the merchant does after the create. */
export type Step =
  /** In the simulator; a hosted payment connects to it first. */
  | 'approve'
  | 'decline'
  | 'give_up'
  /** The customer leaves the payment's page. */
  | 'leave'
  /** The merchant cancels the payment. */
  | 'cancel'
  /** At the stand-in for a provider. */
  | 'pays'
  | 'declines';

/** What happens to a payment, decided before it is created. */
interface Story {
  /** How likely it is; stories with many steps are, so that a kill can hit more places. */
  readonly weight: number;
  readonly steps: readonly Step[];
  /** After the last step. */
  readonly status: 'SUCCESS' | 'FAILED' | 'EXPIRED' | 'CANCELED';
  /** The merchant may refund it. */
  readonly isRefunded?: true;
  readonly expireInSeconds?: number;
  readonly testMode?: Readonly<Record<string, string>>;
  /** The status in the answer to the create. */
  readonly answered?: string;
}

/** Those at a provider are in production, the others in the sandbox. */
const STORIES = {
  hosted_paid: { weight: 2, steps: ['approve'], status: 'SUCCESS', isRefunded: true },
  hosted_declined_then_paid: {
    weight: 2,
    steps: ['decline', 'approve'],
    status: 'SUCCESS',
    isRefunded: true,
  },
  hosted_abandoned: { weight: 1, steps: ['leave'], status: 'FAILED' },
  hosted_abandoned_at_rail: { weight: 1, steps: ['give_up'], status: 'FAILED' },
  hosted_canceled: { weight: 1, steps: ['cancel'], status: 'CANCELED' },
  hosted_left_alone: { weight: 2, steps: [], status: 'EXPIRED', expireInSeconds: 8 },
  express_simulated_success: {
    weight: 2,
    steps: [],
    status: 'SUCCESS',
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    answered: 'SUCCESS',
  },
  express_simulated_failure: {
    weight: 1,
    steps: [],
    status: 'FAILED',
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
    answered: 'FAILURE',
  },
  express_paid_at_rail: {
    weight: 1,
    steps: ['approve'],
    status: 'SUCCESS',
    isRefunded: true,
    testMode: { testModeType: 'ACTUAL_TEST' },
  },
  express_paid_at_provider: { weight: 3, steps: ['pays'], status: 'SUCCESS', isRefunded: true },
  express_declined_at_provider: { weight: 1, steps: ['declines'], status: 'FAILED' },
} as const satisfies Readonly<Record<string, Story>>;

type StoryName = keyof typeof STORIES;

export interface Plan extends Story {
  readonly name: StoryName;
  readonly uniqueId: string;
  readonly environment: Environment;
  readonly kind: 'hosted' | 'express';
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly idempotencyKey: string | null;
  /** Body of the create request. */
  readonly body: object;
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

const METHODS = ['TELE_BIRR', 'TELE_BIRR_USSD', 'CBE', 'ETS_SWITCH', 'M_PESA', 'E_BIRR'] as const;
/** Providers that report the customer's act and return money by API. */
const PROVIDERS = ['TELE_BIRR', 'ETS_SWITCH', 'M_PESA'] as const;
/** Those with whom a decline ends the payment: another card may pay within EthSwitch's 20 minutes. */
const DECLINING_PROVIDERS = ['TELE_BIRR', 'M_PESA'] as const;

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

/** The plan for payment `index` in a run with this seed. */
export function planOf(seed: number, index: number, callbackUrl: string): Plan {
  const random = new Random(seed, 'payment', index);
  const names = Object.keys(STORIES) as StoryName[];
  const name = random.weighted(names, (each) => STORIES[each].weight);
  const story: Story = STORIES[name];
  const kind = name.startsWith('express') ? 'express' : 'hosted';
  const uniqueId = `chaos-${seed}-${index}`;
  const isProduction = name.endsWith('_at_provider');
  // M-PESA takes no cents.
  const amountMinor = isProduction
    ? random.between(100, 50_000) * 100
    : random.between(100, 5_000_000);
  const currency = isProduction ? 'ETB' : random.pick<Currency>(['ETB', 'USD']);
  const providers = story.status === 'FAILED' ? DECLINING_PROVIDERS : PROVIDERS;
  const methods = [random.pick<Method>(isProduction ? providers : METHODS), random.pick(METHODS)];
  const [method] = methods;
  const body = {
    paymentIntentUniqueId: uniqueId,
    amount: amountMinor / 100,
    currency,
    commissionPaidByCustomer: isProduction ? false : random.chance(0.5),
    returnUrl: 'https://shop.example/thanks?order=1',
    callbackUrl,
    refundEvents: true,
    expireIn: story.expireInSeconds ?? LONG_EXPIRY_SECONDS,
    ...(kind === 'hosted'
      ? { methods: [] }
      : { method, phoneNumber: method === 'M_PESA' ? '0711223344' : '0911223344' }),
    ...(story.testMode !== undefined && { testMode: story.testMode }),
  };
  const hasKey = isProduction || random.chance(IDEMPOTENCY_KEY_PROBABILITY);
  const isRefunded = story.isRefunded === true && random.chance(REFUND_PROBABILITY);
  return {
    ...story,
    ...{ name, uniqueId, kind, amountMinor, currency, body, random },
    methods: methods as unknown as Plan['methods'],
    environment: isProduction ? 'production' : 'sandbox',
    idempotencyKey: hasKey ? `key-${uniqueId}` : null,
    isReplayed: random.chance(REPLAY_PROBABILITY),
    isCanceledByMember: random.chance(MEMBER_PROBABILITY),
    refunds: isRefunded ? refundsOf(random, isProduction, uniqueId, amountMinor) : [],
  };
}

/** In production the whole payment, which every provider returns; in the sandbox parts, too. */
function refundsOf(
  random: Random,
  isProduction: boolean,
  uniqueId: string,
  amountMinor: number,
): readonly RefundPlan[] {
  const parts =
    !isProduction && amountMinor > 2 * SLOW_REFUND_MINOR + DECLINED_REFUND_MINOR
      ? random.pick([[SLOW_REFUND_MINOR], [DECLINED_REFUND_MINOR], [100, 200]] as const)
      : [];
  return [...parts, null].map((part, index) => {
    const id = `${uniqueId}-refund-${index}`;
    // The form takes an amount, which is not known before the end for what others leave.
    const isByMember = (part !== null || index === 0) && random.chance(MEMBER_PROBABILITY);
    return {
      // As the dashboard's form makes them.
      id: isByMember ? `rfd_${createHash('sha256').update(id).digest('hex').slice(0, 32)}` : id,
      amountMinor: part,
      idempotencyKey: random.chance(IDEMPOTENCY_KEY_PROBABILITY) ? `${uniqueId}-${index}` : null,
      isCanceled: part === SLOW_REFUND_MINOR,
      isByMember,
    };
  });
}
