/**
 * `npm run openapi`: writes `public/openapi.json`, which describes the API. It is made out of the
 * schemas that validate requests and the registry of problems. The result is committed, so that
 * readers see what a change does to the API; `-- --check` fails when it does not match the sources.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApiDocument } from './openapi/document.ts';
import { PROJECT_DIRECTORY, readIfPresent, writeWhole } from './project/files.ts';

const FILE = join('public', 'openapi.json');

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const { version } = JSON.parse(
    (await readIfPresent(join(PROJECT_DIRECTORY, 'package.json'))) ?? '{}',
  );
  const text = `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
  if ((await readIfPresent(join(PROJECT_DIRECTORY, FILE))) === text) {
    return true;
  }
  if (values.check) {
    console.error(`${FILE} is outdated: run \`npm run openapi\` and commit what it changes.`);
    return false;
  }
  await writeWhole(join(PROJECT_DIRECTORY, FILE), text);
  console.log(`wrote ${FILE}`);
  return true;
}

process.exitCode = (await main()) ? 0 : 1;
