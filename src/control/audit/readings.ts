import type { Config } from '../../engine/config.ts';
import { DAY_MS } from '../../engine/domain/schedule.ts';
import { utf8 } from '../../kit/crypto/encoding.ts';
import { signBytes, verifyBytes } from '../../kit/crypto/signed-bytes.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { validationProblem } from '../../kit/http/problem.ts';

/**
 * Data that leaves the gateway in bulk, page by page. The first page writes the audit entry, and only
 * a page gives the place of the next one: a caller who skips the first page gets none.
 */

/** Longer than the slowest download, so that the place of a later page expires. */
const READING_MS = DAY_MS;

export const WRONG_PLACE = fieldError(
  'invalid_format',
  'Must be the place that the page before gave.',
);

/** What is read by whom. A place of one reading is none of another. */
export interface Reading {
  readonly config: Pick<Config, 'linkSigningKeys'>;
  readonly nowMs: number;
  readonly scope: readonly unknown[];
}

export interface BegunReading {
  readonly begunAtMs: number;
  /** As the page before gave it; null on the first page. */
  readonly place: string | null;
}

/** Where a page begins. The first one is recorded before it is read. Problem 400 for a wrong place. */
export async function beginPage(
  reading: Reading,
  after: string | null,
  record: () => Promise<void>,
): Promise<BegunReading> {
  if (after === null) {
    await record();
    return { begunAtMs: reading.nowMs, place: null };
  }
  const opened = await openPlace(reading, after);
  if (opened === null) {
    throw validationProblem({ after: WRONG_PLACE });
  }
  return opened;
}

/** The place of a later page of a reading that has begun. */
export function sealPlace(
  reading: Reading,
  { begunAtMs }: BegunReading,
  place: string,
): Promise<string> {
  const { linkSigningKeys } = reading.config;
  return signBytes(linkSigningKeys, purposeOf(reading), utf8(`${begunAtMs}:${place}`));
}

/** Null for a place that no page of this reading gave in the last day. */
export async function openPlace(reading: Reading, sealed: string): Promise<BegunReading | null> {
  const { config, nowMs } = reading;
  const payload = await verifyBytes(config.linkSigningKeys, purposeOf(reading), sealed);
  const text = payload === null ? '' : new TextDecoder().decode(payload);
  const colon = text.indexOf(':');
  const begunAtMs = Number(text.slice(0, Math.max(colon, 0)));
  return colon > 0 && nowMs - begunAtMs <= READING_MS
    ? { begunAtMs, place: text.slice(colon + 1) }
    : null;
}

/** JSON ends where it ends, so no two scopes and places make the same message. */
function purposeOf({ scope }: Reading): string {
  return `reading/${JSON.stringify(scope)}`;
}
