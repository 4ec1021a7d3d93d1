/**
 * `npm run bundle`: compares the size of what a deployment uploads with the budgets, and lists the
 * largest inputs. Fails beyond a budget, and when the bundle imports modules of Node.
 *
 * One budget is for what payments need, the other for everything, including the parts that an
 * isolate loads only when it first needs them: the pages of members and operators, translations,
 * the QR encoder. The first is measured on a build without those parts, with the options that wrangler gives esbuild; a build of everything by the same options
 * shows that they are still wrangler's.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { commandLine } from './project/options.ts';
import { runWrangler } from './project/wrangler.ts';
import { wranglerAliases } from './project/wrangler-aliases.ts';

const SCRIPT = {
  usage: 'npm run bundle',
  about: 'Compares the size of what a deployment uploads with the budgets.',
  options: {},
};

const KIBIBYTE = 1024;
/** API, checkout, rails and webhooks. */
const PAYMENTS_BYTES_MAX = 100 * KIBIBYTE;
/**
 * With what an isolate loads only when asked: dashboard and desk in two languages, passkeys, lists,
 * endpoints, refunds. A tenth of the 3 MB that Cloudflare's smallest plan takes, so it bounds growth, not
 * deployment.
 */
const WHOLE_BYTES_MAX = 300 * KIBIBYTE;
/** How much the size of our build of everything may differ from wrangler's. */
const DIFFERENCE_MAX = 0.02;
const INPUTS_SHOWN = 15;
const METAFILE = 'bundle-meta.json';

/** The fields read from esbuild's metafile. */
interface Metafile {
  readonly outputs: Readonly<Record<string, Output>>;
}

interface Output {
  readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

interface Bundle {
  readonly rawBytes: number;
  readonly gzippedBytes: number;
  readonly nodeImports: readonly string[];
  /** Biggest first. */
  readonly inputs: readonly { readonly name: string; readonly bytes: number }[];
}

async function main(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-bundle-'));
  try {
    const bundling = ['deploy', '--dry-run', '--outdir', directory, '--metafile'];
    await runWrangler(bundling, PROJECT_DIRECTORY);
    const bundle = await measure(directory);
    const whole = await builtBytes([]);
    const payments = await builtBytes([LAZY_PARTS]);
    return report(bundle, { whole, payments });
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function measure(directory: string): Promise<Bundle> {
  const metafile: Metafile = JSON.parse(await readFile(join(directory, METAFILE), 'utf8'));
  let rawBytes = 0;
  let gzippedBytes = 0;
  const nodeImports = new Set<string>();
  const inputs: { name: string; bytes: number }[] = [];
  for (const [file, output] of Object.entries(metafile.outputs)) {
    if (file.endsWith('.map')) {
      // Source maps do not count: no isolate loads them.
      continue;
    }
    const code = await readFile(join(directory, basename(file)));
    rawBytes += code.byteLength;
    gzippedBytes += gzipSync(code).byteLength;
    for (const { path, external } of output.imports) {
      if (external === true && isBuiltin(path)) {
        nodeImports.add(path);
      }
    }
    for (const [name, { bytesInOutput }] of Object.entries(output.inputs)) {
      inputs.push({ name: shortName(name), bytes: bytesInOutput });
    }
  }
  inputs.sort((one, other) => other.bytes - one.bytes);
  return { rawBytes, gzippedBytes, nodeImports: [...nodeImports], inputs };
}

/** The path of a package's file, from the name of the package on. */
function shortName(input: string): string {
  return input.split('node_modules/').at(-1) ?? input;
}

/** Leaves out what is imported lazily. */
const LAZY_PARTS: Plugin = {
  name: 'lazy-parts',
  setup: ({ onResolve }) => {
    onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** Wrangler's options of esbuild for a deployment with `minify` and without `keep_names`. */
const WRANGLERS_OPTIONS: BuildOptions = {
  absWorkingDir: PROJECT_DIRECTORY,
  entryPoints: ['src/index.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2024',
  platform: 'browser',
  conditions: ['workerd', 'worker', 'browser'],
  define: { 'process.env.NODE_ENV': '"production"', 'navigator.userAgent': '"Cloudflare-Workers"' },
  external: ['cloudflare:*'],
  write: false,
  logLevel: 'error',
};

async function builtBytes(plugins: Plugin[]): Promise<number> {
  const { outputFiles = [] } = await build({
    ...WRANGLERS_OPTIONS,
    plugins: [...plugins, await wranglerAliases()],
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
}

/** Prints what was measured. Returns false when a check fails. */
function report(
  { rawBytes, gzippedBytes, nodeImports, inputs }: Bundle,
  built: { readonly whole: number; readonly payments: number },
): boolean {
  console.log('\n| biggest inputs | bytes in the bundle |\n|---|---:|');
  for (const { name, bytes } of inputs.slice(0, INPUTS_SHOWN)) {
    console.log(`| ${name} | ${bytes} |`);
  }
  console.log(`\nBundle: ${kibibytes(rawBytes)} raw, ${kibibytes(gzippedBytes)} gzipped`);
  const parts = [
    { name: 'What payments need', bytes: built.payments, bytesMax: PAYMENTS_BYTES_MAX },
    { name: 'The whole', bytes: gzippedBytes, bytesMax: WHOLE_BYTES_MAX },
  ];
  const faults: string[] = [];
  for (const { name, bytes, bytesMax } of parts) {
    const usedPercent = Math.round((bytes / bytesMax) * 100);
    const budget = `${kibibytes(bytesMax)}, ${usedPercent} % used`;
    console.log(`${name}: ${kibibytes(bytes)} gzipped of ${budget}`);
    if (bytes > bytesMax) {
      faults.push(`${name} exceeds its budget.`);
    }
  }
  if (Math.abs(built.whole - gzippedBytes) > DIFFERENCE_MAX * gzippedBytes) {
    faults.push(
      `Built by the same options, the whole has ${kibibytes(built.whole)}: wrangler's options differ.`,
    );
  }
  if (nodeImports.length > 0) {
    faults.push(`The bundle imports modules of Node: ${nodeImports.join(', ')}`);
  }
  for (const fault of faults) {
    console.error(fault);
  }
  return faults.length === 0;
}

function kibibytes(bytes: number): string {
  return `${(bytes / KIBIBYTE).toFixed(1)} KiB`;
}

commandLine(SCRIPT);
try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
