import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Parts of Kefel that the simulation replaces, and what stands in for them. */
export const STAND_INS: Readonly<Record<string, string>> = {
  'cloudflare:workers': 'lab/simulation/cloudflare-workers.ts',
  'src/kit/platform/bounded-cache.ts': 'lab/simulation/bounded-cache.ts',
  'src/engine/rails/settings.ts': 'lab/simulation/rails.ts',
  'src/recovery/backup/part.ts': 'lab/simulation/backup-part.ts',
  'src/control/watch/look-around.ts': 'lab/simulation/look-around.ts',
};

/**
 * Bundles the simulation with Kefel's own code into one file for Node. `root`: the repository, or a
 * copy of it. Returns the names of the files in the bundle.
 */
export async function bundleSimulation(root: string, outfile: string): Promise<readonly string[]> {
  const standIns: Plugin = {
    name: 'stand-ins',
    setup({ onResolve }) {
      onResolve(
        {
          filter:
            /^cloudflare:workers$|bounded-cache\.ts$|settings\.ts$|part\.ts$|look-around\.ts$/,
        },
        ({ path, resolveDir, importer }) => {
          const name = path.startsWith('.')
            ? resolve(resolveDir, path).slice(resolve(root).length + 1)
            : path;
          const standIn = STAND_INS[name];
          // A stand-in may use what it replaces.
          return standIn === undefined || importer === resolve(root, standIn)
            ? undefined
            : { path: resolve(root, standIn) };
        },
      );
    },
  };
  const { metafile } = await build({
    absWorkingDir: resolve(root),
    entryPoints: ['lab/simulation/main.ts'],
    outfile,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [standIns],
  });
  return Object.keys(metafile.inputs);
}
