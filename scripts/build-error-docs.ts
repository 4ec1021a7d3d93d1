/**
 * `npm run error-docs`: writes docs/errors.md from the registries of errors and the texts in
 * `scripts/error-docs`. With `-- --check` it shows how the file differs, and fails if it does.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorPage } from './error-docs/page.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';

const DOCUMENT = 'docs/errors.md';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (values.check) {
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
