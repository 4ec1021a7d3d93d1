/**
 * `npm run docs`: builds the site of the documentation (`site`, out of `docs`) into `back-office/public`, which
 * the back office serves as static files: `/docs`, `/llms.txt` and `/llms-full.txt`. wrangler's build
 * step runs it too; nothing happens while the sources are those of the last build.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY, readIfPresent } from './project/files.ts';
import { fingerprintOf } from './project/fingerprint.ts';
import { runScript } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run docs',
  about: 'Builds the site of the documentation into `back-office/public`, unless it is up to date.',
  options: {},
};

const PUBLIC_DIRECTORY = join(PROJECT_DIRECTORY, 'back-office', 'public');
/** What the build writes, below `back-office/public`. */
const RESULTS = ['docs-assets', 'docs', 'llms.txt', 'llms-full.txt', 'llms-merchant.txt'];
const SOURCES = [
  'docs/**',
  'site/**',
  'src/kit/ui/styles/*.css',
  'CHANGELOG.md',
  'clients/**',
  'public/openapi.json',
  'package-lock.json',
];
/** Written last, so that it proves a whole build. */
const FINGERPRINT_FILE = join(PUBLIC_DIRECTORY, 'docs', 'fingerprint.txt');

await runScript(SCRIPT, async () => {
  const fingerprint = fingerprintOf(SOURCES, ['clients/*/dist/**']);
  if ((await readIfPresent(FINGERPRINT_FILE)) === fingerprint) {
    return;
  }
  // Several gateways may start, and build, at the same time.
  const output = join(PROJECT_DIRECTORY, `.docs-${randomUUID()}`);
  try {
    await mkdir(output, { recursive: true });
    await generate(output);
    await writeFile(join(output, 'docs', 'fingerprint.txt'), fingerprint);
    for (const result of RESULTS) {
      const published = join(PUBLIC_DIRECTORY, result);
      await moveUnless('ENOENT', published, join(output, `former-${result}`));
      await moveUnless('ENOTEMPTY', join(output, result), published);
    }
  } finally {
    await rm(output, { recursive: true, force: true });
  }
});

/**
 * Each step is one rename, which another build cannot see half done: when it has moved the folder away
 * already, or put its own there, this build leaves it.
 */
async function moveUnless(code: 'ENOENT' | 'ENOTEMPTY', from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === code)) {
      throw error;
    }
  }
}

async function generate(output: string): Promise<void> {
  const config = join('site', 'eleventy.config.mjs');
  const eleventy = join('node_modules', '@11ty', 'eleventy', 'cmd.cjs');
  const generator = spawn(process.execPath, [eleventy, `--config=${config}`], {
    cwd: PROJECT_DIRECTORY,
    env: { ...process.env, KEFEL_SITE_OUTPUT: output },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(generator, 'exit');
  if (exitCode !== 0) {
    throw new Error('The documentation could not be built');
  }
}
