import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { parse } from 'smol-toml';
import { PROJECT_DIRECTORY } from './files.ts';

/**
 * `[alias]` of the back office whose project is in `directory`. Unlike esbuild's own aliases,
 * wrangler's may name relative paths.
 */
export async function wranglerAliases(directory = PROJECT_DIRECTORY): Promise<Plugin> {
  const configFile = join(directory, 'back-office', 'wrangler.toml');
  const { alias } = parse(await readFile(configFile, 'utf8'));
  const targets = new Map(Object.entries(alias ?? {}));
  return {
    name: 'wrangler-aliases',
    setup: ({ onResolve }) => {
      onResolve({ filter: /./ }, ({ path }) => {
        const target = targets.get(path);
        return target === undefined ? undefined : { path: resolve(dirname(configFile), target) };
      });
    },
  };
}
