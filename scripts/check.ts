/** `npm run check`: all checks that need no test, side by side. */
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { GENERATORS } from './project/generators.ts';
import { runScript } from './project/options.ts';

/** Each knows other globals: those of a browser, Node or workerd. */
const TYPE_SCRIPT_PROJECTS = [
  'test',
  'test/workers',
  '.',
  'src/engine/checkout/browser',
  'back-office/ui/browser',
  'site/browser',
  'clients/typescript',
  'clients/cli',
];

/** The longest first. */
const CHECKS = [
  'biome check .',
  // The checks run side by side already; more threads for one of them would repeat its work.
  ...TYPE_SCRIPT_PROJECTS.map((project) => `tsc -p ${project} --singleThreaded`),
  'redocly lint public/openapi.json',
  ...GENERATORS.map((command) => `${command} --check`),
];

const run = promisify(exec);

/** Prints what a check found. */
async function passes(command: string): Promise<boolean> {
  try {
    await run(command, { cwd: PROJECT_DIRECTORY, maxBuffer: Number.POSITIVE_INFINITY });
    return true;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    console.error(`${command}\n${stdout}${stderr}`);
    return false;
  }
}

const SCRIPT = {
  usage: 'npm run check',
  about: 'Checks generated files, OpenAPI, formatting and types.',
  options: {},
};

await runScript(SCRIPT, async () => {
  const results = await Promise.all(CHECKS.map(passes));
  console.log(`${results.filter((isOk) => isOk).length} of ${CHECKS.length} checks passed`);
  return !results.includes(false);
});
