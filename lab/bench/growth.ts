import { setTimeout as wait } from 'node:timers/promises';
import { untilQuiet } from '../harness/cpu.ts';
import { CASES, type CaseName } from './cases.ts';
import { CONSUMERS_SILENCE_MS, type Contender, OBJECT_IDLE_MS } from './measure.ts';
import type { Receiver } from './receiver.ts';
import { runSlice } from './work.ts';

/** The cases that could cost more when many payments exist. */
export const GROWTH_CASES: readonly CaseName[] = [
  ...(['create', 'status', 'list', 'page', '404-id', '409'] as const),
  ...(['express', 'paid', 'webhooks', 'projection'] as const),
];

const FILLING_CLIENTS = 32;
/** Then workerd must close the objects' files: it has some 20,000 file descriptors. */
const FILLED_AT_ONCE = 4_000;

/** Creates payments by the API. Returns a line that says when D1 had them all. */
export async function fillServer(
  { server, prepare }: Contender,
  receiver: Receiver,
  payments: number,
): Promise<string> {
  const work = await prepare(CASES.create, 0);
  for (let left = payments; left > 0; left -= FILLED_AT_ONCE) {
    const afterSends = Math.min(left, FILLED_AT_ONCE);
    await runSlice(work, receiver, { clients: FILLING_CLIENTS, stop: { afterSends } });
    if (left > FILLED_AT_ONCE) {
      await wait(OBJECT_IDLE_MS);
    }
  }
  const answeredAtMs = Date.now();
  const { sinceMs } = await untilQuiet(server, CONSUMERS_SILENCE_MS);
  const rows = await server.projectedRows();
  if (rows !== payments) {
    throw new Error(`${payments} payments, but ${rows} rows in D1`);
  }
  const seconds = ((sinceMs - answeredAtMs) / 1_000).toFixed(1);
  return `${payments} payments: all were in D1 ${seconds} s after the last was answered`;
}
