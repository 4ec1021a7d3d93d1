/**
 * `npm run openapi`: writes `public/openapi.json`, which describes the API, and `docs/reference.md`
 * out of it. It is made out of the schemas that validate requests and the registry of problems. The
 * results are committed, so that readers see what a change does to the API; `-- --check` fails when
 * they do not match the sources.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApiDocument } from './openapi/document.ts';
import { type OpenApi, referenceMarkdown } from './openapi/reference.ts';
import { PROJECT_DIRECTORY, readIfPresent, writeWhole } from './project/files.ts';

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  let isCurrent = true;
  for (const [file, text] of await results()) {
    const path = join(PROJECT_DIRECTORY, file);
    if ((await readIfPresent(path)) === text) {
      continue;
    }
    if (values.check) {
      console.error(`${file} is outdated: run \`npm run openapi\` and commit what it changes.`);
      isCurrent = false;
    } else {
      await writeWhole(path, text);
      console.log(`wrote ${file}`);
    }
  }
  return isCurrent;
}

/** The text of each file. */
async function results(): Promise<readonly (readonly [file: string, text: string])[]> {
  const { version } = JSON.parse(
    (await readIfPresent(join(PROJECT_DIRECTORY, 'package.json'))) ?? '{}',
  );
  const text = JSON.stringify(openApiDocument(version), null, 2);
  const document: OpenApi = JSON.parse(text);
  return [
    ['public/openapi.json', `${text}\n`],
    ['docs/reference.md', referenceMarkdown(document)],
  ];
}

process.exitCode = (await main()) ? 0 : 1;
