import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { keyRing } from '../../src/engine/config.ts';
import type { NamedKey } from '../../src/kit/crypto/key-ring.ts';
import type { BookBackup, Manifest } from '../../src/recovery/backup/manifest.ts';
import { manifestName, runOfPart } from '../../src/recovery/backup/names.ts';
import { keyIdOfPart, openPart, UnreadablePart } from '../../src/recovery/backup/part.ts';
import { namedParts, type Parts, verifyPage } from '../../src/recovery/backup/verify-parts.ts';
import { readDeployment } from '../deployment/deployment-file.ts';
import { backupKeys } from '../deployment/keys.ts';
import { defaultRecoveryFile, requireRecoveryFile } from '../deployment/recovery-file.ts';
import { PROJECT_DIRECTORY, readIfPresent } from '../project/files.ts';
import { FoundError, type Given, UsageError } from './command.ts';
import { bytesOfPart, checkRun, partsIn, runsAmong } from './copy-folder.ts';

/** Verifies a fetched copy on this machine: it asks no gateway. */

/** Finds the key of a part by the part's key id. */
type KeyOf = (keyId: string) => NamedKey | undefined;

/** Yields the counts. Throws FoundError with what is wrong. */
export async function* verifyCopy(
  given: Given,
  deployment: string | undefined,
): AsyncGenerator<object> {
  const folder = given.option('from') ?? '';
  const names = await partsIn(folder);
  const run = given.option('run') ?? runsAmong(names).at(-1);
  checkRun(folder, names, run);
  const keyOf = await keysOf(given.option('recovery'), deployment);
  const manifests = await manifestsIn(folder, names, keyOf, run ?? '');
  const manifest = manifests.find((one) => one.run === run);
  if (manifest === undefined) {
    throw new FoundError(`${run} is empty`);
  }
  const parts = copiedParts(folder, names, manifests, keyOf);
  const total = { run, parts: 0, lines: 0, problems: 0 };
  const problems = foreignParts(names, manifest);
  for (let after: string | null = ''; after !== null; ) {
    const page = await verifyPage(parts, manifest, after);
    total.parts += page.parts;
    total.lines += page.lines;
    problems.push(...page.problems);
    after = page.next;
  }
  yield { ...total, problems: problems.length };
  if (problems.length > 0) {
    throw new FoundError(problems.join('\n'));
  }
}

/** Without a deployment, the copy is that of `npm run dev`, whose keys are random. */
async function keysOf(
  recovery: string | undefined,
  deployment: string | undefined,
): Promise<KeyOf> {
  if (recovery === undefined && deployment === undefined) {
    const text = await readIfPresent(join(PROJECT_DIRECTORY, '.dev.vars'));
    const { BACKUP_KEYS: own } = parseEnv(text ?? '');
    if (own === undefined) {
      throw new UsageError(
        'name the deployment with --env or KEFEL_ENV, or its recovery file with --recovery',
      );
    }
    const ring = keyRing('BACKUP_KEYS', own);
    return (keyId) => ring.find((key) => key.keyId === keyId);
  }
  const known = deployment === undefined ? null : await readDeployment(deployment);
  const key = await requireRecoveryFile(recovery ?? defaultRecoveryFile(deployment ?? ''));
  return backupKeys(known, key);
}

/** Those that open. Throws FoundError when that of `run` does not. */
async function manifestsIn(
  folder: string,
  names: readonly string[],
  keyOf: KeyOf,
  run: string,
): Promise<readonly Manifest[]> {
  const found: Manifest[] = [];
  for (const name of runsAmong(names).map(manifestName)) {
    try {
      found.push(...((await linesOf(folder, name, keyOf)) as readonly Manifest[]));
    } catch (error) {
      if (!(error instanceof UnreadablePart)) {
        throw error;
      }
      if (name === manifestName(run)) {
        throw new FoundError(`${error.message}, or the recovery file is another gateway's`);
      }
    }
  }
  return found;
}

async function linesOf(folder: string, name: string, keyOf: KeyOf): Promise<readonly unknown[]> {
  const bytes = await bytesOfPart(folder, name);
  const key = keyOf(keyIdOfPart(name, bytes));
  return openPart(key === undefined ? [] : [key], name, bytes);
}

function copiedParts(
  folder: string,
  names: readonly string[],
  manifests: readonly Manifest[],
  keyOf: KeyOf,
): Parts {
  const has = new Set(names);
  return {
    namesAfter: async (prefix, after = '') =>
      names.filter((name) => name.startsWith(prefix) && name > after),
    open: async (name) => (has.has(name) ? linesOf(folder, name, keyOf) : null),
    firstKept: async (book) => firstKept(manifests, book),
  };
}

/** A later run of the copy may say that the book has deleted its oldest parts since. */
function firstKept(
  manifests: readonly Manifest[],
  { environment, merchantId, volume, generation }: BookBackup,
): number {
  const own = manifests
    .flatMap(({ books }) => books)
    .filter(
      (book) =>
        book.environment === environment &&
        book.merchantId === merchantId &&
        book.volume === volume &&
        book.generation === generation,
    );
  return Math.max(...own.map(({ firstSequence }) => firstSequence));
}

/** Parts of this run that its manifest does not name. Those of other runs are none of its business. */
function foreignParts(names: readonly string[], manifest: Manifest): string[] {
  const runs = [manifest.run, manifest.databases['back-office']?.run];
  const named = new Set(namedParts(manifest).map(({ name }) => name));
  return names
    .filter((name) => /^(?:databases|registers)\//.test(name) && !named.has(name))
    .filter((name) => runs.includes(runOfPart(name) ?? ''))
    .map((name) => `the manifest does not name ${name}`);
}
