import type { RepositoryCopy } from './repository-copy.ts';
import type { Verdict } from './verdict.ts';

/** A quick test file, whose content the cases replace. */
const FILE = 'test/unit/money.test.ts';
const RUN_MS_MAX = 60_000;

/** Test files, and how a run of each must be judged. */
const CASES: readonly (readonly [source: string, expected: Verdict['type']])[] = [
  ["test('passes', () => expect(1).toBe(1));", 'missed'],
  ["test('asserts', () => expect(1).toBe(2));", 'caught'],
  ["test('throws', () => { throw new Error('no assertion'); });", 'invalid'],
  ["test('throws', () => { throw 1; });\ntest('asserts', () => expect(1).toBe(2));", 'caught'],
  ["test('waits', () => new Promise(() => {}), 100);", 'invalid'],
  ["test('hangs', () => { for (;;); });", 'invalid'],
  ["test('does not parse', () => {", 'invalid'],
  ["import './missing.ts';\ntest('does not load', () => expect(1).toBe(2));", 'invalid'],
  ['expect(1).toBe(2);', 'invalid'],
  ['', 'invalid'],
];

/** Throws unless runs that assert nothing are told from those that catch a bug. */
export async function checkVerdicts(copy: RepositoryCopy): Promise<void> {
  for (const [source, expected] of CASES) {
    const content = `import { expect, test } from 'vitest';\n${source}\n`;
    const verdict = await copy.changed(new Map([[FILE, content]]), () =>
      copy.judge(['unit'], [FILE], RUN_MS_MAX),
    );
    if (verdict.type !== expected) {
      throw new Error(`judged ${JSON.stringify(verdict)} instead of ${expected}: ${source}`);
    }
  }
}
