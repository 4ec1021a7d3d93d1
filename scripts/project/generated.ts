import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY, readIfPresent, writeWhole } from './files.ts';
import { runScript } from './options.ts';

const OPTIONS = { check: { value: null, about: 'write nothing, and fail if a file is outdated' } };

/** What a script makes: the text of each file by its path, and files of earlier versions. */
export interface Generated {
  readonly files: ReadonlyMap<string, string>;
  readonly leftOver?: readonly string[];
}

/**
 * A script that makes files out of the sources. The files are committed, so that deploying and
 * testing need no build step and readers see what a change does to them.
 */
export function writeGenerated(
  script: { readonly usage: string; readonly about: string },
  generate: () => Promise<Generated>,
): Promise<void> {
  return runScript({ ...script, options: OPTIONS }, async ({ check: isCheck }) => {
    const { files, leftOver = [] } = await generate();
    const found = await Promise.all(
      [...files].map(async ([path, text]) => ({
        path,
        text,
        isCurrent: (await readIfPresent(join(PROJECT_DIRECTORY, path))) === text,
      })),
    );
    // Unchanged files stay untouched: a running `npm run dev` would reload needlessly.
    const outdated = found.filter(({ isCurrent }) => !isCurrent);
    if (isCheck) {
      for (const path of [...outdated.map((it) => it.path), ...leftOver]) {
        console.error(`${path} is outdated: run \`${script.usage}\` and commit what it changes.`);
      }
      return outdated.length + leftOver.length === 0;
    }
    for (const { path, text } of outdated) {
      await writeWhole(join(PROJECT_DIRECTORY, path), text);
      console.log(`wrote ${path}`);
    }
    for (const path of leftOver) {
      await rm(join(PROJECT_DIRECTORY, path));
      console.log(`removed ${path}`);
    }
    return true;
  });
}
