import { readFile } from 'node:fs/promises';
import { RepositoryCopy } from '../mutants/repository-copy.ts';

/** The tests in workerd that cover a room, by the beginnings of their files' names. */
const WORKERS_TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/attempts': ['rails-', 'simulator', 'operator-dead-letters'],
  'src/intent': [
    'alarm',
    'api-',
    'commit',
    'cost',
    'create',
    'dashboard-payment',
    'dashboard-webhook',
    'delivery',
    'endpoints',
    'eviction',
    'idempotency',
    'manual-resolution',
    'operator-payments',
    'outages',
    'rails-',
    'read-model',
    'refund-requests',
    'remaining-time',
    'simulator',
    'webhook-',
  ],
  'src/webhooks': [
    'api-refunds',
    'api-webhook-endpoints',
    'client',
    'dashboard-webhook',
    'delivery',
    'endpoints',
    'refund-requests',
    'webhook-',
  ],
};

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A part of Stryker's report (https://github.com/stryker-mutator/mutation-testing-elements). */
interface Report {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>
  >;
}

interface ReportedMutant {
  readonly status: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Survivor {
  readonly file: string;
  readonly line: number;
  /** The whole file with the change. */
  readonly content: string;
  /** For people. */
  readonly change: string;
}

/**
 * Plants changes of the report that no test in Node noticed, and runs the room's tests in workerd on
 * each. `sampleSize` of them, evenly spread. Prints the result of each. The domain is pure: it has
 * no tests in workerd.
 */
export async function trySurvivors(reportPath: string, sampleSize: number): Promise<void> {
  const report: Report = JSON.parse(await readFile(reportPath, 'utf8'));
  const survivors = survivorsOf(report);
  const sample = evenlySpread(survivors, sampleSize);
  const copy = await RepositoryCopy.create();
  let caught = 0;
  try {
    const sound = await copy.judge(['workers'], [...new Set(sample.flatMap(testsOf))]);
    if (sound.type !== 'missed') {
      throw new Error(`without any change: ${JSON.stringify(sound)}`);
    }
    for (const survivor of sample) {
      const { file, line, content, change } = survivor;
      if ((await copy.read(file)) !== report.files[file]?.source) {
        throw new Error(`${file} is not as in the report: measure the score again`);
      }
      const verdict = await copy.changed(new Map([[file, content]]), () =>
        copy.judge(['workers'], testsOf(survivor)),
      );
      caught += verdict.type === 'caught' ? 1 : 0;
      console.log(`${file}:${line}: ${change}\n  ${JSON.stringify(verdict)}`);
    }
  } finally {
    await copy.remove();
  }
  console.log(
    `${survivors.length} changes survived in Node. Of ${sample.length} of them, tests in workerd caught ${caught}.`,
  );
}

function survivorsOf({ files }: Report): readonly Survivor[] {
  const inWorkerd = Object.entries(files).filter(([file]) => workersTests(file).length > 0);
  return inWorkerd.flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map((mutant) => survivorOf(file, source, mutant)),
  );
}

function survivorOf(file: string, source: string, mutant: ReportedMutant): Survivor {
  const { start, end } = mutant.location;
  const from = offsetOf(source, start);
  const to = offsetOf(source, end);
  const [before, after] = [source.slice(from, to), mutant.replacement].map(onOneLine);
  return {
    file,
    line: start.line,
    content: source.slice(0, from) + mutant.replacement + source.slice(to),
    change: `${before} -> ${after}`,
  };
}

/** Lines and columns count from 1. */
function offsetOf(source: string, { line, column }: Position): number {
  const before = source.split('\n').slice(0, line - 1);
  return before.reduce((length, text) => length + text.length + 1, 0) + column - 1;
}

function onOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function evenlySpread<Item>(items: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

const testsOf = ({ file }: Survivor) => workersTests(file);

function workersTests(file: string): readonly string[] {
  const [, names] = Object.entries(WORKERS_TESTS).find(([room]) => file.startsWith(room)) ?? [];
  return (names ?? []).map((name) => `test/workers/${name}`);
}
