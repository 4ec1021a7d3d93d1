import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { V4WorkerOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
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

/** Miniflare's options for a Worker, by its configuration, with its bundle. */
export async function builtWorker(
  configFile: string,
  builtDirectory: string,
  namespace?: string,
): Promise<V4WorkerOptions> {
  const { name } = JSON.parse(await readFile(configFile, 'utf8'));
  const { workerOptions } = unstable_getMiniflareWorkerOptions(configFile);
  const { modulesRules: _, durableObjects, ...options } = workerOptions;
  const bundle = bundleOf(builtDirectory, name);
  return {
    ...options,
    durableObjects: inNamespace((durableObjects ?? {}) as Objects, namespace),
    name,
    modules: [{ type: 'ESModule', path: bundle }],
    modulesRoot: dirname(bundle),
  };
}

type Objects = NonNullable<V4WorkerOptions['durableObjects']>;

/** The runtime derives the ids of objects from the key of their namespace, as Cloudflare does. */
function inNamespace(objects: Objects, namespace: string | undefined): Objects {
  const keyed = Object.entries(objects).map(([binding, object]) => {
    const { className } = object as { readonly className: string };
    return [binding, { className, useSQLite: true, unsafeUniqueKey: `${namespace}-${className}` }];
  });
  return namespace === undefined ? objects : Object.fromEntries(keyed);
}
