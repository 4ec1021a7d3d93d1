import { CASES, type CaseName } from './cases.ts';
import type { Measurement } from './measure.ts';
import { type Spread, type Summary, summaryOf } from './statistics.ts';

/**
 * A Markdown table of measurements. With those of a second run it says whether each CPU ratio came
 * out within the first run's spread.
 */
export function measurementTable(
  baselineName: string,
  measured: readonly Measurement[],
  again: readonly Measurement[] | null,
): string {
  const head = [
    ...['case', 'clients', 'per second', baselineName, 'ratio'],
    ...['CPU ms', baselineName, 'ratio', 'p50 ms', 'p95 ms'],
    ...(again === null ? [] : ['second run']),
  ];
  const rows = measured.map((measurement) => {
    const { name, clients, rounds } = measurement;
    const summary = summaryOf(rounds);
    const { kefel, baseline, rateRatio, cpuRatio } = summary;
    return [
      `${CASES[name].about}`,
      String(clients),
      ...[kefel.ratePerSecond.toFixed(0), baseline.ratePerSecond.toFixed(0), spreadText(rateRatio)],
      ...[kefel.cpuMsPerUnit.toFixed(2), baseline.cpuMsPerUnit.toFixed(2), spreadText(cpuRatio)],
      ...[msText(kefel.p50Ms), msText(kefel.p95Ms)],
      ...(again === null ? [] : [repeatText(cpuRatio, sameCase(again, name, clients))]),
    ];
  });
  const alignments = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, alignments, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Of all CPU ratios of the second run, how many lie within the first run's spread. */
export function repeatCount(
  measured: readonly Measurement[],
  again: readonly Measurement[],
): { readonly within: number; readonly all: number } {
  const repeated = measured.flatMap(({ name, clients, rounds }) => {
    const second = sameCase(again, name, clients);
    return second === null ? [] : [isWithin(summaryOf(rounds).cpuRatio, second.cpuRatio.median)];
  });
  return { within: repeated.filter(Boolean).length, all: repeated.length };
}

/** The document with another text under the heading, up to the next one of its level or above. */
export function withSection(document: string, heading: string, text: string): string {
  const start = document.indexOf(`${heading}\n`);
  if (start === -1) {
    throw new Error(`no heading "${heading}"`);
  }
  const level = heading.indexOf(' ');
  const rest = document.slice(start + heading.length);
  const next = rest.search(new RegExp(`\n#{1,${level}} `));
  const kept = next === -1 ? '' : rest.slice(next);
  return `${document.slice(0, start)}${heading}\n\n${text}\n${kept}`;
}

function sameCase(
  measured: readonly Measurement[],
  name: CaseName,
  clients: number,
): Summary | null {
  const found = measured.find((other) => other.name === name && other.clients === clients);
  return found === undefined ? null : summaryOf(found.rounds);
}

function repeatText(first: Spread, second: Summary | null): string {
  if (second === null) {
    return '';
  }
  const ratio = second.cpuRatio.median;
  return isWithin(first, ratio) ? ratio.toFixed(2) : `${ratio.toFixed(2)}, outside`;
}

function isWithin({ min, max }: Spread, value: number): boolean {
  return value >= min && value <= max;
}

function spreadText({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

function msText(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(1);
}
