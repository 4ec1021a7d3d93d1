import type { readAttention } from '../../back-office/operator/api.ts';
import type { readMembers } from '../../back-office/operator/members.ts';
import { MESSAGE_QUEUES } from '../../src/dead-letters/queues.ts';
import { LETTER_STATUSES } from '../../src/dead-letters/store.ts';
import type { DeadLetter, Health, RailState } from '../../src/interface/operations.ts';
import type { ApiRequest, Command } from './command.ts';
import { bankLines, type Merchant, merchantLines } from './lines.ts';
import { paymentLines } from './payment-lines.ts';
import { pathOf } from './places.ts';
import { facts, plain, table, time } from './text.ts';

type Members = Awaited<ReturnType<typeof readMembers>>;

/** A GET request with the options that were given. */
function query(path: string, options: Readonly<Record<string, string | undefined>>): ApiRequest {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return { path: given.length === 0 ? path : `${path}?${new URLSearchParams(given)}` };
}

type Attention = Awaited<ReturnType<typeof readAttention>>;

function attentionLines({ items }: Attention) {
  return items.length === 0
    ? ['Nothing needs attention.']
    : items.flatMap((item) => [
        `${plain(placeOf(item))}, ${time(item.atMs)}`,
        ...item.reasons.flatMap(({ what, todo }) => [`  ${what}`, `  To do: ${todo}`]),
        '',
      ]);
}

function placeOf(item: Attention['items'][number]): string {
  switch (item.type) {
    case 'dead_letter':
      return `dead letter ${item.letter.id} of ${item.letter.queue}`;
    case 'refund':
      return `${paymentText(item.refund)} ${item.refund.refundUniqueId}`;
    case 'payment':
      return paymentText(item.payment);
    case 'delivery':
      return paymentText(item.event);
  }
}

function paymentText({ environment, merchantId, uniqueId }: Record<PaymentPart, string>): string {
  return `${environment} ${merchantId} ${uniqueId}`;
}

type PaymentPart = 'environment' | 'merchantId' | 'uniqueId';

function sizeText({ d1SizeBytes, d1SizeBytesMax, d1IsNearlyFull }: Health): string {
  const percent = Math.floor((100 * d1SizeBytes) / d1SizeBytesMax);
  const size = `${(d1SizeBytes / 1e9).toFixed(2)} GB of ${d1SizeBytesMax / 1e9} GB (${percent} %)`;
  return d1IsNearlyFull ? `${size}, NEARLY FULL` : size;
}

function healthLines(health: Health): readonly string[] {
  return [
    ...facts([
      ['D1 response time', `${health.d1Ms} ms`],
      ['D1 size', sizeText(health)],
    ]),
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
      `${environment.environment}: undelivered events`,
      ...table(['STATE', 'EVENTS'], Object.entries(environment.eventsByStatus), 'None.'),
      ...(environment.oldestUndelivered === null
        ? []
        : [
            plain(
              `Oldest undelivered: ${environment.oldestUndelivered.merchantId} ${environment.oldestUndelivered.uniqueId}, ${time(environment.oldestUndelivered.createdAtMs)}`,
            ),
          ]),
      '',
      `${environment.environment}: payment outcomes`,
      ...table(
        ['METHOD', 'OUTCOME', 'REASON', 'SINCE YESTERDAY', 'LAST 7 DAYS'],
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

function memberLines(content: Members): readonly string[] {
  return [
    ...table(
      ['MEMBER', 'NAME', 'ROLE', 'PASSKEYS', 'JOINED'],
      content.members.map(({ id, name, role, passkeys, createdAtMs }) => [
        id,
        name,
        role,
        passkeys,
        time(createdAtMs),
      ]),
      'No member has joined yet.',
    ),
    '',
    ...table(
      ['LINK', 'FOR', 'ROLE', 'EXPIRES'],
      content.invitations.map(({ id, name, role, expiresAtMs }) => [
        id,
        name,
        role,
        time(expiresAtMs),
      ]),
      'No pending links.',
    ),
  ];
}

/** What operators read. */
export const READ_COMMANDS: readonly Command[] = [
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
    positionals: ['ENVIRONMENT', 'MERCHANT', 'PAYMENT'],
    options: {},
    examples: ['payment show production abebe order-1'],
    request: (given) => ({
      path: pathOf('/payments/:environment/:merchantId/:uniqueId', given),
    }),
    lines: paymentLines,
  },
  {
    name: 'merchant list',
    about: 'list merchants, newest first',
    positionals: [],
    options: { status: { value: 'active|suspended', about: 'only this status' } },
    examples: ['merchant list', 'merchant list --status suspended --all --json'],
    request: (given) => query('/merchants', { status: given.option('status') }),
    lines: ({ items }: { readonly items: readonly Merchant[] }) =>
      table(
        ['ID', 'NAME', 'STATUS', 'MEMBERS', 'CREATED'],
        items.map(({ id, name, status, members, createdAtMs }) => [
          id,
          name,
          status,
          members,
          time(createdAtMs),
        ]),
        'No merchants.',
      ),
    pages: 'nextCursor',
  },
  {
    name: 'merchant show',
    about: 'show a merchant with its methods, commissions and limits',
    positionals: ['MERCHANT'],
    options: {},
    examples: ['merchant show abebe'],
    request: (given) => ({ path: pathOf('/merchants/:merchantId', given) }),
    lines: merchantLines,
  },
  {
    name: 'member list',
    about: 'list members and pending links',
    positionals: ['MERCHANT'],
    options: {},
    examples: ['member list abebe'],
    request: (given) => ({ path: pathOf('/merchants/:merchantId/members', given) }),
    lines: memberLines,
  },
  {
    name: 'bank list',
    about: 'list the banks that splits can name',
    positionals: [],
    options: {},
    examples: ['bank list'],
    request: () => ({ path: '/banks' }),
    lines: bankLines,
  },
  {
    name: 'dead-letter list',
    about: 'list dead letters, oldest first',
    positionals: [],
    options: {
      queue: { value: 'QUEUE', about: `only this queue: ${MESSAGE_QUEUES.join(', ')}` },
      status: { value: LETTER_STATUSES.join('|'), about: 'only this status (default: waiting)' },
    },
    examples: ['dead-letter list --queue kefel-rail-starts'],
    request: (given) =>
      query('/dead-letters', { queue: given.option('queue'), status: given.option('status') }),
    lines: (content: { readonly items: readonly DeadLetter[] }) =>
      table(
        ['ID', 'QUEUE', 'KIND', 'STATUS', 'SINCE', 'GIVEN UP'],
        content.items.map(({ id, queue, kind, status, storedAtMs, timesGivenUp }) => [
          id,
          queue,
          kind,
          status,
          time(storedAtMs),
          `${timesGivenUp} ×`,
        ]),
        'No dead letters.',
      ),
    pages: 'nextCursor',
  },
  {
    name: 'dead-letter show',
    about: 'show a dead letter with its message',
    positionals: ['ID'],
    options: {},
    examples: ['dead-letter show 0123abcd'],
    request: (given) => ({ path: `/dead-letters/${given.segment('ID')}` }),
    lines: (letter: object) => [JSON.stringify(letter, null, 2)],
  },
  {
    name: 'rails',
    about: 'show which methods have a rail, and what is wrong with its secret',
    positionals: [],
    options: {},
    examples: ['rails'],
    request: () => ({ path: '/rails' }),
    lines: (rails: readonly RailState[]) =>
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
    about: 'show queues, undelivered events and payment outcomes',
    positionals: [],
    options: {},
    examples: ['health'],
    request: () => ({ path: '/health' }),
    lines: healthLines,
  },
];
