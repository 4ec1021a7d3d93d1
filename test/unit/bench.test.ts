import { describe, expect, test } from 'vitest';
import type { CpuProfile } from '../../lab/bench/inspector.ts';
import type { Measurement } from '../../lab/bench/measure.ts';
import { BENCH, chosenBy } from '../../lab/bench/options.ts';
import { timesOf } from '../../lab/bench/profile-times.ts';
import { type Round, summaryOf } from '../../lab/bench/statistics.ts';
import { measurementTable, repeatCount, withSection } from '../../lab/bench/table.ts';
import { readOptions } from '../../scripts/project/options.ts';

/** Goal: the figures of docs/benchmarks.md follow from the measurements as the page says. */

/** A round in which Kefel takes this many times the processor time of its baseline, at half the rate. */
function round(cpuRatio: number): Round {
  return {
    kefel: { ratePerSecond: 100, cpuMsPerUnit: cpuRatio * 0.5, p50Ms: 2, p95Ms: 4 },
    baseline: { ratePerSecond: 200, cpuMsPerUnit: 0.5, p50Ms: 1, p95Ms: 2 },
  };
}

function measured(...cpuRatios: number[]): Measurement {
  return { name: 'create', clients: 8, rounds: cpuRatios.map(round) };
}

describe('summary', () => {
  test('takes the median of the rounds and the spread of their ratios', () => {
    const { kefel, rateRatio, cpuRatio } = summaryOf([1.5, 3, 1.4].map(round));
    expect(kefel.cpuMsPerUnit).toBe(0.75);
    expect(rateRatio).toEqual({ median: 0.5, min: 0.5, max: 0.5 });
    expect(cpuRatio).toEqual({ median: 1.5, min: 1.4, max: 3 });
  });

  test('divides the two servers of one round, not their medians', () => {
    const slow = { ratePerSecond: 10, cpuMsPerUnit: 4, p50Ms: 1, p95Ms: 1 };
    const fast = { ratePerSecond: 40, cpuMsPerUnit: 1, p50Ms: 1, p95Ms: 1 };
    const { cpuRatio } = summaryOf([
      { kefel: slow, baseline: slow },
      { kefel: fast, baseline: fast },
      { kefel: slow, baseline: slow },
    ]);
    expect(cpuRatio).toEqual({ median: 1, min: 1, max: 1 });
  });
});

describe('table', () => {
  test('has a row for each case and number of clients', () => {
    expect(measurementTable('floor', [measured(1.5, 1.4, 1.6)], null).split('\n')).toEqual([
      '| case | clients | per second | floor | ratio | CPU ms | floor | ratio | p50 ms | p95 ms |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      '| hosted create | 8 | 100 | 200 | 0.50 (0.50–0.50) | 0.75 | 0.50 | 1.50 (1.40–1.60) | 2.0 | 4.0 |',
    ]);
  });

  test('leaves out latencies where a unit has no request', () => {
    const due = { ...round(1).kefel, p50Ms: Number.NaN, p95Ms: Number.NaN };
    const rounds = [{ kefel: due, baseline: due }];
    const [, , row] = measurementTable(
      'floor',
      [{ name: 'expiry', clients: 1, rounds }],
      null,
    ).split('\n');
    expect(row).toMatch(/\| {2}\| {2}\|$/);
  });

  test.each([
    { second: 1.55, cell: '1.55' },
    { second: 1.7, cell: '1.70, outside' },
    { second: 1.3, cell: '1.30, outside' },
  ])('says whether a second run of $second lies within the spread', ({ second, cell }) => {
    const first = [measured(1.5, 1.4, 1.6)];
    const again = [measured(second)];
    const [, , row] = measurementTable('floor', first, again).split('\n');
    expect(row).toMatch(new RegExp(`\\| ${cell} \\|$`));
    expect(repeatCount(first, again)).toEqual({ within: cell.includes(',') ? 0 : 1, all: 1 });
  });
});

describe('document', () => {
  const document = '# Title\n\n## One\n\nold\n\n### Part\n\nold\n\n## Two\n\nkept\n';

  test('gets a new text under a heading, up to the next of its level', () => {
    expect(withSection(document, '## One', 'new')).toBe(
      '# Title\n\n## One\n\nnew\n\n## Two\n\nkept\n',
    );
  });

  test('gets a new text under a heading that one above it follows', () => {
    expect(withSection(document, '### Part', 'new')).toMatch(
      /### Part\n\nnew\n\n## Two\n\nkept\n$/,
    );
  });

  test('gets a new text under its last heading', () => {
    expect(withSection(document, '## Two', 'new')).toMatch(/## Two\n\nnew\n$/);
  });

  test('without the heading is not written', () => {
    expect(() => withSection(document, '## Three', 'new')).toThrow('no heading "## Three"');
  });
});

describe('options', () => {
  function chosen(args: readonly string[]) {
    const values = readOptions(BENCH.options, args);
    return values && chosenBy(values);
  }

  test('without any measure everything for the document', () => {
    expect(chosen([])).toMatchObject({ isForDocument: true, media: ['tmpfs', 'disk'] });
  });

  test('of a part never write the document', () => {
    expect(chosen(['--only', 'create'])).toMatchObject({ isForDocument: false });
  });

  test('with peers alone write the document too', () => {
    expect(chosen(['--peers'])).toMatchObject({ baseline: 'peers', isForDocument: true });
    expect(chosen(['--peers', '--quick'])).toMatchObject({ isForDocument: false });
  });

  test('with growth compare with Kefel without payments, and never write the document', () => {
    expect(chosen(['--growth', '10000'])).toMatchObject({
      baseline: 'new',
      payments: 10_000,
      isForDocument: false,
    });
    expect(chosen([])).toMatchObject({ baseline: 'floor', payments: 0 });
  });

  test('refuse growth together with peers', () => {
    expect(() => chosen(['--growth', '10000', '--peers'])).toThrow('--growth compares');
  });

  test('keep a list of cases', () => {
    expect(chosen(['--quick', '--only', 'create,401', '--clients', '2,4'])).toMatchObject({
      names: ['create', '401'],
      media: ['tmpfs'],
      effort: { clients: [2, 4], isQuick: true },
    });
  });

  test.each([
    ['--only', 'pay'],
    ['--profile', 'pay'],
    ['--on', 'tape'],
    ['--clients', '0'],
    ['--rounds', 'x'],
  ])('reject %s %s', (option, value) => {
    expect(() => chosen([option, value])).toThrow(`${option} takes`);
  });
});

describe('profile', () => {
  const frame = (functionName: string) => ({
    functionName,
    url: '',
    lineNumber: 0,
    columnNumber: 0,
  });
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 5] },
      { id: 2, callFrame: frame('outer'), children: [3] },
      { id: 3, callFrame: frame('inner'), children: [4] },
      { id: 4, callFrame: frame('outer') },
      { id: 5, callFrame: frame('(idle)') },
    ],
    samples: [2, 3, 4, 5, 3],
    // Before the last sample, another isolate ran for 90 ms.
    timeDeltas: [200, 200, 200, 5_000, 90_000],
  };

  test('counts a recursive function once, and neither idling nor other isolates', () => {
    const times = timesOf(profile, ({ callFrame: { functionName } }) => ({
      file: `${functionName}.ts`,
      name: functionName,
    }));
    const rounded = (entries: typeof times.byFile) =>
      Object.fromEntries(entries.map(([name, ms]) => [name, Number(ms.toFixed(3))]));
    expect(times.busyMs).toBeCloseTo(1.1);
    expect(rounded(times.byFile)).toEqual({ 'inner.ts': 0.7, 'outer.ts': 0.4 });
    expect(rounded(times.selfByFunction)).toEqual({ inner: 0.7, outer: 0.4 });
    expect(rounded(times.totalByFunction)).toEqual({ outer: 1.1, inner: 0.9 });
  });
});
