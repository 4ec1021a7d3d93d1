import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExpressPaymentRequest, Kefel } from '../typescript/kefel.ts';
import { clientOf, sandboxAccessOf } from './access.ts';
import { type Command, columns, UsageError } from './command.ts';
import { print } from './output.ts';
import { newRefundId } from './refund.ts';

/** What a payment does, by the amounts of docs/sandbox.md#amounts, #refunds. */
interface Scenario {
  /** In birr. */
  readonly amount: number;
  /** In cents: what is returned once the payment is paid. */
  readonly refundMinor?: number;
  /** `page`: a payment whose customer never comes. */
  readonly kind: 'express' | 'page';
  readonly expireInSeconds: number;
  readonly about: string;
}

/** Long enough for all that happens before the end. */
const EXPIRE_IN_SECONDS = 600;
/** The shortest that the gateway allows. */
const SOON_SECONDS = 5;
/** An amount without a fixed outcome. */
const ORDINARY_AMOUNT = 150.5;
const ORDINARY_MINOR = 15_050;
/** A payment of the sandbox that is to be refunded is paid within a second. */
const POLL_MS = 250;
const POLLS_MAX = 120;

const DECLINED = ends(100.01, 'PAYMENT_FAILED within a second: declined');
const PAID_LATE = {
  ...ends(100.13, 'PAYMENT_EXPIRED, and 10 s later PAYMENT_SUCCESS with late: true'),
  expireInSeconds: SOON_SECONDS,
};

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  success: ends(ORDINARY_AMOUNT, 'PAYMENT_SUCCESS within a second'),
  failure: DECLINED,
  expired: {
    amount: ORDINARY_AMOUNT,
    kind: 'page',
    expireInSeconds: SOON_SECONDS,
    about: 'PAYMENT_EXPIRED after 5 s: the customer never opened the page',
  },
  late: PAID_LATE,
  declined: DECLINED,
  insufficient_funds: ends(100.02, 'PAYMENT_FAILED within a second'),
  canceled_by_customer: ends(100.03, 'PAYMENT_FAILED within a second'),
  wrong_pin: ends(100.04, 'PAYMENT_FAILED within a second'),
  abandoned: ends(100.05, 'PAYMENT_FAILED within a second'),
  timed_out: ends(100.06, 'PAYMENT_FAILED after 5 s'),
  rail_unavailable: ends(100.07, 'refused at once, and PAYMENT_FAILED'),
  misconfigured: ends(100.08, 'refused at once, and PAYMENT_FAILED'),
  paid_slowly: ends(100.11, 'PAYMENT_SUCCESS after 20 s'),
  unknown_then_paid: ends(100.12, 'unknown at first, then PAYMENT_SUCCESS after 20 s'),
  paid_late: PAID_LATE,
  expired_held: {
    ...ends(100.16, 'PAYMENT_EXPIRED 30 s after the payment should expire'),
    expireInSeconds: SOON_SECONDS,
  },
  paid_held: {
    ...ends(100.17, 'PAYMENT_SUCCESS with late: true, without PAYMENT_EXPIRED before it'),
    expireInSeconds: SOON_SECONDS,
  },
  refunded: returns(ORDINARY_MINOR, 'REFUND_SUCCESS within a second'),
  refund_processed_slowly: returns(10_021, 'REFUND_SUCCESS after 20 s'),
  refund_declined: returns(10_022, 'REFUND_FAILED within a second'),
  refund_insufficient_funds: returns(10_023, 'REFUND_FAILED within a second'),
  refund_unknown_then_refunded: returns(
    10_024,
    'unknown at first, then REFUND_SUCCESS after 2 min',
  ),
  refund_requires_action: returns(
    10_025,
    'REFUND_REQUIRES_ACTION within a second, and REFUND_SUCCESS after 1 min',
  ),
  refund_pending: returns(10_026, 'can be canceled for 20 s, then REFUND_SUCCESS'),
};

function ends(amount: number, about: string): Scenario {
  return { amount, kind: 'express', expireInSeconds: EXPIRE_IN_SECONDS, about };
}

function returns(refundMinor: number, about: string): Scenario {
  return { ...ends(ORDINARY_AMOUNT, `PAYMENT_SUCCESS; its refund: ${about}`), refundMinor };
}

const ABOUT = `Creates a payment in the sandbox that ends by itself, or is paid and then refunded:

${columns(Object.entries(SCENARIOS).map(([name, { about }]) => [name, about]))}

Its events go to your endpoints, to --callback-url instead, and to kefel listen.`;

export const trigger: Command = {
  arguments: 'OUTCOME',
  argumentsMin: 1,
  argumentsMax: 1,
  summary: 'Make a payment in the sandbox that succeeds, fails, expires, is late or refunded',
  about: ABOUT,
  options: {
    id: { value: 'ID', about: 'its paymentIntentUniqueId (default: a new one)' },
    method: { value: 'METHOD', about: 'such as TELE_BIRR or M_PESA (default: CBE)' },
    metadata: { value: 'KEY=VALUE', about: 'an entry of its metadata', isRepeatable: true },
    'callback-url': { value: 'URL', about: 'where its webhooks go' },
  },
  async run(given) {
    const [name = ''] = given.arguments;
    const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
    if (scenario === undefined) {
      const names = Object.keys(SCENARIOS).join(', ');
      throw new UsageError(`There is no outcome "${name}". Choose one of: ${names}`);
    }
    // Its own amounts have cents, which some methods cannot take in production.
    const kefel = clientOf(await sandboxAccessOf(given), () => undefined);
    const uniqueId = given.text('id') ?? `trigger-${name}-${randomBytes(4).toString('hex')}`;
    const callbackUrl = given.text('callback-url');
    const common = {
      paymentIntentUniqueId: uniqueId,
      currency: 'ETB',
      amount: scenario.amount,
      expireIn: scenario.expireInSeconds,
      commissionPaidByCustomer: false,
      returnUrl: 'https://example.com/thanks',
      metadata: given.pairs('metadata'),
      ...(callbackUrl === undefined ? {} : { callbackUrl, refundEvents: true }),
    } as const;
    if (scenario.kind === 'page') {
      const { checkoutUrl } = await kefel.payments.create({ ...common, methods: [] });
      print(`${uniqueId}: ${scenario.about}\n${checkoutUrl}`);
      return;
    }
    const { status, message } = await kefel.payments.express({
      ...common,
      // The gateway says what is wrong with a method that it does not know.
      method: (given.text('method') ?? 'CBE') as ExpressPaymentRequest['method'],
      phoneNumber: '0911234567',
      testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    });
    print(`${uniqueId}: ${scenario.about}\nanswered ${status}: ${message}`);
    if (scenario.refundMinor !== undefined) {
      await untilPaid(kefel, uniqueId);
      const refund = await kefel.refunds.create({
        paymentIntentUniqueId: uniqueId,
        refundUniqueId: newRefundId(),
        amountMinor: scenario.refundMinor,
      });
      print(`${refund.refundUniqueId}: ${refund.status}`);
    }
  },
};

async function untilPaid({ payments }: Kefel, uniqueId: string): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const { status } = await payments.get(uniqueId);
    if (status === 'SUCCESS') {
      return;
    }
    await wait(POLL_MS);
  }
  throw new UsageError(`${uniqueId} is not paid, so there is nothing to refund.`);
}
