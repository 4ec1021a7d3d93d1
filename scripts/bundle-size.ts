/**
 * `npm run lab -- bundle`: compares the size of what a deployment uploads with the budgets, and lists the
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
import { build, type Metafile, type Plugin } from 'esbuild';
import { WRANGLERS_BUILD_OPTIONS } from './project/bundling.ts';
import {
  BACK_OFFICE_CONFIG_FILE,
  PROJECT_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from './project/files.ts';
import { runScript } from './project/options.ts';
import { runWrangler } from './project/wrangler.ts';

const SCRIPT = {
  usage: 'npm run lab -- bundle',
  about: 'Compares the size of what a deployment uploads with the budgets.',
  options: {},
};

const KIBIBYTE = 1024;
/**
 * API, checkout, webhooks, and the adapters of telebirr, CBE and EthSwitch: more than a payment by
 * any one rail needs. The other three load most of their code with their first payment.
 */
const NEEDED_BYTES_MAX = 100 * KIBIBYTE;
/** With what an isolate loads only when asked: books, registers, lists, refunds, alerts, links, the interface. */
const PAYMENTS_BYTES_MAX = 307 * KIBIBYTE;
/** Dashboard and desk in two languages, the words of alerts, and passkeys. It bounds growth, not deployment. */
const BACK_OFFICE_BYTES_MAX = 268 * KIBIBYTE;
/** How much the size of our build of everything may differ from wrangler's. */
const DIFFERENCE_MAX = 0.02;
const INPUTS_SHOWN = 15;

interface Bundle {
  readonly gzippedBytes: number;
  readonly nodeImports: readonly string[];
  /** The bytes of each input, biggest first. */
  readonly inputs: readonly (readonly [name: string, bytes: number])[];
}

/** What a deployment with this configuration uploads. No isolate loads the source maps. */
async function bundleOf(configFile: string): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-bundle-'));
  try {
    const bundling = ['deploy', '--dry-run', '--outdir', directory, '--metafile'];
    await runWrangler([...bundling, '--config', configFile], PROJECT_DIRECTORY);
    const { outputs }: Metafile = JSON.parse(
      await readFile(join(directory, 'bundle-meta.json'), 'utf8'),
    );
    const code = Object.entries(outputs).filter(([file]) => !file.endsWith('.map'));
    const sizes = code.map(async ([file]) =>
      gzippedSize(await readFile(join(directory, basename(file)))),
    );
    const inputs = code.flatMap(([, output]) => Object.entries(output.inputs));
    const imports = code.flatMap(([, output]) => output.imports);
    return {
      gzippedBytes: sum(await Promise.all(sizes)),
      nodeImports: imports
        .filter(({ path, external }) => external === true && isBuiltin(path))
        .map(({ path }) => path),
      inputs: inputs
        .map(([name, { bytesInOutput }]) => {
          // A package's file by its path from the name of the package on.
          return [name.split('node_modules/').at(-1) ?? name, bytesInOutput] as const;
        })
        .sort(([, one], [, other]) => other - one),
    };
  } finally {
    await rm(directory, { recursive: true });
  }
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

/** The payments' Worker by our own build, gzipped. */
async function builtBytes(plugins: Plugin[]): Promise<number> {
  const { outputFiles = [] } = await build({
    ...WRANGLERS_BUILD_OPTIONS,
    entryPoints: ['src/index.ts'],
    write: false,
    plugins,
  });
  return sum(outputFiles.map(({ contents }) => gzippedSize(contents)));
}

/** Prints what was measured. Returns false when a check fails. */
async function main(): Promise<boolean> {
  const payments = await bundleOf(WRANGLER_CONFIG_FILE);
  const backOffice = await bundleOf(BACK_OFFICE_CONFIG_FILE);
  const whole = await builtBytes([]);
  const needed = await builtBytes([LAZY_PARTS]);
  for (const [name, { inputs }] of Object.entries({ payments, 'back office': backOffice })) {
    console.log(`\n| biggest inputs, ${name} | bytes in the bundle |\n|---|---:|`);
    for (const row of inputs.slice(0, INPUTS_SHOWN)) {
      console.log(`| ${row.join(' | ')} |`);
    }
  }
  console.log();
  const faults: string[] = [];
  for (const [name, bytes, bytesMax] of [
    ['What payments need', needed, NEEDED_BYTES_MAX],
    ["The payments' Worker", payments.gzippedBytes, PAYMENTS_BYTES_MAX],
    ['The back office', backOffice.gzippedBytes, BACK_OFFICE_BYTES_MAX],
  ] as const) {
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
  faults.map((fault) => console.error(fault));
  return faults.length === 0;
}

function gzippedSize(code: Uint8Array): number {
  return gzipSync(code).byteLength;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function kibibytes(bytes: number): string {
  return `${(bytes / KIBIBYTE).toFixed(1)} KiB`;
}

await runScript(SCRIPT, main);
