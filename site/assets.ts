import { basename } from 'node:path';
import { build } from 'esbuild';

/** URLs of what every page loads; their names change with their content. */
export interface SiteAssets {
  readonly css: string;
  readonly script: string;
}

export async function buildAssets(directory: string): Promise<SiteAssets> {
  const { metafile } = await build({
    entryPoints: ['site/styles/site.css', 'site/browser/main.ts'],
    outdir: `${directory}/docs-assets`,
    entryNames: '[name].[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2020', 'safari14.1'],
    metafile: true,
    logLevel: 'warning',
  });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const urlEnding = (ending: string) =>
    `/docs-assets/${names.find((name) => name.endsWith(ending))}`;
  return { css: urlEnding('.css'), script: urlEnding('.js') };
}
