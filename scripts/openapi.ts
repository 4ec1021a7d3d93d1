/**
 * `npm run openapi`: writes `public/openapi.json`, which describes the API, and out of it
 * `docs/reference.md` and the types of the TypeScript client. They are made out of the schemas that validate requests and the registry of
 * problems. The results are committed, so that readers see what a change does to the API;
 * `-- --check` fails when they do not match the sources.
 */
import { join } from 'node:path';
import { clientTypes } from './openapi/client-types.ts';
import { openApiDocument } from './openapi/document.ts';
import { type OpenApi, referenceMarkdown } from './openapi/reference.ts';
import { PROJECT_DIRECTORY, readIfPresent, writeWhole } from './project/files.ts';
import { commandLine } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run openapi',
  about: 'Writes public/openapi.json, docs/reference.md and the types of the TypeScript client.',
  options: {
    check: { value: null, about: 'write nothing, and fail if a file is outdated' },
  },
};

const DOCUMENT_FILE = join('public', 'openapi.json');
const REFERENCE_FILE = join('docs', 'reference.md');
const TYPES_FILE = join('clients', 'typescript', 'api-types.ts');

async function main(): Promise<boolean> {
  const { check: isCheck } = commandLine(SCRIPT);
  const { version } = JSON.parse(
    (await readIfPresent(join(PROJECT_DIRECTORY, 'package.json'))) ?? '{}',
  );
  const document = openApiDocument(version);
  const text = JSON.stringify(document, null, 2);
  const openApi: OpenApi = JSON.parse(text);
  const texts = [
    [DOCUMENT_FILE, `${text}\n`],
    [REFERENCE_FILE, referenceMarkdown(openApi)],
    [TYPES_FILE, clientTypes(document.components.schemas)],
  ] as const;
  const results = await Promise.all(texts.map(([file, text]) => put(file, text, isCheck)));
  return results.every((isCurrent) => isCurrent);
}

/** Whether the file has the text now. */
async function put(file: string, text: string, isCheck: boolean): Promise<boolean> {
  if ((await readIfPresent(join(PROJECT_DIRECTORY, file))) === text) {
    return true;
  }
  if (isCheck) {
    console.error(`${file} is outdated: run \`npm run openapi\` and commit what it changes.`);
    return false;
  }
  await writeWhole(join(PROJECT_DIRECTORY, file), text);
  console.log(`wrote ${file}`);
  return true;
}

process.exitCode = (await main()) ? 0 : 1;
