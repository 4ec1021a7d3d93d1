/**
 * A part of `npm run generate`: writes `public/openapi.json`, which describes the API, and out of it
 * `docs/reference.md` and the types of the TypeScript client. They are made out of the schemas that
 * validate requests and the registry of problems.
 */
import packageFile from '../package.json' with { type: 'json' };
import { clientTypes } from './openapi/client-types.ts';
import { openApiDocument } from './openapi/document.ts';
import { referenceMarkdown } from './openapi/reference.ts';
import { writeGenerated } from './project/generated.ts';

const SCRIPT = {
  usage: 'npm run generate',
  about: 'Writes public/openapi.json, docs/reference.md and the types of the TypeScript client.',
};

await writeGenerated(SCRIPT, async () => {
  const document = openApiDocument(packageFile.version);
  const text = JSON.stringify(document, null, 2);
  return {
    files: new Map([
      ['public/openapi.json', `${text}\n`],
      ['docs/reference.md', referenceMarkdown(JSON.parse(text))],
      ['clients/typescript/api-types.ts', clientTypes(document.components.schemas)],
    ]),
  };
});
