import { join } from 'node:path';
import { HttpClient } from '../../scripts/gateway/http.ts';
import { benchMerchant, buildKefel, startKefel } from '../harness/built-worker.ts';
import { inDirectory, MEMORY_DIRECTORY } from '../harness/directory.ts';
import { MerchantApi } from '../harness/merchant-api.ts';
import { runWorkers } from '../harness/workers.ts';
import { historyOf, OPERATIONS_PER_PAYMENT } from './clients.ts';
import { PAYMENT_MODEL } from './model.ts';
import type { Call, Operation } from './operations.ts';
import type { Target } from './perform.ts';
import { type Linearization, linearize } from './search.ts';

export interface LinearizeOptions {
  /** How many operations at least. */
  readonly operations: number;
  readonly seed: number;
}

export interface LinearizeResult {
  readonly operations: number;
  readonly payments: number;
  /** Operations without an answer. */
  readonly unanswered: number;
  /** Histories that the search gave up. */
  readonly undecided: number;
  readonly byType: ReadonlyMap<Operation['type'], number>;
  /** Histories that no order of the operations explains, as text. */
  readonly contradictions: readonly string[];
}

const CONTRADICTIONS_MAX = 5;
const PAYMENTS_AT_ONCE = 6;
const CONNECTIONS_MAX = 64;

/** Checks payments of a new server that runs the built Worker. */
export function linearizeBuilt(
  options: LinearizeOptions,
  report: (soFar: LinearizeResult) => void = () => undefined,
): Promise<LinearizeResult> {
  return inDirectory(async (directory) => {
    const builtDirectory = join(directory, 'built');
    await buildKefel(builtDirectory);
    const server = await startKefel(builtDirectory, join(directory, 'state'));
    const http = new HttpClient(CONNECTIONS_MAX);
    const merchant = { ...(await benchMerchant()), baseUrl: server.url };
    try {
      const target = { api: new MerchantApi(merchant, 'sandbox'), http };
      return await linearizePayments(target, options, report);
    } finally {
      http.close();
      await server.stop();
    }
  }, MEMORY_DIRECTORY);
}

/** Acts on one payment after the other and checks each history as soon as it is complete. */
async function linearizePayments(
  target: Target,
  { operations, seed }: LinearizeOptions,
  report: (soFar: LinearizeResult) => void,
): Promise<LinearizeResult> {
  const contradictions: string[] = [];
  const byType = new Map<Operation['type'], number>();
  const counts = { operations: 0, payments: 0, unanswered: 0, undecided: 0 };
  const payments = Math.ceil(operations / OPERATIONS_PER_PAYMENT);
  const isOver = (index: number) =>
    index >= payments || contradictions.length >= CONTRADICTIONS_MAX;
  await runWorkers(PAYMENTS_AT_ONCE, isOver, async (index) => {
    const history = await historyOf(target, seed, index);
    counts.payments += 1;
    counts.operations += history.length;
    for (const { operation, answer } of history) {
      byType.set(operation.type, (byType.get(operation.type) ?? 0) + 1);
      counts.unanswered += answer === null ? 1 : 0;
    }
    const result = linearize(PAYMENT_MODEL, history);
    counts.undecided += result.type === 'undecided' ? 1 : 0;
    if (result.type === 'contradiction') {
      contradictions.push(contradictionText(`payment ${index}`, history, result));
    }
    report({ ...counts, byType, contradictions });
  });
  return { ...counts, byType, contradictions };
}

/** The longest explained sequence, then the calls that nothing explains. */
export function contradictionText(
  name: string,
  history: readonly Call[],
  { order }: Extract<Linearization, { type: 'contradiction' }>,
): string {
  const line = (index: number) => {
    const { client, invokedAt, answeredAt, operation, answer } = history[index] as Call;
    const when = `${invokedAt}–${answeredAt}`.padStart(9);
    return `  ${when}  client ${client}  ${JSON.stringify(operation)} → ${JSON.stringify(answer)}`;
  };
  const rest = [...history.keys()].filter((index) => !order.includes(index));
  return [
    `${name}: no order of the operations explains the answers. Explained, in this order:`,
    ...order.map(line),
    'Not explained:',
    ...rest.map(line),
  ].join('\n');
}
