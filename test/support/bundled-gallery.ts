import { join } from 'node:path';
import { build } from 'esbuild';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** As deep as `scripts/project`, from which the code finds the repository. */
const BUNDLE = join(PROJECT_DIRECTORY, '.wrangler', 'gallery', 'pages.mjs');

/** The gallery for programs outside of vitest: plain Node cannot load JSX. */
export async function bundledGallery(): Promise<typeof import('./whole-gallery.ts')> {
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
  return import(BUNDLE);
}
