import { readFile, writeFile } from 'node:fs/promises';
import { SourceMap, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { startKefel } from '../harness/built-worker.ts';
import { untilQuiet } from '../harness/cpu.ts';
import type { BenchServer } from '../harness/worker-server.ts';
import { CASES, type CaseName } from './cases.ts';
import { type CpuProfile, type ProfileNode, Profiler } from './inspector.ts';
import { Load } from './load.ts';
import { CONSUMERS_SILENCE_MS } from './measure.ts';
import { type Place, type Times, timesOf } from './profile-times.ts';
import type { Budget } from './work.ts';

const CLIENTS = 8;
const WARM_UP_MS = 3_000;
const PROFILED_MS = 5_000;
const ROWS = 30;
const ISOLATE = 'core:user:kefel';

interface Profiled {
  readonly profile: CpuProfile;
  readonly units: number;
  readonly cpuMs: number;
}

/**
 * Prints where a case's processor time goes, by function of the sources, and writes a profile that
 * DevTools opens. `builtDirectory` needs the Worker with readable names.
 */
export async function profileCase(
  name: CaseName,
  builtDirectory: string,
  stateDirectory: string,
): Promise<void> {
  const placeOf = await placesIn(builtDirectory);
  const server = await startKefel(builtDirectory, stateDirectory, true);
  using load = new Load();
  try {
    const { profile, units, cpuMs } = await profileLoad(name, server, load);
    const file = join(PROJECT_DIRECTORY, '.wrangler', `${name}.cpuprofile`);
    await writeFile(file, JSON.stringify(profile));
    const times = timesOf(profile, placeOf);
    const perUnit = (ms: number) => `${((ms / units) * 1_000).toFixed(0)} µs`;
    console.log(`\n${CASES[name].about}: ${units} times, each with the profiler's own cost`);
    console.log(`  ${perUnit(cpuMs)} of workerd, with its queues, D1, HTTP and SQLite`);
    console.log(`  ${perUnit(times.busyMs)} of Kefel's isolate, with what its calls did natively`);
    printTimes('by file', times.byFile, perUnit);
    printTimes('by function, without what it called', times.selfByFunction, perUnit);
    printTimes('by function, with what it called before an await', times.totalByFunction, perUnit);
    console.log(`\nFor DevTools: ${file}`);
  } finally {
    await server.stop();
  }
}

async function profileLoad(name: CaseName, server: BenchServer, load: Load): Promise<Profiled> {
  const { inspectorUrl, url } = server;
  if (inspectorUrl === null) {
    throw new Error('workerd has no inspector');
  }
  const { kind, units: prepared = { full: 0, quick: 0 } } = CASES[name];
  let budget: Budget = { clients: CLIENTS, stop: { afterMs: PROFILED_MS } };
  if (kind === 'requests') {
    await load.prepare('kefel', url, name, 0);
    await load.run('kefel', { clients: CLIENTS, stop: { afterMs: WARM_UP_MS } });
  } else {
    const unitsPerSend = await load.prepare('kefel', url, name, prepared.full);
    const afterSends = unitsPerSend === 0 ? 0 : prepared.full / unitsPerSend;
    budget = { clients: CLIENTS, stop: { afterSends } };
  }
  await untilQuiet(server, CONSUMERS_SILENCE_MS);
  const profiler = await Profiler.of(inspectorUrl, ISOLATE);
  await profiler.start();
  const before = await server.cpuTimeMs();
  const { units } = await load.run('kefel', budget);
  // The sampler itself never rests.
  await wait(2 * CONSUMERS_SILENCE_MS);
  return { cpuMs: (await server.cpuTimeMs()) - before, profile: await profiler.stop(), units };
}

function printTimes(heading: string, times: Times, perUnit: (ms: number) => string): void {
  console.log(`\n${heading}:`);
  for (const [name, ms] of times.slice(0, ROWS)) {
    console.log(`${perUnit(ms).padStart(10)}  ${name}`);
  }
}

/** Reads the source map of the built Worker. */
async function placesIn(builtDirectory: string): Promise<(node: ProfileNode) => Place> {
  const text = await readFile(join(builtDirectory, 'index.js.map'), 'utf8');
  const map = new SourceMap(JSON.parse(text));
  return ({ callFrame: { functionName, url, lineNumber, columnNumber } }) => {
    const name = functionName === '' ? '(anonymous)' : functionName;
    const entry = url.endsWith('index.js') ? map.findEntry(lineNumber, columnNumber) : null;
    if (entry === null || !('originalSource' in entry)) {
      return { file: url === '' ? '(native)' : url, name };
    }
    const { originalSource, originalLine } = entry as SourceMapping;
    const [, inPackage] = originalSource.match(/node_modules\/(.*)/) ?? [];
    const path = inPackage ?? originalSource.replace(/^.*?\bsrc\//, 'src/');
    const file = inPackage?.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? path;
    return { file, name: `${name}  ${path}:${originalLine + 1}` };
  };
}
