import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import type { Stage } from './stage.ts';

/** The oldest Node that the package names; npm has its builds for each platform. */
const OLDEST_NODE = { name: `node-${process.platform}-${process.arch}`, version: '18.20.8' };
const TSC = join(PROJECT_DIRECTORY, 'node_modules', '.bin', 'tsc');
const SECRET = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
const WEBHOOK = '{"webHookEvent":"PAYMENT_SUCCESS","environment":"sandbox","body":"{}"}';
/** How merchants compile, and what such a compiler resolves. */
const COMPILERS = [
  { module: ['--module', 'nodenext'], files: ['types.mts', 'types.cts'] },
  { module: ['--module', 'esnext', '--moduleResolution', 'bundler'], files: ['types.mts'] },
];
const COMPILED = [
  ...['--target', 'es2022', '--lib', 'es2022', '--strict', '--noEmit'],
  ...['--types', 'node', '--typeRoots', join(PROJECT_DIRECTORY, 'node_modules', '@types')],
];
/** Without npm's advice, but with its errors. */
const QUIET = ['--no-audit', '--no-fund', '--loglevel', 'error'];

/** Packs `clients/NAME` and installs the package into an empty project. Resolves with the project. */
async function installed(stage: Stage, name: string): Promise<string> {
  const source = join(PROJECT_DIRECTORY, 'clients', name);
  const packed = await stage.run('npm', ['pack', '--pack-destination', stage.output], source);
  const archive = join(stage.output, packed.trim().split('\n').at(-1) ?? '');
  const project = await stage.emptyProject(`npm-${name}`);
  await writeFile(join(project, 'package.json'), '{"private": true}');
  await stage.run('npm', ['install', '--offline', ...QUIET, archive], project);
  return project;
}

/** The client on this Node and on the oldest one, imported, required, bundled and type-checked. */
export async function checkTypeScript(stage: Stage): Promise<string> {
  const project = await installed(stage, 'typescript');
  const write = (file: string, text: string) => writeFile(join(project, file), text);
  const pay = () => stage.firstPayment('typescript', 'ts').replace('./kefel/kefel.ts', 'kefel');
  const nodes = [process.execPath, await oldestNode(stage)];
  const versions = [];
  for (const node of nodes) {
    await write('pay.mjs', pay());
    await stage.expectPage(await stage.run(node, ['pay.mjs'], project));
    await write('pay.cjs', required(pay()));
    await stage.expectPage(await stage.run(node, ['pay.cjs'], project));
    await write('verify.mjs', verification());
    expectText(await stage.run(node, ['verify.mjs'], project), 'PAYMENT_SUCCESS');
    versions.push((await stage.run(node, ['--version'], project)).trim());
  }
  await write('pay.js', pay());
  await build({
    entryPoints: [join(project, 'pay.js')],
    outfile: join(project, 'bundle.mjs'),
    bundle: true,
    format: 'esm',
    // Names no module of Node, as a bundle for Workers must not.
    platform: 'browser',
    conditions: ['workerd', 'worker'],
  });
  await stage.expectPage(await stage.run(process.execPath, ['bundle.mjs'], project));
  await write('types.mts', pay());
  await write('types.cts', typedRequire(pay()));
  for (const { module, files } of COMPILERS) {
    await stage.run(TSC, [...COMPILED, ...module, ...files], project);
  }
  return `Node ${versions.join(' and ')}: import, require; a bundle for Workers; types`;
}

/** The command line as a merchant installs it. */
export async function checkCommandLine(stage: Stage): Promise<string> {
  const project = await installed(stage, 'cli');
  const kefel = (...words: string[]) =>
    stage.run(join(project, 'node_modules', '.bin', 'kefel'), words, project);
  const version = (await kefel('--version')).trim();
  expectText(await kefel('trigger', 'success'), 'PAYMENT_SUCCESS');
  return `kefel ${version}: a payment that succeeds`;
}

async function oldestNode(stage: Stage): Promise<string> {
  const { name, version } = OLDEST_NODE;
  const directory = await stage.emptyProject('oldest-node');
  await writeFile(join(directory, 'package.json'), '{"private": true}');
  await stage.run('npm', ['install', ...QUIET, `${name}@${version}`], directory);
  return join(directory, 'node_modules', name, 'bin', 'node');
}

/** The sample as CommonJS, which has no `await` at its top. */
function required(sample: string): string {
  const { imports, rest } = partsOf(sample);
  return `const { ${imports} } = require('kefel');\n(async () => {\n${rest}\n})();\n`;
}

function typedRequire(sample: string): string {
  const { imports, rest } = partsOf(sample);
  return `import kefelModule = require('kefel');\nconst { ${imports} } = kefelModule;\n(async () => {\n${rest}\n})();\n`;
}

function partsOf(sample: string) {
  const [, imports = '', rest = ''] = /^import \{ (.*) \} from 'kefel';\n(.*)$/s.exec(sample) ?? [];
  return { imports, rest };
}

/** A program that verifies an authentic webhook and prints its type. */
function verification(): string {
  const at = new Date();
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('evt_1', at, WEBHOOK),
  };
  const expected = { merchantId: 'demo', environment: 'sandbox' };
  const args = [WEBHOOK, headers, SECRET, expected].map((value) => JSON.stringify(value));
  return `import { verifyWebhook } from 'kefel';
console.log((await verifyWebhook(${args.join(', ')})).type);
`;
}

function expectText(printed: string, text: string): void {
  if (!printed.includes(text)) {
    throw new Error(`expected ${text}, not: ${printed}`);
  }
}
