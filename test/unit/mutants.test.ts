import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../lab/mutants/planted.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/**
 * Goal: no planted bug is outdated when its file changes. Only `npm run lab -- mutants`, which takes long,
 * would notice otherwise.
 */
test.each(MUTANTS)('the planted bug "$breaks" fits one place of $file', async ({ file, find }) => {
  const source = await readFile(join(PROJECT_DIRECTORY, file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
});
