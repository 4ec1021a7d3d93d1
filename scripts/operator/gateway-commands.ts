import type { ProbeResult } from '../../src/rails/rail.ts';
import { probeLines } from '../check-rail/probe-text.ts';
import type { Command } from './command.ts';
import type { Named } from './payment-commands.ts';
import { facts, plain, table, time } from './text.ts';

interface Health {
  readonly d1Ms: number;
  readonly d1SizeBytes: number;
  readonly d1SizeBytesMax: number;
  readonly d1IsNearlyFull: boolean;
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

export const GATEWAY_COMMANDS: readonly Command[] = [
  {
    name: 'rails',
    about: 'show which methods have a rail, and what is wrong with its secret',
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
    name: 'rail probe',
    about: 'try a rail’s credentials at the provider; moves no money and prompts no phone',
    positionals: ['ENVIRONMENT', 'METHOD'],
    options: {},
    examples: ['rail probe production M_PESA'],
    request: (given) => ({
      path: `/rails/${given.segment('ENVIRONMENT')}/${given.segment('METHOD')}/probe`,
      body: {},
    }),
    lines: (result: ProbeResult) => probeLines(result),
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
  {
    name: 'read-model republish',
    about: 'make payments send their data to the read model again',
    positionals: [],
    options: {
      after: { value: 'UUID', about: 'start after this payment' },
      object: { value: 'ID', about: 'only this object; can be repeated', isRepeatable: true },
    },
    examples: ['read-model republish --all', 'read-model republish --object 0123…'],
    request: (given) => {
      const after = given.option('after');
      return {
        path: '/read-model/republish',
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
      ...(result.nextUuid === null ? [] : [`More payments remain: --after ${result.nextUuid}`]),
    ],
    pages: 'nextUuid',
  },
];
