/**
 * Before `npm pack` of the TypeScript client: builds its `dist`. Node gets a module for `import` and
 * one for `require`; Workers and bundlers for them get one that imports no module of Node.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

const CLIENT = join(PROJECT_DIRECTORY, 'clients', 'typescript');
const DIST = join(CLIENT, 'dist');
const TSC = join(PROJECT_DIRECTORY, 'node_modules', '.bin', 'tsc');

const NODE: BuildOptions = {
  platform: 'node',
  target: 'node18',
  inject: [join(import.meta.dirname, 'node-crypto.ts')],
};

const MODULES: Readonly<Record<string, BuildOptions>> = {
  'kefel.js': { platform: 'neutral', target: 'es2022', format: 'esm' },
  'kefel.node.js': { ...NODE, format: 'esm' },
  'kefel.node.cjs': { ...NODE, format: 'cjs' },
};

const run = promisify(execFile);

/** Types for `import`, and the same for `require`: TypeScript tells them apart by their names. */
async function buildTypes(): Promise<void> {
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', DIST];
  await run(TSC, ['-p', CLIENT, ...emit]);
  const names = (await readdir(DIST)).filter((name) => name.endsWith('.d.ts'));
  await Promise.all(
    names.map(async (name) => {
      const file = join(DIST, name);
      const text = await readFile(file, 'utf8');
      const importing = (extension: string) =>
        text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, `$1${extension}'`);
      await writeFile(file, importing('.js'));
      await writeFile(file.replace(/\.ts$/, '.cts'), importing('.cjs'));
    }),
  );
}

await rm(DIST, { recursive: true, force: true });
await Promise.all([
  ...Object.entries(MODULES).map(([name, options]) =>
    build({
      ...options,
      entryPoints: [join(CLIENT, 'kefel.ts')],
      outfile: join(DIST, name),
      bundle: true,
      logLevel: 'warning',
    }),
  ),
  buildTypes(),
]);
