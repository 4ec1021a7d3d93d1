import { Random } from '../harness/random.ts';
import type { Call, Operation } from './operations.ts';
import { type NamedPayment, performed, type Target } from './perform.ts';

/** Clients that act on the same payment at the same time. */
const CLIENTS = 6;
const OPERATIONS_PER_CLIENT = 16;
export const OPERATIONS_PER_PAYMENT = CLIENTS * OPERATIONS_PER_CLIENT;

/** Two orders that clients send under the same id. */
const AMOUNTS_MINOR = [400_00, 300_00] as const;
const IDEMPOTENCY_KEYS = ['first-key', 'second-key', null] as const;
/** Null: all that is left. The sandbox refuses 100.22, and holds 100.26 back for 20 s. */
const REFUND_AMOUNTS_MINOR = [20_00, 50_00, 100_22, 100_26, null] as const;
const REFUND_IDS = 6;

/** One operation of the clients: how often it is chosen, and what it is. */
interface Choice {
  readonly weight: number;
  /** Once money can go back, that is what the clients are interested in. */
  readonly weightWhenPaid: number;
  readonly make: (random: Random, payment: NamedPayment) => Operation;
}

const refundId = (random: Random, { uniqueId }: NamedPayment) =>
  `${uniqueId}-${random.between(1, REFUND_IDS)}`;

const CHOICES = {
  create: {
    ...{ weight: 5, weightWhenPaid: 2 },
    make: (random, { kind }) => ({
      type: 'create',
      kind,
      amountMinor: random.pick(AMOUNTS_MINOR),
      idempotencyKey: random.pick(IDEMPOTENCY_KEYS),
    }),
  },
  read: { weight: 22, weightWhenPaid: 22, make: () => ({ type: 'read' }) },
  cancel: { weight: 2, weightWhenPaid: 2, make: () => ({ type: 'cancel' }) },
  request_refund: {
    ...{ weight: 3, weightWhenPaid: 30 },
    make: (random, payment) => ({
      type: 'request_refund',
      refundId: refundId(random, payment),
      amountMinor: random.pick(REFUND_AMOUNTS_MINOR),
    }),
  },
  cancel_refund: {
    ...{ weight: 2, weightWhenPaid: 12 },
    make: (random, payment) => ({ type: 'cancel_refund', refundId: refundId(random, payment) }),
  },
  read_refund: {
    ...{ weight: 2, weightWhenPaid: 10 },
    make: (random, payment) => ({ type: 'read_refund', refundId: refundId(random, payment) }),
  },
} as const satisfies Readonly<Record<Operation['type'], Choice>>;

function chosen(random: Random, payment: NamedPayment, isPaid: boolean): Operation {
  const choices: readonly Choice[] = Object.values(CHOICES);
  const weigh = ({ weight, weightWhenPaid }: Choice) => (isPaid ? weightWhenPaid : weight);
  return random.weighted(choices, weigh).make(random, payment);
}

/** The history of one payment, on which several clients act at once. */
export async function historyOf(target: Target, seed: number, index: number): Promise<Call[]> {
  const history: Call[] = [];
  let now = 0;
  const payment: NamedPayment = {
    uniqueId: `${RUN}-${seed}-${index}`,
    kind: new Random(seed, index, 'kind').pick(KINDS),
  };
  let isPaid = false;
  const act = async (client: number): Promise<void> => {
    const random = new Random(seed, index, client);
    for (let count = 0; count < OPERATIONS_PER_CLIENT; count += 1) {
      const isFirst = client === 0 && count === 0;
      const operation = isFirst
        ? CHOICES.create.make(random, payment)
        : chosen(random, payment, isPaid);
      const invokedAt = now++;
      const answer = await performed(target, payment, operation);
      isPaid ||= answer?.type === 'payment' && answer.payment.status === 'SUCCESS';
      const answeredAt = answer === null ? Number.POSITIVE_INFINITY : now++;
      history.push({ client, operation, invokedAt, answeredAt, answer });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => act(client)));
  return history.sort((one, other) => one.invokedAt - other.invokedAt);
}

/** Ids of an earlier run must not come again: its payments may be in the same database. */
const RUN = `linear-${Date.now().toString(36)}`;

/** Payments that are paid have the most operations. */
const KINDS = ['hosted', 'express_succeeds', 'express_succeeds', 'express_fails'] as const;
