import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Goal: no rule of the law is without a test that names it. Method: the test sources, comments
 * left out, must say "decision N" for every row of decisions.md and the words below for every
 * heading and error condition of spec.md. What such a test proves is for its reader to judge.
 */

const TEST_DIRECTORY = dirname(import.meta.dirname);
const DECISIONS_MAX = 32;

/** Our own words for what spec.md demands. */
const SPEC_RULES = [
  ...numbered('spec Errors', 8),
  ...numbered('spec Express rules', 3),
  ...['spec Limits', 'spec Endpoints', 'spec Authentication', 'spec Events'],
];

it.each([...numbered('decision', DECISIONS_MAX), ...SPEC_RULES])(
  '%s is named by a test',
  (rule) => {
    const naming = testSources().filter(({ text }) => new RegExp(`\\b${rule}\\b`).test(text));
    expect(naming.map(({ name }) => name)).not.toEqual([]);
  },
);

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);
}

let sources: readonly { readonly name: string; readonly text: string }[] | undefined;

function testSources(): NonNullable<typeof sources> {
  sources ??= readdirSync(TEST_DIRECTORY, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.test.ts') && basename(name) !== basename(import.meta.filename),
    )
    .map((name) => ({
      name,
      text: withoutComments(readFileSync(join(TEST_DIRECTORY, name), 'utf8')),
    }));
  return sources;
}

/** Good enough for formatted sources: a comment begins its line or follows a space. */
function withoutComments(source: string): string {
  return source.replaceAll(/(?:^|\s)(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/g, ' ');
}
