import { setTimeout as wait } from 'node:timers/promises';
import type { Gateway } from '../../scripts/gateway/gateway.ts';
import type { Random } from '../harness/random.ts';

/** Runs an operator's command while the gateway is killed at random moments, then to its end. */

/** A step of a backup or of a restore takes some tens of milliseconds. */
const DELAY_MS_MAX = 400;
const TRIES_MAX = 50;

export interface Kills {
  readonly gateway: Gateway;
  readonly kills: number;
  readonly random: Random;
  readonly say: (text: string) => void;
}

/** Runs `command` again after each kill, as an operator would. Returns what it yields last. */
export async function underKills<Yielded>(
  { gateway, kills, random, say }: Kills,
  what: string,
  command: () => AsyncGenerator<Yielded>,
): Promise<Yielded> {
  for (let kill = 1; kill <= kills; kill += 1) {
    const delayMs = random.between(1, DELAY_MS_MAX);
    const working = lastOf(command()).then(
      () => 'after its end',
      () => 'in the middle',
    );
    await wait(delayMs);
    await gateway.kill();
    // The command waits for the gateway to come back, as long as it is not killed itself.
    await gateway.restart();
    say(`kill ${kill} of ${kills} during ${what}, ${delayMs} ms after its start`);
    await Promise.race([working, wait(DELAY_MS_MAX)]);
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await lastOf(command());
    } catch (error) {
      if (tries >= TRIES_MAX) {
        throw error;
      }
      await wait(DELAY_MS_MAX);
    }
  }
}

export async function lastOf<Yielded>(yielded: AsyncGenerator<Yielded>): Promise<Yielded> {
  let last: Yielded | null = null;
  for await (const one of yielded) {
    last = one;
  }
  if (last === null) {
    throw new Error('the command printed nothing');
  }
  return last;
}
