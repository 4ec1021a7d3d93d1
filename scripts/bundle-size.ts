/**
 * `npm run bundle`: what a deployment uploads, raw and gzipped, against the budget; then the inputs
 * that weigh most. Fails beyond the budget, and when the bundle needs anything of Node.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PROJECT_DIRECTORY } from './files.ts';
import { runWrangler } from './wrangler.ts';

const KIBIBYTE = 1024;
const GZIPPED_BYTES_MAX = 100 * KIBIBYTE;
const INPUTS_SHOWN = 15;
const METAFILE = 'bundle-meta.json';

/** The part of esbuild's metafile that is read here. */
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
    report(bundle);
    return bundle.gzippedBytes <= GZIPPED_BYTES_MAX && bundle.nodeImports.length === 0;
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
      // Source maps are uploaded too, but do not count: no isolate loads them.
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

/** A package's file from its package's name on. */
function shortName(input: string): string {
  return input.split('node_modules/').at(-1) ?? input;
}

function report({ rawBytes, gzippedBytes, nodeImports, inputs }: Bundle): void {
  const usedPercent = Math.round((gzippedBytes / GZIPPED_BYTES_MAX) * 100);
  console.log('\n| biggest inputs | bytes in the bundle |\n|---|---:|');
  for (const { name, bytes } of inputs.slice(0, INPUTS_SHOWN)) {
    console.log(`| ${name} | ${bytes} |`);
  }
  console.log(`\nBundle: ${kibibytes(rawBytes)} raw, ${kibibytes(gzippedBytes)} gzipped`);
  console.log(`Budget: ${kibibytes(GZIPPED_BYTES_MAX)} gzipped, ${usedPercent} % used`);
  if (gzippedBytes > GZIPPED_BYTES_MAX) {
    console.error('The bundle is beyond its budget.');
  }
  if (nodeImports.length > 0) {
    console.error(`The bundle imports modules of Node: ${nodeImports.join(', ')}`);
  }
}

function kibibytes(bytes: number): string {
  return `${(bytes / KIBIBYTE).toFixed(1)} KiB`;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
