import { configOf } from '../../engine/config.ts';
import { errorText } from '../../kit/platform/log.ts';
import { Unavailable } from '../../kit/platform/unavailable.ts';
import type { PartDigest } from './manifest.ts';
import { digestOf, openPart, sealPart, UnreadablePart } from './part.ts';

/** The bucket with the backup. */

/**
 * After a payment's object has deleted its data, the backup keeps it for this long: what a mistake or
 * a break-in destroyed can be restored for a month after its discovery.
 */
export const BACKUP_KEPT_MS = 35 * 24 * 60 * 60 * 1_000;

export class BackupUnavailable extends Unavailable {
  override readonly name = 'BackupUnavailable';
}

/** False for a gateway that was set up without backups. */
export function hasBucket(env: Env): boolean {
  const bucket: R2Bucket | undefined = env.BACKUPS;
  return bucket !== undefined;
}

/** Throws BackupUnavailable for a gateway without a bucket. */
export function bucketOf(env: Env): R2Bucket {
  if (!hasBucket(env)) {
    throw new BackupUnavailable('there is no bucket for backups');
  }
  return env.BACKUPS;
}

/** The result of a call of the bucket. Throws BackupUnavailable. */
export async function asking<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new BackupUnavailable(errorText(error));
  }
}

/** Seals and writes a part, in place of an earlier one of the same name. */
export async function writePart(
  env: Env,
  name: string,
  lines: readonly unknown[],
  nowMs: number,
): Promise<PartDigest> {
  await putPart(env, name, lines, { customMetadata: writtenAt(nowMs) });
  return { name, rows: lines.length, sha256: await digestOf(lines) };
}

/** Seals and writes a part under a free name. False, and nothing is written, if a part has the name. */
export function writeNewPart(
  env: Env,
  name: string,
  lines: readonly unknown[],
  nowMs: number,
): Promise<boolean> {
  const onlyIf = { etagDoesNotMatch: '*' };
  return putPart(env, name, lines, { customMetadata: writtenAt(nowMs), onlyIf });
}

/** False when the condition is not met. */
async function putPart(
  env: Env,
  name: string,
  lines: readonly unknown[],
  options: R2PutOptions,
): Promise<boolean> {
  const bytes = await sealPart(configOf(env).backupKeys, name, lines);
  const written: R2Object | null = await asking(bucketOf(env).put(name, bytes, options));
  return written !== null;
}

export interface ReadPart<Line> {
  readonly lines: readonly Line[];
  readonly etag: string;
  /** Null: the part does not age. */
  readonly writtenAtMs: number | null;
}

/** Opens a part; null when there is none. Throws BackupUnavailable, UnreadablePart. */
export async function readPart<Line>(env: Env, name: string): Promise<ReadPart<Line> | null> {
  const object = await asking(bucketOf(env).get(name));
  if (object === null) {
    return null;
  }
  const bytes = new Uint8Array(await asking(object.arrayBuffer()));
  const lines = (await openPart(configOf(env).backupKeys, name, bytes)) as readonly Line[];
  return { lines, etag: object.etag, writtenAtMs: writtenAtMsOf(object) };
}

/** The same for a caller that goes on without a part that is missing or damaged, and says so. */
export async function readIfWhole<Line>(
  env: Env,
  name: string,
): Promise<{ readonly part: ReadPart<Line> | null; readonly differences: readonly string[] }> {
  try {
    const part = await readPart<Line>(env, name);
    return { part, differences: part === null ? [`${name} is missing`] : [] };
  } catch (error) {
    if (error instanceof UnreadablePart) {
      return { part: null, differences: [error.message] };
    }
    throw error;
  }
}

/**
 * Replaces the lines of a part and keeps its age. False when another call has changed or deleted the
 * part since it was read.
 */
export function rewritePart(
  env: Env,
  name: string,
  lines: readonly unknown[],
  before: Pick<ReadPart<unknown>, 'etag' | 'writtenAtMs'>,
): Promise<boolean> {
  return putPart(env, name, lines, {
    customMetadata: writtenAt(before.writtenAtMs),
    onlyIf: { etagMatches: before.etag },
  });
}

/** When the part was first written: rewriting it does not keep its other lines longer. */
export function writtenAtMsOf({ customMetadata }: Pick<R2Object, 'customMetadata'>): number | null {
  const text = customMetadata?.writtenAtMs;
  return text === undefined ? null : Number(text);
}

function writtenAt(atMs: number | null): Record<string, string> {
  return atMs === null ? {} : { writtenAtMs: String(atMs) };
}

/** The names after `after` that begin with the prefix, in their order, 1,000 at most. */
export async function namesAfter(env: Env, prefix: string, after?: string): Promise<R2Object[]> {
  const options = { prefix, include: ['customMetadata'] as 'customMetadata'[] };
  const listed = await asking(
    bucketOf(env).list(after === undefined ? options : { ...options, startAfter: after }),
  );
  return listed.objects;
}

/** Goes through all names that begin with the prefix. */
export async function* allNames(env: Env, prefix: string, after?: string) {
  for (let last = after; ; ) {
    const objects = await namesAfter(env, prefix, last);
    yield* objects;
    last = objects.at(-1)?.key;
    // A page may be shorter than its limit, so only an empty one is the end.
    if (last === undefined) {
      return;
    }
  }
}
