import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { wranglerAliases } from '../../scripts/project/wrangler-aliases.ts';
import type { Route } from './routes.ts';

const WORKERS_MODULE = join(PROJECT_DIRECTORY, 'lab', 'simulation', 'cloudflare-workers.ts');

/** The gateway's routes. A bundle, because Node reads neither TSX nor `cloudflare:workers`. */
export async function gatewayRoutes(): Promise<readonly Route[]> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-routes-'));
  const outfile = join(directory, 'routes.mjs');
  const workers: Plugin = {
    name: 'workers',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^cloudflare:workers$/ }, () => ({ path: WORKERS_MODULE }));
    },
  };
  try {
    await build({
      absWorkingDir: PROJECT_DIRECTORY,
      entryPoints: [join('lab', 'fuzz', 'routes.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      plugins: [workers, await wranglerAliases()],
    });
    return (await import(pathToFileURL(outfile).href)).ROUTES;
  } finally {
    await rm(directory, { recursive: true });
  }
}
