/** A part of `npm run generate`: writes docs/errors.md from the registries and `scripts/error-docs`. */
import { errorPage } from './error-docs/page.ts';
import { writeGenerated } from './project/generated.ts';

const SCRIPT = { usage: 'npm run generate', about: 'Writes docs/errors.md.' };

await writeGenerated(SCRIPT, async () => ({ files: new Map([['docs/errors.md', errorPage()]]) }));
