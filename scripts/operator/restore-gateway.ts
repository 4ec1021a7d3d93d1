import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError, send } from './client.ts';
import type { Gateway } from './command.ts';
import { FoundError, type Given, UsageError } from './command.ts';
import type { RestoreShown, RestoreStep, Uploaded } from './restore-lines.ts';

/**
 * Restores an empty gateway: it takes one bounded step after another until the gateway proves what it
 * has. Killed anywhere, it continues where the gateway stands when it is run again.
 */

/** A gateway that restarts, or an object that moves, answers again within these. */
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 1_000;
/** Where the manifests of a backup are. */
const MANIFESTS = 'runs/';

/** Yields after each step. Throws FoundError after the proof if anything differs. */
export async function* restoreGateway(
  gateway: Gateway,
  given: Given,
): AsyncGenerator<RestoreShown> {
  const directory = given.option('from');
  const run = given.option('run') ?? '';
  if (directory !== undefined) {
    yield* upload(gateway, directory, run);
  }
  let before = '';
  for (;;) {
    const step = (await persistently(gateway, '/restore', { run })) as RestoreStep;
    const text = JSON.stringify(step);
    // Many steps find nothing to bring back.
    if (text !== before) {
      yield step;
    }
    before = text;
    if (step.proof !== null) {
      const { differences } = step.proof;
      if (differences.length > 0) {
        throw new FoundError(`The gateway differs from the backup:\n  ${differences.join('\n  ')}`);
      }
      return;
    }
  }
}

/** Parts that the bucket has are not written again. The manifests come last. */
async function* upload(gateway: Gateway, directory: string, run: string): AsyncGenerator<Uploaded> {
  const names = await partsIn(directory);
  const isManifest = (name: string) => name.startsWith(MANIFESTS);
  if (!names.includes(`${MANIFESTS}${run}`)) {
    const known = names.filter(isManifest).map((name) => name.slice(MANIFESTS.length));
    throw new UsageError(
      `--run: ${directory} has no backup ${run}, but ${known.join(', ') || 'none at all'}`,
    );
  }
  const ordered = [...names.filter((name) => !isManifest(name)), ...names.filter(isManifest)];
  for (const [index, name] of ordered.entries()) {
    const base64 = (await readFile(join(directory, ...name.split('/')))).toString('base64');
    await persistently(gateway, '/restore/parts', { name, base64 });
    yield { phase: 'upload', parts: index + 1, of: ordered.length };
  }
}

/** The names of parts are the paths of files below the directory. */
async function partsIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageError(`--from: there is no directory ${directory}`);
  });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return files
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)).split(sep).join('/'))
    .sort();
}

/** Every step can be repeated. A refusal is not repeated. */
async function persistently(
  gateway: Gateway,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(gateway, { path, body });
    } catch (error) {
      if (tries >= TRIES_MAX || !isPassing(error)) {
        throw error;
      }
      await wait(TRY_AGAIN_MS);
    }
  }
}

/** No answer, or a failure of the gateway's own. */
function isPassing(error: unknown): boolean {
  return error instanceof GatewayError && (error.status === null || error.status >= 500);
}
