import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../harness/random.ts';

export interface Killable {
  start(): void;
  untilReady(): Promise<void>;
  kill(): Promise<void>;
}

const SERVING_MS_MIN = 200;
const SERVING_MS_MAX = 3_500;
const STARTING_MS_MAX = 4_000;
const KILLED_WHILE_STARTING_PROBABILITY = 0.1;

/** Starts and kills the gateway `kills` times at random moments, then starts it a last time. */
export async function killRepeatedly(
  gateway: Killable,
  kills: number,
  random: Random,
  report: (text: string) => void,
): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    const isStarting = kill > 1 && random.chance(KILLED_WHILE_STARTING_PROBABILITY);
    const delayMs = isStarting
      ? random.between(0, STARTING_MS_MAX)
      : random.between(SERVING_MS_MIN, SERVING_MS_MAX);
    gateway.start();
    if (!isStarting) {
      await gateway.untilReady();
    }
    await wait(delayMs);
    await gateway.kill();
    report(`kill ${kill} of ${kills}: ${delayMs} ms after ${isStarting ? 'start' : 'ready'}`);
  }
  gateway.start();
  await gateway.untilReady();
}
