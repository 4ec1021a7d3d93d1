import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { WRANGLERS_BUILD_OPTIONS } from '../../scripts/project/bundling.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { wranglerAliases } from '../../scripts/project/wrangler-aliases.ts';
import { inDirectory } from '../harness/directory.ts';

/** The code of both Workers of one version, each as one module with readable names. */
export interface VersionCode {
  readonly payments: string;
  readonly backOffice: string;
}

const run = promisify(execFile);

/** Builds both Workers of a commit, with the packages that are installed now. */
export function codeOfCommit(commit: string): Promise<VersionCode> {
  return inDirectory(async (directory) => {
    const archive = join(directory, 'sources.tar');
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: PROJECT_DIRECTORY });
    await run('tar', ['-x', '-f', archive, '-C', directory]);
    const packages = 'node_modules';
    await symlink(join(PROJECT_DIRECTORY, packages), join(directory, packages));
    return codeOf(directory);
  });
}

/** Builds both Workers of the sources in a folder, like wrangler for a deployment. */
export async function codeOf(directory = PROJECT_DIRECTORY): Promise<VersionCode> {
  const [payments, backOffice] = await Promise.all([
    bundled(directory, 'src/index.ts', []),
    bundled(directory, 'back-office/index.ts', [await wranglerAliases(directory)]),
  ]);
  return { payments, backOffice };
}

async function bundled(directory: string, entry: string, plugins: Plugin[]): Promise<string> {
  const { outputFiles = [] } = await build({
    ...WRANGLERS_BUILD_OPTIONS,
    absWorkingDir: directory,
    entryPoints: [entry],
    minify: false,
    write: false,
    plugins,
  });
  const [output] = outputFiles;
  if (output === undefined) {
    throw new Error(`esbuild made nothing of ${entry}`);
  }
  return output.text;
}
