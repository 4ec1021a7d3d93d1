import { expect } from 'vitest';

/** What the running test has logged as a warning or an error, and which events it expects. */
const lines: string[] = [];
const expected = new Set<string>();

export function recordLine(values: readonly unknown[]): void {
  lines.push(values.map(String).join(' '));
}

/** What providers answered, which most tests of adapters log: test/rails/rail-log.test.ts. */
const ROUTINE = ['rail_answer', 'rail_misconfigured'];

/** The running test logs this event, once or more often. */
export function expectLog(event: string): void {
  expected.add(event);
}

export function forgetLines(): void {
  lines.length = 0;
  expected.clear();
}

/** Fails the test for a line that it does not expect, and for an event that was not logged. */
export function checkLines(): void {
  const found = new Set(lines.map((line) => /^\{"event":"(\w+)"/.exec(line)?.[1] ?? line));
  const unexpected = [...found].filter((event) => ![...expected, ...ROUTINE].includes(event));
  const example = lines.find((line) => line.includes(unexpected[0] ?? ''));
  expect(unexpected, `logged, but not expected: ${example}`).toEqual([]);
  expect(
    [...expected].filter((event) => !found.has(event)),
    'expected in the log',
  ).toEqual([]);
}
