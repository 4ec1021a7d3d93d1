import type { HttpClient } from '../../scripts/gateway/http.ts';
import type { MerchantApi } from '../harness/merchant-api.ts';
import { Random } from '../harness/random.ts';
import type { Answer, Call, Operation } from './operations.ts';
import { type PaymentLinks, performed } from './perform.ts';

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

type Name = Operation['type'];

/** How often each operation is chosen, of those that make sense with what is known. */
const WEIGHTS: Readonly<Record<Name, number>> = {
  create: 5,
  read: 22,
  cancel: 2,
  open_page: 6,
  choose_method: 16,
  decide: 16,
  abandon_attempt: 4,
  give_up: 1,
  request_refund: 3,
  cancel_refund: 2,
  read_refund: 2,
};

/** Once money can go back, that is what the clients are interested in. */
const WEIGHTS_WHEN_PAID: Readonly<Record<Name, number>> = {
  ...WEIGHTS,
  create: 2,
  open_page: 1,
  choose_method: 3,
  decide: 3,
  abandon_attempt: 1,
  request_refund: 30,
  cancel_refund: 12,
  read_refund: 10,
};

/** A server, and the merchant on whose behalf the clients act. */
export interface Target {
  readonly api: MerchantApi;
  readonly http: HttpClient;
}

/** The history of one payment, on which several clients act at once. */
export async function historyOf(target: Target, seed: number, index: number): Promise<Call[]> {
  const history: Call[] = [];
  let now = 0;
  const links: PaymentLinks = {
    uniqueId: `${RUN}-${seed}-${index}`,
    checkout: null,
    simulator: [],
  };
  const knowledge: Knowledge = { attempts: 0, attemptId: null, isPaid: false };
  const kind = new Random(seed, index, 'kind').pick(KINDS);
  const act = async (client: number): Promise<void> => {
    const random = new Random(seed, index, client);
    for (let count = 0; count < OPERATIONS_PER_CLIENT; count += 1) {
      const operation = chosen(random, kind, links, knowledge, client === 0 && count === 0);
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

function chosen(
  random: Random,
  kind: (typeof KINDS)[number],
  links: PaymentLinks,
  knowledge: Knowledge,
  isFirst: boolean,
): Operation {
  const weights = knowledge.isPaid ? WEIGHTS_WHEN_PAID : WEIGHTS;
  const name = isFirst
    ? 'create'
    : random.weighted(weights, (each) => isPossible(each, links, knowledge));
  switch (name) {
    case 'create':
      return {
        type: name,
        kind,
        amountMinor: random.pick(AMOUNTS_MINOR),
        idempotencyKey: random.pick(IDEMPOTENCY_KEYS),
      };
    case 'choose_method':
      // Sometimes from a page that is out of date.
      return { type: name, attempts: Math.max(0, knowledge.attempts - random.pick([0, 0, 0, 1])) };
    case 'decide': {
      const known = [...links.simulator.keys()].filter(
        (each) => links.simulator[each] !== undefined,
      );
      const attempt = known.at(random.pick([-1, -1, -1, 0])) ?? 0;
      const choice = random.pick(['approve', 'approve', 'decline', 'decline', 'give_up']);
      return { type: name, attempt, choice };
    }
    case 'abandon_attempt':
      return { type: name, attemptId: knowledge.attemptId ?? '' };
    case 'request_refund':
      return {
        type: name,
        refundId: refundId(random, links),
        amountMinor: random.pick(REFUND_AMOUNTS_MINOR),
      };
    case 'cancel_refund':
    case 'read_refund':
      return { type: name, refundId: refundId(random, links) };
    default:
      return { type: name };
  }
}

function refundId(random: Random, { uniqueId }: PaymentLinks): string {
  return `${uniqueId}-${random.between(1, REFUND_IDS)}`;
}

function isPossible(name: Name, links: PaymentLinks, { attemptId }: Knowledge): boolean {
  switch (name) {
    case 'open_page':
    case 'choose_method':
    case 'give_up':
      return links.checkout !== null;
    case 'decide':
      return links.simulator.length > 0;
    case 'abandon_attempt':
      return attemptId !== null;
    default:
      return true;
  }
}

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
