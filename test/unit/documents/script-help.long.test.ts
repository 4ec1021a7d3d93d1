import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { CASES } from '../../../lab/bench/cases.ts';
import { LAB } from '../../../lab/commands.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { commandsOf } from '../../support/documents/commands.ts';
import { DOCUMENTS } from '../../support/documents/markdown.ts';

/**
 * Goal: a developer who asks a script for help, or mistypes an option, reads what it takes, and every
 * option in the documents exists. Method: scripts start with all options that the documents give
 * them, and `--help`; a script reads its options before it prints its help. One process imports all of
 * them, because they share most of their modules.
 */

/** A script's process that exits while Maglev compiles can hang (https://github.com/nodejs/node/issues/54918). */
const WITHOUT_MAGLEV = '--no-maglev';
const run = (words: readonly string[]) =>
  promisify(execFile)('node', [WITHOUT_MAGLEV, ...words], { cwd: PROJECT_DIRECTORY });

/** Their arguments are nouns and methods: documented-commands.test.ts and documented-operator.test.ts. */
const WITH_ARGUMENTS = ['operator', 'lab'];

const { scripts } = JSON.parse(readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'));

/** Every script by the words that start it. */
const SCRIPTS = [
  ...Object.entries<string>(scripts)
    .filter(([name, command]) => /^node [^&]+\.ts$/.test(command) && !WITH_ARGUMENTS.includes(name))
    .map(([name, command]) => ({ name, file: / (\S+\.ts)$/.exec(command)?.[1] })),
  ...Object.entries(LAB).map(([name, [file]]) => ({ name: `lab -- ${name}`, file })),
];

/** What the documents write after `npm run NAME --`, or after `npm run lab -- NAME`. */
async function documentedOptions(script: string): Promise<readonly (readonly string[])[]> {
  const start = `npm run ${script}`;
  const found = (await commands).map(({ words }) => words.filter((word) => word !== '--silent'));
  const length = start.split(' ').length;
  return found
    .filter((words) => words.slice(0, length).join(' ') === start)
    .map((words) => words.slice(words[length] === '--' ? length + 1 : length));
}

const commands = commandsOf(DOCUMENTS);

test('most scripts have a help', () => {
  expect(SCRIPTS.length).toBeGreaterThan(15);
});

describe('npm run', () => {
  let helps: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const starts = SCRIPTS.map(async ({ name, file }) =>
      JSON.stringify([file, ...(await documentedOptions(name)).flat()]),
    );
    const { stdout } = await run(['test/support/run-helps.ts', ...(await Promise.all(starts))]);
    const printed: readonly string[] = JSON.parse(stdout);
    helps = new Map(SCRIPTS.map(({ name }, index) => [name, printed[index] ?? '']));
  });

  test.each(SCRIPTS)(
    '$name takes the documented options, and only prints its help',
    async ({ name }) => {
      const options = (await documentedOptions(name)).flat();
      const [usage, ...lines] = helps.get(name)?.trimEnd().split('\n') ?? [];
      const mark = name.startsWith('lab ') ? '[options]' : '[-- options]';
      expect(usage?.replace('--silent ', '')).toBe(`npm run ${name} ${mark}`);
      const explained = lines.flatMap((line) => /^ +--([\w-]+)\b.* {2,}\S/.exec(line)?.[1] ?? []);
      const documented = options.flatMap((option) => /^--([\w-]+)/.exec(option)?.[1] ?? []);
      expect(explained).toEqual(expect.arrayContaining([...documented, 'help']));
      // The script prints only this, and not what it would do.
      expect(lines.at(-1)).toMatch(/--help +show this help$/);
    },
  );
});

test('npm run lab -- bench has the cases that the documents name', async () => {
  const lists = (await documentedOptions('lab -- bench')).flatMap((options) =>
    options.filter((_, index) => options[index - 1] === '--only'),
  );
  const names = lists.flatMap((list) => list.split(','));
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !(name in CASES))).toEqual([]);
});

test.each([
  ['mutants', '--nope', "Unknown option '--nope'\nThe options are listed by --help.\n"],
  ['mutants', '--seeds=x', '--seeds takes a whole number from 1\n'],
  ['bench', '--only=pay', expect.stringMatching(/^--only takes .*create, .*\n$/)],
  ['bench', '--on=tape', '--on takes tmpfs, disk\n'],
  ['bench', '--clients=0', '--clients takes a whole number from 1\n'],
])('npm run lab -- %s rejects %s without a stack trace', async (name, option, stderr) => {
  const refused = { code: 1, stderr };
  await expect(run(['lab/main.ts', name, option])).rejects.toMatchObject(refused);
});

test('npm run lab lists what it runs, and rejects anything else', async () => {
  const { stdout } = await run(['lab/main.ts']);
  expect([...stdout.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name)).toEqual(
    Object.keys(LAB),
  );
  await expect(run(['lab/main.ts', 'nope'])).rejects.toMatchObject({
    code: 1,
    stderr: 'the lab has no nope; `npm run lab` lists what it has\n',
  });
});
