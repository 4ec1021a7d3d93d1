import { MESSAGE_QUEUES } from '../../src/dead-letters/queues.ts';
import { LETTER_STATUSES } from '../../src/dead-letters/store.ts';
import type { Command } from './command.ts';
import { query } from './query.ts';
import { table, time } from './text.ts';

interface Outcomes {
  readonly outcomes: Readonly<Record<string, string>>;
}

const outcomeLines = ({ outcomes }: Outcomes) =>
  table(['DEAD LETTER', 'OUTCOME'], Object.entries(outcomes), 'No dead letters changed.');

export const DEAD_LETTER_COMMANDS: readonly Command[] = [
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
    lines: (content: {
      readonly items: readonly {
        readonly id: string;
        readonly queue: string;
        readonly kind: string;
        readonly status: string;
        readonly storedAtMs: number;
        readonly timesGivenUp: number;
      }[];
    }) =>
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
    name: 'dead-letter retry',
    about: 'send dead letters back to their queues; retrying twice is safe',
    positionals: ['ID…'],
    options: {},
    examples: ['dead-letter retry 0123abcd 4567ef01'],
    request: (given) => ({ path: '/dead-letters/retry', body: { ids: given.rest('ID') } }),
    lines: outcomeLines,
  },
  {
    name: 'dead-letter discard',
    about: 'discard dead letters for good',
    positionals: ['ID…'],
    options: { reason: { value: 'TEXT', about: 'reason, for the audit log', isRequired: true } },
    examples: ['dead-letter discard 0123abcd --reason "The payment shows it already"'],
    request: (given) => ({
      path: '/dead-letters/discard',
      body: { ids: given.rest('ID'), reason: given.option('reason') },
    }),
    lines: outcomeLines,
  },
];
