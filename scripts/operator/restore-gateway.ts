import { setTimeout as wait } from 'node:timers/promises';
import type { RestoreProof } from '../../src/control/rpc/operator.ts';
import { manifestName } from '../../src/recovery/backup/names.ts';
import { GatewayError, send } from './client.ts';
import type { Gateway } from './command.ts';
import { FoundError, type Given } from './command.ts';
import { bytesOfPart, checkRun, isManifest, partsIn } from './copy-folder.ts';
import { closedText, type RestoreShown, type RestoreStep, type Uploaded } from './restore-lines.ts';

/**
 * Restores an empty gateway: it takes one bounded step after another until the gateway proves what it
 * has. Killed anywhere, it continues where the gateway stands when it is run again. After the proof it
 * walks through the backup again, for what has come since, until the restore is closed.
 */

/** A gateway that restarts, or an object that moves, answers again within these. */
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 1_000;

/** Yields after each step. Throws FoundError after the proof if anything differs. */
export async function* restoreGateway(
  gateway: Gateway,
  given: Given,
): AsyncGenerator<RestoreShown> {
  const directory = given.option('from');
  const run = given.option('run') ?? '';
  const unread = directory === undefined ? [] : yield* upload(gateway, directory, run);
  let before = '';
  for (let first = { again: true, unread }; ; first = { again: false, unread: [] }) {
    const step = (await persistently(gateway, '/restore', { run, ...first })) as RestoreStep;
    const text = JSON.stringify(step);
    // Many steps find nothing to bring back.
    if (text !== before) {
      yield step;
    }
    before = text;
    if (step.proof !== null) {
      if (step.proof.differences.length > 0) {
        throw new FoundError(differing(run, step.proof));
      }
      return;
    }
  }
}

function differing(run: string, { differences, missing, closedAtMs }: RestoreProof): string {
  const list = `  ${differences.join('\n  ')}`;
  return closedAtMs === null
    ? `The gateway differs from the backup:
${list}
The restore stays open. Put back what is missing and run this command again: it takes what has come.
To go on without it for good: npm run operator -- restore close --run ${run} --without ${missing}`
    : `${closedText(closedAtMs)} It was closed without:
${list}`;
}

/**
 * Parts that the bucket has are not written again. The manifests come last. Returns the names of parts
 * that neither the copy nor the bucket has whole: they must not keep the others from coming back.
 */
async function* upload(
  gateway: Gateway,
  directory: string,
  run: string,
): AsyncGenerator<Uploaded, string[]> {
  const unread: string[] = [];
  const names = await partsIn(directory);
  checkRun(directory, names, run);
  const ordered = [...names.filter((name) => !isManifest(name)), ...names.filter(isManifest)];
  for (const [index, name] of ordered.entries()) {
    const base64 = (await bytesOfPart(directory, name)).toString('base64');
    if (!(await isWhole(gateway, name, base64))) {
      unread.push(name);
    }
    yield { phase: 'upload', parts: index + 1, of: ordered.length, unread };
  }
  const manifest = manifestName(run);
  if (unread.includes(manifest)) {
    throw new FoundError(
      unread.length === ordered.length
        ? 'No part of the copy opens with the keys of this gateway, so it was not made with the same recovery file and deployment file as the backup. Nothing was restored.'
        : `Nothing was restored, because ${manifest} names all other parts: take it from another copy.`,
    );
  }
  return unread;
}

/** Uploads a part. False for one that does not open. */
async function isWhole(gateway: Gateway, name: string, base64: string): Promise<boolean> {
  try {
    await persistently(gateway, '/restore/parts', { name, base64 });
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 409) {
      return false;
    }
    throw error;
  }
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
