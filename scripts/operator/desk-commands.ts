import { MESSAGE_QUEUES } from '../../src/dead-letters/queues.ts';
import type { ApiRequest, Command, Given } from './command.ts';
import { UsageError } from './command.ts';
import { facts, money, plain, table, time } from './text.ts';
import * as values from './values.ts';

const NOTE = {
  value: 'TEXT',
  about: 'what you found out, for whoever looks next',
  isRequired: true,
} as const;
const PAYMENT = ['ENVIRONMENT', 'MERCHANT', 'PAYMENT'] as const;

function paymentPath(given: Given): string {
  const environment = values.environment(given.at('ENVIRONMENT'));
  return `/payments/${environment}/${given.segment('MERCHANT')}/${given.segment('PAYMENT')}`;
}

function query(path: string, options: Readonly<Record<string, string | undefined>>): ApiRequest {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return { path: given.length === 0 ? path : `${path}?${new URLSearchParams(given)}` };
}

interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

const bankLines = (banks: readonly Bank[]) =>
  table(
    ['CODE', 'WITHDRAWAL', 'NAME'],
    banks.map(({ code, name, supportsWithdrawal }) => [
      code,
      supportsWithdrawal ? 'yes' : 'no',
      name,
    ]),
    'No banks.',
  );

const WITHDRAWAL = { value: 'yes|no', about: 'whether splits can be paid out to it' } as const;

const BANK_COMMANDS: readonly Command[] = [
  {
    name: 'bank list',
    about: 'banks that splits can name',
    positionals: [],
    options: {},
    examples: ['bank list'],
    request: () => ({ path: '/banks' }),
    lines: bankLines,
  },
  {
    name: 'bank add',
    about: 'a bank; its code never changes',
    positionals: ['CODE'],
    options: {
      name: { value: 'TEXT', about: 'its name', isRequired: true },
      withdrawal: { ...WITHDRAWAL, isRequired: true },
    },
    examples: ['bank add NEWBANK --name "New Bank" --withdrawal yes'],
    request: (given) => ({
      path: '/banks',
      body: {
        code: given.at('CODE'),
        name: given.option('name'),
        supportsWithdrawal: values.yesOrNo(given.option('withdrawal') ?? ''),
      },
    }),
    lines: (bank: Bank) => bankLines([bank]),
  },
  {
    name: 'bank set',
    about: "a bank's name, or whether it pays out",
    positionals: ['CODE'],
    options: { name: { value: 'TEXT', about: 'its new name' }, withdrawal: WITHDRAWAL },
    examples: ['bank set NEWBANK --withdrawal no'],
    request: (given) => {
      const [name, withdrawal] = [given.option('name'), given.option('withdrawal')];
      if (name === undefined && withdrawal === undefined) {
        throw new UsageError('nothing to change: give --name, --withdrawal or both');
      }
      return {
        path: `/banks/${given.segment('CODE')}`,
        body: {
          ...(name !== undefined && { name }),
          ...(withdrawal !== undefined && { supportsWithdrawal: values.yesOrNo(withdrawal) }),
        },
      };
    },
    lines: (bank: Bank) => bankLines([bank]),
  },
];

interface AttentionItem {
  readonly type: string;
  readonly atMs: number;
  readonly reasons: readonly { readonly what: string; readonly todo: string }[];
  readonly payment?: Named;
  readonly event?: Named;
  readonly letter?: { readonly id: string; readonly queue: string };
}

interface Named {
  readonly environment: string;
  readonly merchantId: string;
  readonly uniqueId: string;
}

function attentionLines({ items }: { readonly items: readonly AttentionItem[] }) {
  if (items.length === 0) {
    return ['Nothing needs a human.'];
  }
  return items.flatMap(({ reasons, atMs, payment, event, letter }) => {
    const named = payment ?? event;
    const where =
      named === undefined
        ? `dead letter ${letter?.id} of ${letter?.queue}`
        : `${named.environment} ${named.merchantId} ${named.uniqueId}`;
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
    readonly railWords: string | null;
    readonly receipt: string | null;
    readonly failureReason: string | null;
    readonly startedAtMs: number;
  }[];
  readonly anomalies: readonly { readonly kind: string; readonly atMs: number }[];
  readonly history: readonly {
    readonly atMs: number;
    readonly command: string;
    readonly fromStatus: string | null;
    readonly toStatus: string;
    readonly detail: Readonly<Record<string, unknown>> | null;
  }[];
  readonly events: readonly {
    readonly type: string;
    readonly deliveryStatus: string;
    readonly createdAtMs: number;
    readonly tries: readonly unknown[];
  }[];
  readonly review: { readonly note: string; readonly reviewedBy: string } | null;
}

function paymentLines(payment: Payment): readonly string[] {
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
      ['ATTEMPT', 'METHOD', 'STATUS', 'RAIL REFERENCE', 'SAID', 'RECEIPT', 'REASON', 'STARTED'],
      payment.attempts.map((attempt) => [
        attempt.reference,
        attempt.method,
        attempt.status,
        attempt.railReference ?? '-',
        attempt.railWords ?? '-',
        attempt.receipt ?? '-',
        attempt.failureReason ?? '-',
        time(attempt.startedAtMs),
      ]),
      'No attempts.',
    ),
    ...payment.anomalies.map(({ kind, atMs }) => `Anomaly: ${kind}, ${time(atMs)}`),
    '',
    ...payment.history.map(({ atMs, command, fromStatus, toStatus, detail }) =>
      plain(
        `${time(atMs)}  ${command}  ${fromStatus ?? '-'} -> ${toStatus}  ${detail === null ? '' : JSON.stringify(detail)}`,
      ).trimEnd(),
    ),
    '',
    ...table(
      ['EVENT', 'DELIVERY', 'TRIES', 'CREATED'],
      payment.events.map(({ type, deliveryStatus, tries, createdAtMs }) => [
        type,
        deliveryStatus,
        tries.length,
        time(createdAtMs),
      ]),
      'No events.',
    ),
  ];
}

function settlement(given: Given): Readonly<Record<string, unknown>> {
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
    settlementId: crypto.randomUUID(),
  };
}

const PAYMENT_COMMANDS: readonly Command[] = [
  {
    name: 'attention',
    about: 'what needs a human, and what to do about it',
    positionals: [],
    options: { environment: { value: 'sandbox|production', about: 'only this one' } },
    examples: ['attention --environment production --all'],
    request: (given) => query('/attention', { environment: given.option('environment') }),
    lines: attentionLines,
    pages: 'nextCursor',
  },
  {
    name: 'payment show',
    about: 'one payment with its attempts, history and events',
    positionals: PAYMENT,
    options: {},
    examples: ['payment show production abebe order-1'],
    request: (given) => ({ path: paymentPath(given) }),
    lines: paymentLines,
  },
  {
    name: 'payment review',
    about: 'off the list of what needs a human, until there is more of it',
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
    name: 'payment settle',
    about: "an attempt's end, as you found it out at the provider",
    positionals: [...PAYMENT, 'ATTEMPT'],
    options: {
      succeeded: { value: null, about: 'the customer has paid' },
      receipt: { value: 'TEXT', about: "the provider's proof that they have" },
      failed: { value: null, about: 'the customer has certainly not paid' },
      reason: { value: 'WORD', about: 'declined, timed_out, canceled_by_customer …' },
      note: NOTE,
    },
    examples: [
      'payment settle production abebe order-1 4QXW… --succeeded --receipt CBE123 --note "Seen in the portal"',
      'payment settle production abebe order-1 4QXW… --failed --reason timed_out --note "Not in the portal"',
    ],
    request: (given) => ({
      path: `${paymentPath(given)}/attempts/${given.segment('ATTEMPT')}/settle`,
      body: settlement(given),
    }),
    lines: paymentLines,
  },
];

interface Outcomes {
  readonly outcomes: Readonly<Record<string, string>>;
}

const outcomeLines = ({ outcomes }: Outcomes) =>
  table(['DEAD LETTER', 'OUTCOME'], Object.entries(outcomes), 'Nothing done.');

const DEAD_LETTER_COMMANDS: readonly Command[] = [
  {
    name: 'dead-letter list',
    about: 'messages that their queue gave up, oldest first',
    positionals: [],
    options: {
      queue: { value: 'QUEUE', about: MESSAGE_QUEUES.join(', ') },
      status: { value: 'waiting|retried|discarded', about: '(waiting)' },
    },
    examples: ['dead-letter list --queue kefel-rail-starts'],
    request: (given) =>
      query('/dead-letters', { queue: given.option('queue'), status: given.option('status') }),
    lines: (content: {
      readonly items: readonly {
        readonly id: string;
        readonly queue: string;
        readonly kind: string;
        readonly status: string;
        readonly storedAtMs: number;
      }[];
    }) =>
      table(
        ['ID', 'QUEUE', 'KIND', 'STATUS', 'SINCE'],
        content.items.map(({ id, queue, kind, status, storedAtMs }) => [
          id,
          queue,
          kind,
          status,
          time(storedAtMs),
        ]),
        'No dead letters.',
      ),
    pages: 'nextCursor',
  },
  {
    name: 'dead-letter show',
    about: 'one of them with the message itself',
    positionals: ['ID'],
    options: {},
    examples: ['dead-letter show 0123abcd'],
    request: (given) => ({ path: `/dead-letters/${given.segment('ID')}` }),
    lines: (letter: object) => [JSON.stringify(letter, null, 2)],
  },
  {
    name: 'dead-letter retry',
    about: 'back to their queues; twice does no harm',
    positionals: ['ID…'],
    options: {},
    examples: ['dead-letter retry 0123abcd 4567ef01'],
    request: (given) => ({ path: '/dead-letters/retry', body: { ids: given.rest('ID') } }),
    lines: outcomeLines,
  },
  {
    name: 'dead-letter discard',
    about: 'off the list for good',
    positionals: ['ID…'],
    options: { reason: { value: 'TEXT', about: 'why, for the audit log', isRequired: true } },
    examples: ['dead-letter discard 0123abcd --reason "The payment shows it already"'],
    request: (given) => ({
      path: '/dead-letters/discard',
      body: { ids: given.rest('ID'), reason: given.option('reason') },
    }),
    lines: outcomeLines,
  },
];

interface Health {
  readonly d1Ms: number;
  readonly queues: readonly {
    readonly queue: string;
    readonly backlog: number | null;
    readonly oldestAtMs: number | null;
    readonly unknown: string | null;
  }[];
  readonly deadLetters: Readonly<Record<string, number>>;
  readonly environments: readonly {
    readonly environment: string;
    readonly eventsByStatus: Readonly<Record<string, number>>;
    readonly oldestUndelivered: (Named & { readonly createdAtMs: number }) | null;
    readonly endsSinceWeek: readonly End[];
    readonly endsSinceYesterday: readonly End[];
  }[];
  readonly misconfiguredRails: readonly { readonly problem: string }[];
}

interface End {
  readonly method: string | null;
  readonly status: string;
  readonly failureReason: string | null;
  readonly payments: number;
}

function healthLines(health: Health): readonly string[] {
  return [
    ...facts([['D1 answers in', `${health.d1Ms} ms`]]),
    '',
    ...table(
      ['QUEUE', 'MESSAGES', 'OLDEST', 'DEAD LETTERS'],
      health.queues.map(({ queue, backlog, oldestAtMs, unknown }) => [
        queue,
        backlog ?? unknown,
        time(oldestAtMs),
        health.deadLetters[queue] ?? 0,
      ]),
      'No queues.',
    ),
    ...health.misconfiguredRails.map(({ problem }) => `Rail: ${plain(problem)}`),
    ...health.environments.flatMap((environment) => [
      '',
      `${environment.environment}: events that have not arrived`,
      ...table(['STATE', 'EVENTS'], Object.entries(environment.eventsByStatus), 'None.'),
      ...(environment.oldestUndelivered === null
        ? []
        : [
            plain(
              `Longest on its way: ${environment.oldestUndelivered.merchantId} ${environment.oldestUndelivered.uniqueId}, ${time(environment.oldestUndelivered.createdAtMs)}`,
            ),
          ]),
      '',
      `${environment.environment}: how payments ended`,
      ...table(
        ['METHOD', 'END', 'REASON', 'SINCE YESTERDAY', 'SEVEN DAYS'],
        environment.endsSinceWeek.map((end) => [
          end.method ?? '-',
          end.status,
          end.failureReason ?? '-',
          environment.endsSinceYesterday.find(
            ({ method, status, failureReason }) =>
              method === end.method && status === end.status && failureReason === end.failureReason,
          )?.payments ?? 0,
          end.payments,
        ]),
        'None.',
      ),
    ]),
  ];
}

const GATEWAY_COMMANDS: readonly Command[] = [
  {
    name: 'rails',
    about: 'which methods have a rail, and what is wrong with its secret',
    positionals: [],
    options: {},
    examples: ['rails'],
    request: () => ({ path: '/rails' }),
    lines: (
      rails: readonly {
        readonly environment: string;
        readonly method: string;
        readonly state: string;
        readonly rail: string | null;
        readonly problem: string | null;
      }[],
    ) =>
      table(
        ['ENVIRONMENT', 'METHOD', 'STATE', 'RAIL', 'PROBLEM'],
        rails.map(({ environment, method, state, rail, problem }) => [
          environment,
          method,
          state,
          rail ?? '-',
          problem ?? '-',
        ]),
        'No rails.',
      ),
  },
  {
    name: 'health',
    about: 'queues, undelivered events, how payments end, at a glance',
    positionals: [],
    options: {},
    examples: ['health'],
    request: () => ({ path: '/health' }),
    lines: healthLines,
  },
  {
    name: 'ledger republish',
    about: 'asks payments to send what they hold to the ledger once more',
    positionals: [],
    options: {
      after: { value: 'UUID', about: 'goes on behind this payment' },
      object: { value: 'ID', about: 'only this object; may be repeated', isRepeatable: true },
    },
    examples: ['ledger republish --all', 'ledger republish --object 0123…'],
    request: (given) => {
      const after = given.option('after');
      return {
        path: '/ledger/republish',
        body: {
          ...(after !== undefined && { afterUuid: after }),
          ...(given.has('object') && { objectIds: given.options('object') }),
        },
      };
    },
    lines: (result: {
      readonly republished: number;
      readonly missing: number;
      readonly failed: number;
      readonly nextUuid: string | null;
    }) => [
      `${result.republished} sent, ${result.missing} missing, ${result.failed} failed.`,
      ...(result.nextUuid === null ? [] : [`There is more: --after ${result.nextUuid}`]),
    ],
    pages: 'nextUuid',
  },
];

/** Banks, payments, dead letters and the gateway itself. */
export const DESK_COMMANDS: readonly Command[] = [
  ...PAYMENT_COMMANDS,
  ...DEAD_LETTER_COMMANDS,
  ...BANK_COMMANDS,
  ...GATEWAY_COMMANDS,
];
