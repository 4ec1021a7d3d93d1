/**
 * `npm run lab -- gallery [--port N]`: serves every state of every page, and every component, to people
 * who change them. It is the gallery of the tests and is never deployed.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { runLabScript } from '../../lab/harness/script.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { numberOption } from '../../scripts/project/options.ts';

const SCRIPT = {
  usage: 'npm run lab -- gallery',
  about: 'Serves every state of every page, and every component.',
  options: { port: numberOption('PORT', 'where it listens', 8_795) },
};

/** As deep as `scripts/project`, from which the code finds the repository. */
const BUNDLE = join(PROJECT_DIRECTORY, '.wrangler', 'gallery', 'pages.mjs');

await runLabScript(SCRIPT, async ({ port }) => {
  await build({
    absWorkingDir: PROJECT_DIRECTORY,
    entryPoints: ['test/support/whole-gallery.ts'],
    outfile: BUNDLE,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const pages: typeof import('./whole-gallery.ts') = await import(BUNDLE);
  const { baseUrl } = await pages.startWholeGallery(port);
  console.log(`${baseUrl}/ has a link to each state. Ctrl-C stops it.`);
  await once(process, 'SIGINT');
  return true;
});
