import type { BuildOptions } from 'esbuild';
import { PROJECT_DIRECTORY } from './files.ts';

/** Wrangler's options of esbuild for a deployment with `minify` and without `keep_names`. */
export const WRANGLERS_BUILD_OPTIONS: BuildOptions = {
  absWorkingDir: PROJECT_DIRECTORY,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2024',
  platform: 'browser',
  conditions: ['workerd', 'worker', 'browser'],
  define: { 'process.env.NODE_ENV': '"production"', 'navigator.userAgent': '"Cloudflare-Workers"' },
  external: ['cloudflare:*'],
  logLevel: 'error',
};
