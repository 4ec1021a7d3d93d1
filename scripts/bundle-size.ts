/**
 * `npm run bundle`: compares the size of what a deployment uploads with the budgets, and lists the
 * largest inputs. Fails beyond a budget, and when a bundle imports modules of Node.
 *
 * The payments' Worker has two budgets: one for what a payment needs, one for everything, including
 * the parts that an isolate loads only when it first needs them, such as translations and lists. The
 * first is measured on a build without those parts, with the options that wrangler gives esbuild; a
 * build of everything by the same options shows that they are still wrangler's.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import {
  BACK_OFFICE_CONFIG_FILE,
  PROJECT_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from './project/files.ts';
import { commandLine } from './project/options.ts';
import { runWrangler } from './project/wrangler.ts';

const SCRIPT = {
  usage: 'npm run bundle',
  about: 'Compares the size of what a deployment uploads with the budgets.',
  options: {},
};

const KIBIBYTE = 1024;
/** Requests: API, checkout, rails and callbacks. */
const NEEDED_BYTES_MAX = 95 * KIBIBYTE;
/** With what an isolate loads only when asked: consumers, lists, endpoints, refunds, the interface. */
const PAYMENTS_BYTES_MAX = 175 * KIBIBYTE;
/** Dashboard and desk in two languages, and passkeys. It bounds growth, not deployment. */
const BACK_OFFICE_BYTES_MAX = 190 * KIBIBYTE;
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
  readonly gzippedBytes: number;
  readonly nodeImports: readonly string[];
  /** Biggest first. */
  readonly inputs: readonly { readonly name: string; readonly bytes: number }[];
}

async function main(): Promise<boolean> {
  const payments = await bundleOf(WRANGLER_CONFIG_FILE);
  const backOffice = await bundleOf(BACK_OFFICE_CONFIG_FILE);
  const whole = await builtBytes([]);
  const needed = await builtBytes([LAZY_PARTS]);
  return report({ payments, backOffice, whole, needed });
}

/** What a deployment with this configuration uploads. */
async function bundleOf(configFile: string): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-bundle-'));
  try {
    const bundling = ['deploy', '--dry-run', '--outdir', directory, '--metafile'];
    await runWrangler([...bundling, '--config', configFile], PROJECT_DIRECTORY);
    return await measure(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function measure(directory: string): Promise<Bundle> {
  const metafile: Metafile = JSON.parse(await readFile(join(directory, METAFILE), 'utf8'));
  let gzippedBytes = 0;
  const nodeImports = new Set<string>();
  const inputs: { name: string; bytes: number }[] = [];
  for (const [file, output] of Object.entries(metafile.outputs)) {
    if (file.endsWith('.map')) {
      // Source maps do not count: no isolate loads them.
      continue;
    }
    const code = await readFile(join(directory, basename(file)));
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
  return { gzippedBytes, nodeImports: [...nodeImports], inputs };
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
    plugins,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
}

interface Sizes {
  readonly payments: Bundle;
  readonly backOffice: Bundle;
  /** The payments' Worker by our own build, gzipped; and without its lazy parts. */
  readonly whole: number;
  readonly needed: number;
}

/** Prints what was measured. Returns false when a check fails. */
function report({ payments, backOffice, whole, needed }: Sizes): boolean {
  for (const [name, { inputs }] of Object.entries({ payments, 'back office': backOffice })) {
    console.log(`\n| biggest inputs, ${name} | bytes in the bundle |\n|---|---:|`);
    for (const { name: input, bytes } of inputs.slice(0, INPUTS_SHOWN)) {
      console.log(`| ${input} | ${bytes} |`);
    }
  }
  console.log();
  const parts = [
    { name: 'What payments need', bytes: needed, bytesMax: NEEDED_BYTES_MAX },
    { name: "The payments' Worker", bytes: payments.gzippedBytes, bytesMax: PAYMENTS_BYTES_MAX },
    { name: 'The back office', bytes: backOffice.gzippedBytes, bytesMax: BACK_OFFICE_BYTES_MAX },
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
  if (Math.abs(whole - payments.gzippedBytes) > DIFFERENCE_MAX * payments.gzippedBytes) {
    faults.push(
      `Built by the same options, the whole has ${kibibytes(whole)}: wrangler's options differ.`,
    );
  }
  const nodeImports = [...payments.nodeImports, ...backOffice.nodeImports];
  if (nodeImports.length > 0) {
    faults.push(`A bundle imports modules of Node: ${nodeImports.join(', ')}`);
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
