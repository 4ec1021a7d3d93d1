import { Random } from '../harness/random.ts';
import type { Answer, Call, Operation } from './operations.ts';
import { type PaymentLinks, performed, type Target } from './perform.ts';

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

/** What the clients of a payment have learned, and tell each other. */
interface Knowledge {
  attempts: number;
  attemptId: string | null;
  isPaid: boolean;
}

/** One operation of the clients: how often it is chosen, and what it is. */
interface Choice {
  readonly weight: number;
  /** Once money can go back, that is what the clients are interested in. */
  readonly weightWhenPaid: number;
  /** Whether it makes sense with what is known. */
  readonly isPossible?: (links: PaymentLinks, knowledge: Knowledge) => boolean;
  readonly make: (random: Random, links: PaymentLinks, knowledge: Knowledge) => Operation;
}

const hasPage = ({ checkout }: PaymentLinks) => checkout !== null;
const refundId = (random: Random, { uniqueId }: PaymentLinks) =>
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
  open_page: {
    ...{ weight: 6, weightWhenPaid: 1, isPossible: hasPage },
    make: () => ({ type: 'open_page' }),
  },
  choose_method: {
    ...{ weight: 16, weightWhenPaid: 3, isPossible: hasPage },
    // Sometimes from a page that is out of date.
    make: (random, _links, { attempts }) => ({
      type: 'choose_method',
      attempts: Math.max(0, attempts - random.pick([0, 0, 0, 1])),
    }),
  },
  decide: {
    ...{ weight: 16, weightWhenPaid: 3 },
    isPossible: ({ simulator }) => simulator.length > 0,
    make: (random, { simulator }) => {
      const known = [...simulator.keys()].filter((each) => simulator[each] !== undefined);
      const attempt = known.at(random.pick([-1, -1, -1, 0])) ?? 0;
      const choice = random.pick(['approve', 'approve', 'decline', 'decline', 'give_up']);
      return { type: 'decide', attempt, choice };
    },
  },
  abandon_attempt: {
    ...{ weight: 4, weightWhenPaid: 1 },
    isPossible: (_links, { attemptId }) => attemptId !== null,
    make: (_random, _links, { attemptId }) => ({
      type: 'abandon_attempt',
      attemptId: attemptId ?? '',
    }),
  },
  give_up: {
    ...{ weight: 1, weightWhenPaid: 1, isPossible: hasPage },
    make: () => ({ type: 'give_up' }),
  },
  request_refund: {
    ...{ weight: 3, weightWhenPaid: 30 },
    make: (random, links) => ({
      type: 'request_refund',
      refundId: refundId(random, links),
      amountMinor: random.pick(REFUND_AMOUNTS_MINOR),
    }),
  },
  cancel_refund: {
    ...{ weight: 2, weightWhenPaid: 12 },
    make: (random, links) => ({ type: 'cancel_refund', refundId: refundId(random, links) }),
  },
  read_refund: {
    ...{ weight: 2, weightWhenPaid: 10 },
    make: (random, links) => ({ type: 'read_refund', refundId: refundId(random, links) }),
  },
} as const satisfies Readonly<Record<Operation['type'], Choice>>;

function chosen(random: Random, links: PaymentLinks, knowledge: Knowledge): Operation {
  const choices: readonly Choice[] = Object.values(CHOICES);
  const possible = choices.filter(({ isPossible }) => isPossible?.(links, knowledge) ?? true);
  const weigh = ({ weight, weightWhenPaid }: Choice) =>
    knowledge.isPaid ? weightWhenPaid : weight;
  return random.weighted(possible, weigh).make(random, links, knowledge);
}

/** The history of one payment, on which several clients act at once. */
export async function historyOf(target: Target, seed: number, index: number): Promise<Call[]> {
  const history: Call[] = [];
  let now = 0;
  const links: PaymentLinks = {
    uniqueId: `${RUN}-${seed}-${index}`,
    kind: new Random(seed, index, 'kind').pick(KINDS),
    checkout: null,
    simulator: [],
  };
  const knowledge: Knowledge = { attempts: 0, attemptId: null, isPaid: false };
  const act = async (client: number): Promise<void> => {
    const random = new Random(seed, index, client);
    for (let count = 0; count < OPERATIONS_PER_CLIENT; count += 1) {
      const isFirst = client === 0 && count === 0;
      const operation = isFirst
        ? CHOICES.create.make(random, links)
        : chosen(random, links, knowledge);
      const invokedAt = now++;
      const answer = await performed(target, links, operation);
      learn(knowledge, operation, answer);
      const answeredAt = answer === null ? Number.POSITIVE_INFINITY : now++;
      history.push({ client, operation, invokedAt, answeredAt, answer });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => act(client)));
  return history.sort((one, other) => one.invokedAt - other.invokedAt);
}

/** Ids of an earlier run must not come again: its payments may be in the same database. */
const RUN = `linear-${Date.now().toString(36)}`;

/** Hosted payments have the most operations. */
const KINDS = [
  'hosted',
  'hosted',
  'hosted',
  'hosted',
  'express_interactive',
  'express_succeeds',
  'express_fails',
] as const;

function learn(knowledge: Knowledge, operation: Operation, answer: Answer | null): void {
  if (answer?.type === 'page') {
    knowledge.attempts = answer.attempts ?? knowledge.attempts;
    knowledge.attemptId = answer.attemptId ?? knowledge.attemptId;
  }
  if (answer?.type === 'redirect' && answer.way.to === 'simulator') {
    knowledge.attempts = Math.max(knowledge.attempts, answer.way.attempt + 1);
  }
  if (answer?.type === 'payment') {
    knowledge.isPaid = answer.payment.status === 'SUCCESS';
  }
  if (operation.type === 'decide' && operation.choice === 'approve' && answer !== null) {
    knowledge.isPaid = true;
  }
}
