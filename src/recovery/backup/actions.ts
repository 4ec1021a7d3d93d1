import * as v from 'valibot';
import { beginPage, openPlace, type Reading, sealPlace } from '../../control/audit/readings.ts';
import { type ActionCall, action, entryBy, type Gateway } from '../../control/operator/call.ts';
import { operationProblem } from '../../control/operator/problems.ts';
import { record } from '../../kit/audit/log.ts';
import { base64FromBytes } from '../../kit/crypto/encoding.ts';
import { booleanField, shortText } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { askBooks } from '../../lists/book/all-books.ts';
import { isIncomplete } from '../incomplete.ts';
import { allNames, asking, bucketOf, namesAfter, readPart, writtenAtMsOf } from './bucket.ts';
import { continueBackup } from './daily.ts';
import type { Manifest } from './manifest.ts';
import {
  auditPrefix,
  type DatabaseName,
  MANIFESTS_PREFIX,
  manifestName,
  runOfPart,
  runTimeMs,
} from './names.ts';

/** What operators do with backups: begin one, list them, and copy their sealed parts elsewhere. */

/** Pages and registers of one request, which has less processor time than a cron. */
const STEPS_PER_REQUEST = 50;

/**
 * `continues`: an earlier request has begun it. `hasMembers`: the back office has exported its database
 * since. `onlyBegins`: copies nothing yet.
 */
const BEGUN = body({
  continues: v.optional(booleanField),
  hasMembers: v.optional(booleanField),
  onlyBegins: v.optional(booleanField),
});

/** Copies what has changed now, a bounded part of it. `isFinished` false: call again. */
export const backUpNow = action(BEGUN, async (call, _target, { continues, onlyBegins }) => {
  const { env, nowMs } = call;
  bucketOf(env);
  if (await isIncomplete(env.DB)) {
    throw operationProblem('nothing_to_back_up');
  }
  if (continues !== true) {
    const entry = { merchantId: null, environment: null, target: null } as const;
    await record(env.DB, entryBy(call, { ...entry, action: 'backup.begun' }));
  }
  if (onlyBegins === true) {
    return { run: null, isFinished: false, booksLeft: 0, isComplete: true };
  }
  let booksLeft = 0;
  const { isComplete } = await askBooks(env, ENVIRONMENTS, async (book) => {
    const isDone = await book.backUp().catch((error: unknown) => {
      log('warn', 'backup_of_book_failed', { error: errorText(error) });
      return false;
    });
    booksLeft += Number(!isDone);
    return [];
  });
  // The manifest names what the books have copied, so it follows them.
  if (booksLeft > 0) {
    return { run: null, isFinished: false, booksLeft, isComplete };
  }
  const { state, run } = await continueBackup(env, nowMs, {
    isExtra: true,
    stepsMax: STEPS_PER_REQUEST,
  });
  return { run, isFinished: state === 'finished', booksLeft, isComplete };
});

/** Every backup, the newest first. */
export async function listBackups({ env }: Pick<Gateway, 'env'>) {
  const backups: { readonly run: string; readonly finishedAtMs: number | null }[] = [];
  for await (const object of allNames(env, MANIFESTS_PREFIX)) {
    const run = object.key.slice(MANIFESTS_PREFIX.length);
    backups.push({ run, finishedAtMs: writtenAtMsOf(object) });
  }
  return backups.reverse();
}

export type Backups = Awaited<ReturnType<typeof listBackups>>;

/** The manifest of a run; Problem 404 without one. */
export async function manifestOf(env: Env, run: string | undefined): Promise<Manifest> {
  const part =
    run !== undefined && runTimeMs(run) !== null
      ? await readPart<Manifest>(env, manifestName(run))
      : null;
  const manifest = part?.lines[0];
  if (manifest === undefined) {
    throw operationProblem('backup_not_found', { run: String(run).slice(0, 40) });
  }
  return manifest;
}

/** Longer than a name in the bucket with its signature. */
const PLACE_CHARACTERS_MAX = 2_000;

const placeField = v.optional(shortText(PLACE_CHARACTERS_MAX));
const LISTED = body({ after: placeField });
const PART = body({ name: shortText(PLACE_CHARACTERS_MAX), reading: placeField });

/** A place in the names of a run: the prefix, and the last name of it. */
const PLACE = /^(\d):(.{0,1024})$/;

/** The parts of all runs lie together, so who has begun to read one may read each. */
function readingOf({ config, nowMs, actor }: ActionCall, what: 'list' | 'part'): Reading {
  return { config, nowMs, scope: ['backup', what, actor.id] };
}

function recordReading(call: ActionCall, target: string): Promise<void> {
  const entry = { merchantId: null, environment: null, target } as const;
  return record(call.env.DB, entryBy(call, { ...entry, action: 'backup.read' }));
}

/**
 * The parts that a restore of the run needs, and those that books have written since, in pages, of
 * which the first writes an audit entry. `etag` is the MD5 of the bytes. With `reading`, `backupPart`
 * writes no entry for each part: a backup of a large gateway has a hundred thousand.
 */
export const backupParts = action(LISTED, async (call, target, { after = null }) => {
  const { env } = call;
  const { run, databases } = await manifestOf(env, target.run);
  const reading = readingOf(call, 'list');
  const begun = await beginPage(reading, after, () => recordReading(call, run));
  const backOffice = databases['back-office'];
  const prefixes = [
    manifestName(run),
    `databases/payments/${run}/`,
    auditPrefix('payments'),
    ...(backOffice === null
      ? []
      : [`databases/back-office/${backOffice.run}/`, auditPrefix('back-office')]),
    'registers/',
    'payments/',
  ];
  const [, index = '0', name = ''] = PLACE.exec(begun.place ?? '') ?? [];
  const prefix = prefixes[Number(index)] ?? '-';
  const objects = await namesAfter(env, prefix, name === '' ? undefined : name);
  const last = objects.at(-1);
  const following = Number(index) + 1;
  const isOver = last === undefined && following >= prefixes.length;
  const next = last !== undefined ? `${index}:${last.key}` : isOver ? null : `${following}:`;
  return {
    parts: objects
      .filter(({ key }) => !key.startsWith('registers/') || runOfPart(key) === run)
      .map(({ key, size, etag }) => ({ name: key, bytes: size, etag })),
    next: next && (await sealPlace(reading, begun, next)),
    reading: await sealPlace(readingOf(call, 'part'), begun, ''),
  };
});

/**
 * The bytes of a part as they are stored: sealed. Writes an audit entry, unless it is read by the
 * `reading` of a list of the last day. Problem 404 without a part.
 */
export const backupPart = action(PART, async (call, _target, { name, reading = '' }) => {
  const { env } = call;
  if ((await openPlace(readingOf(call, 'part'), reading)) === null) {
    await recordReading(call, name);
  }
  const object = await asking(bucketOf(env).get(name));
  if (object === null) {
    throw operationProblem('backup_not_found', { run: name.slice(0, 200) });
  }
  return { name, base64: base64FromBytes(new Uint8Array(await asking(object.arrayBuffer()))) };
});

/** When the last runs of both databases ended, and how many books fail to copy their payments. */
export async function backupHealth(env: Env) {
  const lastOf = (database: DatabaseName) =>
    `(SELECT MAX(finished_at_ms) FROM backup_runs WHERE database = '${database}')`;
  const sql = `SELECT ${lastOf('payments')} AS finishedAtMs,
      ${lastOf('back-office')} AS membersFinishedAtMs,
      (SELECT COUNT(*) FROM book_digest WHERE digest ->> '$.backupFailures' > 0) AS failingBooks`;
  const found = await prepare(env.DB, { sql, params: [] }).first<{
    readonly finishedAtMs: number | null;
    readonly membersFinishedAtMs: number | null;
    readonly failingBooks: number;
  }>();
  return found ?? { finishedAtMs: null, membersFinishedAtMs: null, failingBooks: 0 };
}
