import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { parse } from 'smol-toml';
import { BACK_OFFICE_CONFIG_FILE } from './files.ts';

/** `[alias]` of the back office. Unlike esbuild's own aliases, wrangler's may name relative paths. */
export async function wranglerAliases(): Promise<Plugin> {
  const { alias } = parse(await readFile(BACK_OFFICE_CONFIG_FILE, 'utf8'));
  const targets = new Map(Object.entries(alias ?? {}));
  return {
    name: 'wrangler-aliases',
    setup: ({ onResolve }) => {
      onResolve({ filter: /./ }, ({ path }) => {
        const target = targets.get(path);
        return target === undefined
          ? undefined
          : { path: resolve(dirname(BACK_OFFICE_CONFIG_FILE), target) };
      });
    },
  };
}
