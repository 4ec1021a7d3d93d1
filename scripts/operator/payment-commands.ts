import type { Command, Given } from './command.ts';
import { UsageError } from './command.ts';
import { query } from './query.ts';
import { facts, money, plain, table, time } from './text.ts';
import * as values from './values.ts';

export const NOTE = {
  value: 'TEXT',
  about: "what you found out; the merchant's owners can see it",
  isRequired: true,
} as const;
export const PAYMENT = ['ENVIRONMENT', 'MERCHANT', 'PAYMENT'] as const;

export function paymentPath(given: Given): string {
  const environment = values.environment(given.at('ENVIRONMENT'));
  return `/payments/${environment}/${given.segment('MERCHANT')}/${given.segment('PAYMENT')}`;
}

interface AttentionItem {
  readonly type: string;
  readonly atMs: number;
  readonly reasons: readonly { readonly what: string; readonly todo: string }[];
  readonly payment?: Named;
  readonly event?: Named;
  /** Of the payment, by its own id. */
  readonly refund?: Named & { readonly refundUniqueId: string };
  readonly letter?: { readonly id: string; readonly queue: string };
}

/** What identifies a payment in the API. */
export interface Named {
  readonly environment: string;
  readonly merchantId: string;
  readonly uniqueId: string;
}

function attentionLines({ items }: { readonly items: readonly AttentionItem[] }) {
  if (items.length === 0) {
    return ['Nothing needs attention.'];
  }
  return items.flatMap(({ reasons, atMs, payment, event, refund, letter }) => {
    const named = payment ?? event ?? refund;
    const where =
      named === undefined
        ? `dead letter ${letter?.id} of ${letter?.queue}`
        : [named.environment, named.merchantId, named.uniqueId, refund?.refundUniqueId ?? []]
            .flat()
            .join(' ');
    const texts = reasons.flatMap(({ what, todo }) => [`  ${what}`, `  To do: ${todo}`]);
    return [`${plain(where)}, ${time(atMs)}`, ...texts, ''];
  });
}

interface Payment extends Named {
  readonly objectId: string;
  readonly uuid: string;
  readonly merchantName: string;
  readonly status: string;
  readonly failureReason: string | null;
  readonly late: boolean;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly attempts: readonly {
    readonly reference: string;
    readonly method: string;
    readonly status: string;
    readonly railReference: string | null;
    readonly providerCode: string | null;
    readonly receipt: string | null;
    readonly isProved: boolean;
    readonly failureReason: string | null;
    readonly startedAtMs: number;
    readonly proposal: { readonly operator: string; readonly receipt: string } | null;
  }[];
  readonly refunds: readonly {
    readonly id: string;
    readonly reference: string;
    readonly transactionId: string | null;
    readonly status: string;
    readonly returnedMinor: number;
    readonly railReference: string | null;
    readonly actionReason: string | null;
    readonly failureReason: string | null;
    readonly secondOperatorNeeded: boolean;
    readonly proposal: {
      readonly operator: string;
      readonly outcome: { readonly type: string; readonly railReference?: string };
    } | null;
  }[];
  readonly anomalies: readonly {
    readonly kind: string;
    readonly atMs: number;
    readonly other?: { readonly merchantId: string; readonly uniqueId: string };
  }[];
  readonly history: readonly {
    readonly atMs: number;
    readonly command: string;
    readonly fromStatus: string | null;
    readonly toStatus: string;
    readonly detail: Readonly<Record<string, unknown>> | null;
  }[];
  readonly events: readonly {
    readonly type: string;
    readonly origin: string | null;
    readonly deliveryStatus: string;
    readonly createdAtMs: number;
    readonly tries: readonly unknown[];
  }[];
  readonly review: { readonly note: string; readonly reviewedBy: string } | null;
}

/** What waits for a second operator, and what no provider has confirmed. */
function attemptNotes({ attempts }: Payment): readonly string[] {
  return attempts.flatMap(({ reference, status, isProved, proposal }) => {
    if (proposal !== null) {
      const { operator, receipt } = proposal;
      return [
        plain(
          `Attempt ${reference}: ${operator} recorded "paid, ${receipt}"; another must confirm`,
        ),
      ];
    }
    return status === 'succeeded' && !isProved
      ? [`Attempt ${reference}: recorded by hand; the provider has not confirmed it`]
      : [];
  });
}

/** A refund, and under it the decision that waits for a second operator. */
function refundLines({ refunds, currency }: Payment): readonly string[] {
  return refunds.length === 0
    ? []
    : [
        '',
        ...table(
          ['REFUND', 'NUMBER', 'OF ATTEMPT', 'STATUS', 'CUSTOMER GETS', 'PROVIDER', 'REASON'],
          refunds.map((refund) => [
            refund.id,
            refund.reference,
            refund.transactionId ?? '-',
            refund.status,
            money(refund.returnedMinor, currency),
            refund.railReference ?? '-',
            refund.actionReason ?? refund.failureReason ?? '-',
          ]),
          '',
        ),
        ...refunds.flatMap(({ id, proposal, secondOperatorNeeded }) => {
          if (proposal === null || !secondOperatorNeeded) {
            return [];
          }
          const { operator, outcome } = proposal;
          const found =
            outcome.type === 'succeeded' ? `returned, ${outcome.railReference}` : 'not returned';
          return [plain(`Refund ${id}: ${operator} recorded "${found}"; another must confirm`)];
        }),
      ];
}

export function paymentLines(payment: Payment): readonly string[] {
  const { review } = payment;
  const ended = payment.failureReason === null ? '' : ` (${payment.failureReason})`;
  return [
    ...facts([
      ['Payment', `${payment.environment} ${payment.merchantId} ${payment.uniqueId}`],
      ['Merchant', payment.merchantName],
      ['Status', `${payment.status}${ended}${payment.late ? ', late' : ''}`],
      ['Amount', money(payment.amountMinor, payment.currency)],
      ['Created', time(payment.createdAtMs)],
      ['Expires', time(payment.expiresAtMs)],
      ['uuid', payment.uuid],
      ['Object', payment.objectId],
      ['Review', review === null ? '-' : `${review.note} (${review.reviewedBy})`],
    ]),
    '',
    ...table(
      [
        'ATTEMPT',
        'METHOD',
        'STATUS',
        'PROVIDER REFERENCE',
        'PROVIDER CODE',
        'RECEIPT',
        'REASON',
        'STARTED',
      ],
      payment.attempts.map((attempt) => [
        attempt.reference,
        attempt.method,
        attempt.status,
        attempt.railReference ?? '-',
        attempt.providerCode ?? '-',
        attempt.receipt ?? '-',
        attempt.failureReason ?? '-',
        time(attempt.startedAtMs),
      ]),
      'No attempts.',
    ),
    ...attemptNotes(payment),
    ...refundLines(payment),
    ...payment.anomalies.map(({ kind, atMs, other }) =>
      plain(
        `Anomaly: ${kind}, ${time(atMs)}${other === undefined ? '' : `, with ${other.merchantId} ${other.uniqueId}`}`,
      ),
    ),
    '',
    ...payment.history.map(({ atMs, command, fromStatus, toStatus, detail }) =>
      plain(
        `${time(atMs)}  ${command}  ${fromStatus ?? '-'} -> ${toStatus}  ${detail === null ? '' : JSON.stringify(detail)}`,
      ).trimEnd(),
    ),
    '',
    ...table(
      ['EVENT', 'TO', 'DELIVERY', 'TRIES', 'CREATED'],
      payment.events.map(({ type, origin, deliveryStatus, tries, createdAtMs }) => [
        type,
        origin ?? '-',
        deliveryStatus,
        tries.length,
        time(createdAtMs),
      ]),
      'No events.',
    ),
  ];
}

function manualResolution(given: Given): Readonly<Record<string, unknown>> {
  const [receipt, reason] = [given.option('receipt'), given.option('reason')];
  if (given.has('succeeded') === given.has('failed')) {
    throw new UsageError('give either --succeeded with --receipt, or --failed with --reason');
  }
  if (given.has('succeeded') ? receipt === undefined : reason === undefined) {
    throw new UsageError(
      given.has('succeeded') ? '--succeeded needs --receipt' : '--failed needs --reason',
    );
  }
  return {
    outcome: given.has('succeeded') ? 'succeeded' : 'failed',
    ...(receipt !== undefined && { receipt }),
    ...(reason !== undefined && { reason }),
    note: given.option('note'),
    resolutionId: crypto.randomUUID(),
  };
}

export const PAYMENT_COMMANDS: readonly Command[] = [
  {
    name: 'attention',
    about: 'list what needs attention, and what to do about it',
    positionals: [],
    options: { environment: { value: 'sandbox|production', about: 'only this environment' } },
    examples: ['attention --environment production --all'],
    request: (given) => query('/attention', { environment: given.option('environment') }),
    lines: attentionLines,
    pages: 'nextCursor',
  },
  {
    name: 'payment show',
    about: 'show a payment with its attempts, history and events',
    positionals: PAYMENT,
    options: {},
    examples: ['payment show production abebe order-1'],
    request: (given) => ({ path: paymentPath(given) }),
    lines: paymentLines,
  },
  {
    name: 'payment review',
    about: 'mark a payment as reviewed: it leaves the attention list until something new happens',
    positionals: PAYMENT,
    options: { note: NOTE },
    examples: ['payment review production abebe order-1 --note "Refunded by telebirr"'],
    request: (given) => ({
      path: `${paymentPath(given)}/review`,
      body: { note: given.option('note') },
    }),
    lines: ({ note }: { readonly note: string }) => [`Reviewed: ${plain(note)}`],
  },
  {
    name: 'payment resolve',
    about: 'record the outcome of an attempt, as the provider confirmed it to you',
    positionals: [...PAYMENT, 'ATTEMPT'],
    options: {
      succeeded: { value: null, about: 'the customer has paid' },
      receipt: { value: 'TEXT', about: "the provider's proof of payment" },
      failed: { value: null, about: 'the customer has definitely not paid' },
      reason: { value: 'REASON', about: 'such as declined, timed_out or canceled_by_customer' },
      note: NOTE,
    },
    examples: [
      'payment resolve production abebe order-1 4QXW… --succeeded --receipt CBE123 --note "Seen in the portal"',
      'payment resolve production abebe order-1 4QXW… --failed --reason timed_out --note "Not in the portal"',
    ],
    request: (given) => ({
      path: `${paymentPath(given)}/attempts/${given.segment('ATTEMPT')}/resolve`,
      body: manualResolution(given),
    }),
    lines: paymentLines,
  },
];
