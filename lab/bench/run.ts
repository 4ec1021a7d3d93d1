import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { startKefel } from '../harness/built-worker.ts';
import { inDirectory, MEMORY_DIRECTORY } from '../harness/directory.ts';
import type { LoadedServer } from '../harness/worker-server.ts';
import { CASES, type CaseName } from './cases.ts';
import { measureFresh } from './fresh.ts';
import { fillServer } from './growth.ts';
import { Load, type Side } from './load.ts';
import { type Effort, type Measurement, measureCase } from './measure.ts';
import { measurementTable } from './table.ts';

export type Medium = 'tmpfs' | 'disk';

/** The disk is the one that holds the project. */
export const DIRECTORIES: Readonly<Record<Medium, string>> = {
  tmpfs: MEMORY_DIRECTORY,
  disk: join(PROJECT_DIRECTORY, '.wrangler'),
};

/** What Kefel is compared with. */
export interface Baseline {
  /** For the table's columns. */
  readonly name: string;
  readonly about: string;
  readonly side: Side;
  readonly cases: readonly CaseName[];
  start(stateDirectory: string): Promise<LoadedServer>;
}

export interface RunOptions {
  readonly builtDirectory: string;
  readonly medium: Medium;
  readonly names: readonly CaseName[];
  readonly effort: Effort;
  /** How many payments Kefel has before the first case. */
  readonly payments: number;
}

/** Measures all cases that both have, on new servers with new databases. */
export async function runCases(
  baseline: Baseline,
  { builtDirectory, medium, names, effort, payments }: RunOptions,
): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  const add = (measurement: Measurement) => {
    measured.push(measurement);
    const [, , row] = measurementTable(baseline.name, [measurement], null).split('\n');
    console.error(row);
  };
  const chosen = names.filter(
    (name) => baseline.cases.includes(name) && (medium === 'tmpfs' || CASES[name].writes),
  );
  await inDirectory(async (directory) => {
    // PostgreSQL's user passes through it.
    await chmod(directory, 0o711);
    const stateDirectory = join(directory, 'kefel');
    await using kefel = stopping(await startKefel(builtDirectory, stateDirectory));
    await using other = stopping(await baseline.start(join(directory, 'baseline')));
    using load = new Load();
    if (payments > 0) {
      console.error(await fillServer(kefel.server, load, payments, stateDirectory));
    }
    const contenders = {
      kefel: { side: 'kefel', server: kefel.server },
      baseline: { side: baseline.side, server: other.server },
    } as const;
    for (const name of chosen) {
      if (CASES[name].kind === 'start') {
        add(await measureFresh(name, builtDirectory, directory, effort.rounds));
        continue;
      }
      for await (const measurement of measureCase(contenders, load, name, effort)) {
        add(measurement);
      }
    }
  }, DIRECTORIES[medium]);
  return measured;
}

function stopping<Server extends LoadedServer>(server: Server) {
  return { server, [Symbol.asyncDispose]: () => server.stop() };
}
