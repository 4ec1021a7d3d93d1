import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { WRANGLERS_BUILD_OPTIONS } from '../project/bundling.ts';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import { wranglerAliases } from '../project/wrangler-aliases.ts';

/** Each Worker's main file, by the Worker's name. */
const WORKERS = {
  'kefel-front': 'scripts/dev/front/index.ts',
  kefel: 'src/index.ts',
  'kefel-back-office': 'back-office/index.ts',
};

/** Where a Worker's bundle is in the directory of a build. */
export function bundleOf(builtDirectory: string, worker: string): string {
  return join(builtDirectory, worker, 'index.js');
}

/** Builds the Workers as for a deployment, and the documentation that the back office serves. */
export async function buildWorkers(directory: string): Promise<void> {
  const documents = promisify(execFile)(process.execPath, ['scripts/build-docs.ts'], {
    cwd: PROJECT_DIRECTORY,
  });
  const plugins = [await wranglerAliases()];
  const bundles = Object.entries(WORKERS).map(([name, main]) =>
    build({
      ...WRANGLERS_BUILD_OPTIONS,
      entryPoints: [main],
      outfile: bundleOf(directory, name),
      sourcemap: true,
      ...(name === 'kefel-back-office' && { plugins }),
    }),
  );
  await Promise.all([documents, ...bundles]);
}
