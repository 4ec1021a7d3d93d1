/** The load, in a process of its own: `load.ts` starts it and tells it what to do. */

import { benchMerchant } from '../harness/built-worker.ts';
import { FloorWork } from './floor-work.ts';
import { KefelWork } from './kefel-work.ts';
import type { LoadAnswer, LoadCommand, Side } from './load.ts';
import { PeerWork } from './peer-work.ts';
import { Receiver } from './receiver.ts';
import { runSlice, type Work } from './work.ts';

const receiver = await Receiver.listen();
const merchant = await benchMerchant();
/** What was prepared last. */
const works = new Map<Side, Work>();

async function perform(command: LoadCommand): Promise<LoadAnswer> {
  if (command.type === 'prepare') {
    const { side, url, name, units } = command;
    const prepared = await makerOf(side, url).prepare(name, units);
    works.set(side, prepared);
    return { type: 'prepared', unitsPerSend: prepared.unitsPerSend };
  }
  const work = works.get(command.side);
  if (work === undefined) {
    throw new Error('no case was prepared');
  }
  return { type: 'done', result: await runSlice(work, receiver, command.budget) };
}

function makerOf(side: Side, url: string) {
  switch (side) {
    case 'kefel':
    case 'new':
      return new KefelWork(url, merchant, receiver);
    case 'floor':
      return new FloorWork(url, receiver);
    case 'peer':
      return new PeerWork(url, merchant, receiver);
  }
}

process.on('message', (command: LoadCommand) => {
  perform(command).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.send?.({ type: 'failed', error: text } satisfies LoadAnswer);
    },
  );
});
process.once('disconnect', () => process.exit());
if (!process.connected) {
  // The script needed no load, and disconnected while this process started.
  process.exit();
}
