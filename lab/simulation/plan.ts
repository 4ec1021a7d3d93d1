import { METHODS, type Method, TRAITS } from '../../src/engine/domain/method.ts';
import { Random } from '../harness/random.ts';
import { type Weather, weatherOf } from './faults.ts';
import { MERCHANTS, type Merchant } from './merchants.ts';

/** What merchants, customers and the operator will do, decided before the history begins. */

/** What the customer does on the provider's page or on the phone. */
export type Decision = 'pay' | 'pay_late' | 'decline' | 'ignore';

export interface PlannedPayment {
  readonly merchant: Merchant;
  readonly uniqueId: string;
  readonly kind: 'hosted' | 'express';
  /** Of an express payment. */
  readonly method: Method;
  readonly amountMinor: number;
  readonly expireInSeconds: number;
  readonly commissionPaidByCustomer: boolean;
  readonly idempotencyKey: string | null;
}

export type Action =
  /** `twice`: at the same moment, as a retry; `changed`: also another order with the same id. */
  | { readonly type: 'create'; readonly variant: 'once' | 'twice' | 'changed' }
  | {
      readonly type: 'pay';
      readonly method: Method;
      readonly decision: Decision;
      readonly afterMs: number;
      /** How long the customer looks at the page before choosing. */
      readonly thinksMs: number;
      /** The customer sends the form twice at the same moment. */
      readonly isTwice: boolean;
      /** The customer comes back from the provider. */
      readonly returns: boolean;
      /** When the customer leaves the attempt, so as to take another; null: never. */
      readonly abandonsAfterMs: number | null;
    }
  /** The customer says that they paid, by this number, which may be another payment's. */
  | { readonly type: 'claim'; readonly receipt: string }
  | { readonly type: 'cancel' | 'read' | 'give_up' | 'operator' | 'resend' | 'republish' | 'crash' }
  | {
      readonly type: 'refund';
      readonly refundId: string;
      /** Of what can be refunded; null: all that is left. Above 1: more than was paid. */
      readonly part: number | null;
      /** Of a second payment by the same customer, if there is one. */
      readonly ofDuplicate: boolean;
    }
  | { readonly type: 'cancel_refund'; readonly refundId: string }
  | {
      readonly type: 'outage';
      readonly of: 'database' | 'queues' | 'objects' | 'merchants' | 'provider';
      readonly durationMs: number;
    };

export interface Step {
  readonly atMs: number;
  /** The index of the payment. */
  readonly payment: number;
  readonly action: Action;
}

/** The loss of the whole gateway. Each wait begins when the step before it has ended. */
export interface PlannedDisaster {
  /** When the backup begins. */
  readonly atMs: number;
  /** What a calm gateway has answered this long before the backup is in it; null: not checked. */
  readonly answeredBeforeMs: number | null;
  readonly lossAfterMs: number;
  readonly restoreAfterMs: number;
  readonly reviewAfterMs: number;
  /** Two operators run the command at once. */
  readonly isRestoredTwice: boolean;
  /** The merchants create their payments again. */
  readonly repeatsCreates: boolean;
}

export interface Plan {
  readonly seed: number;
  readonly payments: readonly PlannedPayment[];
  readonly steps: readonly Step[];
  readonly weather: Weather;
  /** What each merchant may refund a day; null: no limit. */
  readonly refundDailyMaxMinor: number | null;
  /** How many payments the link of each merchant's hosted payments takes; null: they have no link. */
  readonly linkPaymentsMax: number | null;
  /** Null in most histories. */
  readonly disaster: PlannedDisaster | null;
  /** When the last fault may strike. */
  readonly faultsEndAfterMs: number;
  /** Single strikes that the shrinker leaves out, as `fault#n` from 1. */
  readonly spared: ReadonlySet<string>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function planOf(seed: number): Plan {
  const random = new Random(seed, 'plan');
  const payments: PlannedPayment[] = [];
  for (let count = random.pick([1, 1, 1, 2]); count > 0; count -= 1) {
    payments.push(paymentOf(random, payments));
  }
  const [first] = payments;
  const links = new Random(seed, 'links');
  const hasLink = first !== undefined && links.chance(LINKS_SHARE);
  // The window of the first one's attempt may be over, and its outcome still unknown: most providers
  // take a payment some minutes longer.
  const waitMinutes = hasLink ? links.pick([null, 2, 3, 4]) : null;
  const secondAfterMs =
    waitMinutes && first && first.expireInSeconds * SECOND_MS + waitMinutes * MINUTE_MS;
  if (hasLink) {
    // They compete for the one place.
    payments.splice(0, 2, { ...first, kind: 'hosted' });
    payments.push({ ...first, kind: 'hosted', uniqueId: 'order-1' });
  }
  const steps = payments
    .flatMap((payment, index) => stepsOf(random, payment, index))
    .map((step) => (secondAfterMs ? apart(step, secondAfterMs) : step))
    .sort((one, other) => one.atMs - other.atMs);
  const lastMs = steps.at(-1)?.atMs ?? 0;
  const disaster = disasterOf(seed, lastMs);
  return {
    seed,
    payments,
    steps,
    weather: weatherOf(seed),
    refundDailyMaxMinor: random.pick([null, null, null, 1_000_000]),
    // A restore brings back the links that D1 names, and here it names none.
    linkPaymentsMax: disaster === null && hasLink ? 1 : null,
    disaster,
    faultsEndAfterMs: lastMs + random.pick([MINUTE_MS, 20 * MINUTE_MS, 3 * HOUR_MS, DAY_MS]),
    spared: new Set(),
  };
}

/** The second customer comes later and pays. The first one pays as late as the provider allows. */
function apart({ payment, atMs, action }: Step, secondAfterMs: number): Step {
  const isFirst = payment === 0;
  const decision = isFirst ? 'pay_late' : 'pay';
  return {
    payment,
    atMs: isFirst ? atMs : atMs + secondAfterMs,
    action: action.type === 'pay' ? { ...action, decision } : action,
  };
}

const LINKS_SHARE = 0.3;
const DISASTER_SHARE = 0.08;

function disasterOf(seed: number, lastMs: number): PlannedDisaster | null {
  const random = new Random(seed, 'disaster');
  if (!random.chance(DISASTER_SHARE)) {
    return null;
  }
  return {
    // Most payments begin in the first seconds and end within minutes.
    atMs: Math.round(random.next() * random.pick([10 * SECOND_MS, 2 * MINUTE_MS, lastMs])),
    answeredBeforeMs: random.pick([null, null, MINUTE_MS]),
    lossAfterMs: random.pick([0, 2 * SECOND_MS, 20 * SECOND_MS, 3 * MINUTE_MS, HOUR_MS]),
    restoreAfterMs: random.pick([SECOND_MS, MINUTE_MS, 20 * MINUTE_MS, 6 * HOUR_MS]),
    reviewAfterMs: random.pick([0, HOUR_MS, 2 * DAY_MS, 9 * DAY_MS]),
    isRestoredTwice: random.chance(0.2),
    repeatsCreates: random.chance(0.5),
  };
}

/** Amounts that Kefel's own simulator plays a scenario for, and others. */
const AMOUNTS = [10_000, 100_01, 100_06, 100_07, 100_12, 100_13, 100_14, 100_15, 33_333] as const;

function paymentOf(random: Random, others: readonly PlannedPayment[]): PlannedPayment {
  const merchant = random.pick([...MERCHANTS, MERCHANTS[0], MERCHANTS[0], MERCHANTS[1]]);
  const hasKey = random.chance(0.7);
  return {
    merchant,
    // Two merchants may choose the same id.
    uniqueId: `order-${others.filter((other) => other.merchant === merchant).length}`,
    kind: random.pick(['hosted', 'hosted', 'express']),
    method: random.pick(METHODS),
    amountMinor: random.chance(0.7) ? random.between(1, 50_000) * 100 : random.pick(AMOUNTS),
    expireInSeconds: random.pick([30, 120, 300, 600, 1_800]),
    commissionPaidByCustomer: random.chance(0.5),
    idempotencyKey: hasKey ? `key-${seedText(random)}` : null,
  };
}

function seedText(random: Random): string {
  return random.uint32().toString(16);
}

/** Few, so that customers of several payments claim one number. */
const CLAIMS = ['CLAIM1', 'CLAIM2', 'CLAIM3'];

function stepsOf(random: Random, payment: PlannedPayment, index: number): Step[] {
  const steps: Step[] = [];
  const startMs = random.between(0, 5 * SECOND_MS);
  const lifetimeMs = payment.expireInSeconds * SECOND_MS;
  const add = (afterMs: number, action: Action) =>
    steps.push({ atMs: startMs + Math.round(afterMs), payment: index, action });
  /** Anywhere in the payment's life, and often just at its expiry. */
  const someTime = () =>
    random.chance(0.3)
      ? lifetimeMs + random.between(-2 * SECOND_MS, 2 * SECOND_MS)
      : random.next() * 1.3 * lifetimeMs;
  add(0, { type: 'create', variant: random.pick(['once', 'once', 'twice', 'changed']) });
  let payMs = random.between(1, 8) * SECOND_MS;
  for (let count = random.between(1, 3); count > 0; count -= 1) {
    add(payMs, paying(random));
    payMs = random.chance(0.6) ? payMs + random.between(1, 60) * SECOND_MS : someTime();
  }
  const others = ['cancel', 'read', 'give_up', 'operator', 'resend', 'republish', 'crash'] as const;
  for (const type of others) {
    if (random.chance(type === 'give_up' || type === 'cancel' ? 0.12 : 0.2)) {
      add(someTime(), { type });
    }
  }
  if (random.chance(0.2)) {
    add(someTime(), { type: 'claim', receipt: random.pick(CLAIMS) });
  }
  let refundMs = 0;
  for (let count = random.between(0, 5); count > 0; count -= 1) {
    const refundId = `refund-${random.between(1, 4)}`;
    const atMs = random.chance(0.7) ? random.between(20, 120) * SECOND_MS : 1.5 * lifetimeMs;
    // Often at the moment of the refund before, so that they compete for what is left.
    refundMs = refundMs > 0 && random.chance(0.3) ? refundMs + random.between(0, 20) : atMs;
    add(refundMs, {
      type: 'refund',
      refundId,
      part: random.pick([null, 0.25, 0.5, 1, 1.1]),
      ofDuplicate: random.chance(0.2),
    });
    if (random.chance(0.3)) {
      add(refundMs + random.between(0, 2 * SECOND_MS), { type: 'cancel_refund', refundId });
    }
  }
  if (random.chance(0.15)) {
    add(random.next() * lifetimeMs, outage(random));
  }
  return steps;
}

function paying(random: Random): Action {
  return {
    type: 'pay',
    method: random.pick(METHODS),
    decision: random.pick(['pay', 'pay', 'pay', 'pay_late', 'decline', 'ignore']),
    afterMs: random.pick([500, 3_000, 20_000, 60_000]),
    thinksMs: random.pick([0, 0, 0, 2_000, 30_000]),
    isTwice: random.chance(0.15),
    returns: random.chance(0.6),
    abandonsAfterMs: random.pick([null, null, 1_000, 5_000]),
  };
}

function outage(random: Random): Action {
  const of = random.pick(['database', 'queues', 'objects', 'merchants', 'provider'] as const);
  const durations = {
    database: HOUR_MS,
    queues: 10 * MINUTE_MS,
    objects: MINUTE_MS,
    merchants: 8 * DAY_MS,
    provider: HOUR_MS,
  };
  return { type: 'outage', of, durationMs: Math.round(random.next() * durations[of]) };
}

/** Whether the body of a request needs a phone. */
export function needsPhone(method: Method): boolean {
  return TRAITS[method].needsPhone;
}
