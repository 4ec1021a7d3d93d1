import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../back-office/operator/api.ts';

/** Calls that only the command line makes, many for one thing. */
const OF_THE_COMMAND_LINE = /^\/operator\/v1\/(?:backup|restore)/;

test('docs/operator.md lists every call of the operator’s API', () => {
  const [, list = ''] = readFileSync('docs/operator.md', 'utf8').split('\n## The API\n');
  const unlisted = API_ROUTES.filter(({ path }) => !OF_THE_COMMAND_LINE.test(path)).filter(
    ({ path }) => {
      const name = path.split('/').findLast((part) => !part.startsWith(':'));
      return !new RegExp(`/${name}[\`/]`).test(list);
    },
  );
  expect(unlisted.map(({ path }) => path)).toEqual([]);
});
