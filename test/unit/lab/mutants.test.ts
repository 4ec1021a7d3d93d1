import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../../lab/mutants/planted.ts';
import { otherTests } from '../../../lab/mutants/suites.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/**
 * Goal: no planted bug is outdated when its file changes, nor when the tests that catch it move. Only
 * `npm run lab -- mutants`, which takes long, would notice otherwise.
 */
test.each(MUTANTS)('the planted bug "$breaks" fits one place of $file', async ({ file, find }) => {
  const source = await readFile(join(PROJECT_DIRECTORY, file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
});

test('the tests that must catch planted bugs exist', () => {
  const missing = MUTANTS.flatMap(otherTests).filter(
    (file) => !existsSync(join(PROJECT_DIRECTORY, file)),
  );
  expect(new Set(missing)).toEqual(new Set());
});
