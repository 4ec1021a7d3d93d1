/**
 * `npm run error-docs`: writes docs/errors.md from the registries of errors and the texts in
 * `scripts/error-docs`. With `-- --check` it shows how the file differs, and fails if it does.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorPage } from './error-docs/page.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { commandLine } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run error-docs',
  about: 'Writes docs/errors.md.',
  options: {
    check: { value: null, about: 'write nothing, and fail if a file is outdated' },
  },
};

const DOCUMENT = 'docs/errors.md';

const { check: isCheck } = commandLine(SCRIPT);
if (isCheck) {
  const { status } = spawnSync('git', ['diff', '--no-index', '--', DOCUMENT, '-'], {
    cwd: PROJECT_DIRECTORY,
    input: errorPage(),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    console.error(
      `${DOCUMENT} is outdated: run \`npm run error-docs\` and commit what it changes.`,
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(join(PROJECT_DIRECTORY, DOCUMENT), errorPage());
}
