import type { Gateway, Target } from '../../control/operator/call.ts';
import { uuidV7TimeMs } from '../../kit/crypto/uuid-v7.ts';
import { prepare } from '../../kit/platform/database.ts';
import { errorText } from '../../kit/platform/log.ts';
import { manifestOf } from './actions.ts';
import { namesAfter, readPart } from './bucket.ts';
import type { BookBackup, Manifest, PartDigest, PaymentLine, RowLine } from './manifest.ts';
import { PAYMENTS_PREFIX, parsePaymentsPart, paymentsPrefix, sequencePrefix } from './names.ts';
import { digestOf } from './part.ts';
import { withoutAddresses } from './runs.ts';
import { AUDIT_LOG } from './tables.ts';

/**
 * Opens every part of a backup: its counts and digests are those of the manifest, and no sequence of
 * a book has a gap. In pages, because opening parts takes processor time.
 */

const PARTS_PER_PAGE = 40;
const BOOKS_PER_PAGE = 100;

/** `named`: parts in the manifest. `books`: the first and last part of each. `payments`: all parts of books. */
const PLACE = /^(named|books|payments):(.{0,1024})$/;

interface Found {
  readonly parts: number;
  readonly lines: number;
  /** What is wrong, in English. Empty: nothing. */
  readonly problems: readonly string[];
  /** Null on the last page. */
  readonly next: string | null;
}

export async function verifyBackup(
  { env }: Pick<Gateway, 'env'>,
  target: Target,
  { after = 'named:0' }: Readonly<Record<string, string>>,
): Promise<Found> {
  const manifest = await manifestOf(env, target.run);
  const [, phase, place = ''] = PLACE.exec(after) ?? [];
  switch (phase) {
    case 'books':
      return verifyBooks(env, manifest, Number(place));
    case 'payments':
      return verifyPayments(env, manifest, place);
    default:
      return verifyNamed(env, manifest, Number(place));
  }
}

interface NamedPart extends PartDigest {
  readonly table: string;
}

function namedParts({ databases, registers }: Manifest): readonly NamedPart[] {
  const tables = Object.values(databases).flatMap((database) => database?.tables ?? []);
  return [
    ...tables.flatMap(({ table, parts }) => parts.map((part) => ({ ...part, table }))),
    ...registers.flatMap(({ parts }) => parts.map((part) => ({ ...part, table: 'refunds' }))),
  ];
}

async function verifyNamed(env: Env, manifest: Manifest, from: number): Promise<Found> {
  const named = namedParts(manifest);
  const page = named.slice(from, from + PARTS_PER_PAGE);
  const problems: string[] = [];
  let lines = 0;
  for (const { name, table, rows, sha256 } of page) {
    const found = await opened<RowLine>(env, name, problems);
    lines += found.length;
    const digested = table === AUDIT_LOG.table ? withoutAddresses(found) : found;
    if (found.length !== rows) {
      problems.push(`${name} has ${found.length} lines, the manifest says ${rows}`);
    } else if ((await digestOf(digested)) !== sha256) {
      problems.push(`${name} has another digest than the manifest says`);
    }
  }
  const end = from + page.length;
  return {
    parts: page.length,
    lines,
    problems,
    next: end < named.length ? `named:${end}` : 'books:0',
  };
}

async function verifyBooks(env: Env, { books }: Manifest, from: number): Promise<Found> {
  const page = books.slice(from, from + BOOKS_PER_PAGE);
  const problems: string[] = [];
  for (const book of page) {
    const last = sequencePrefix({ ...book, sequence: book.lastSequence });
    if (book.lastSequence < book.firstSequence) {
      continue;
    }
    if ((await namesAfter(env, last)).length === 0) {
      problems.push(`${last}… is missing`);
    }
    const [first] = await namesAfter(env, paymentsPrefix(book, book.generation));
    const from = first === undefined ? null : parsePaymentsPart(first.key);
    if (from !== null && from.sequence > (await firstKept(env, book))) {
      problems.push(`parts before ${first?.key} are missing`);
    }
  }
  const end = from + page.length;
  return {
    parts: 0,
    lines: 0,
    problems,
    next: end < books.length ? `books:${end}` : 'payments:',
  };
}

/** The book may have deleted its oldest parts since the run, and has reported that. */
async function firstKept(env: Env, book: BookBackup): Promise<number> {
  const { environment, merchantId, volume, generation, firstSequence } = book;
  const sql = `SELECT digest ->> '$.backup.firstSequence' AS sequence FROM book_digest
    WHERE environment = ?1 AND merchant_id = ?2 AND volume = ?3
      AND digest ->> '$.backup.generation' = ?4`;
  const params = [environment, merchantId, volume, generation];
  const sequence = await prepare(env.DB, { sql, params }).first<number>('sequence');
  return Math.max(firstSequence, sequence ?? 0);
}

async function verifyPayments(
  env: Env,
  { books, startedAtMs }: Manifest,
  after: string,
): Promise<Found> {
  const named = new Set(books.map((book) => paymentsPrefix(book)));
  const objects = await namesAfter(env, PAYMENTS_PREFIX, after === '' ? undefined : after);
  const page = objects.slice(0, PARTS_PER_PAGE);
  const problems: string[] = [];
  let lines = 0;
  let before = after;
  for (const { key } of page) {
    const found = await opened<PaymentLine>(env, key, problems);
    lines += found.length;
    if (hasGap(before, key)) {
      problems.push(`parts are missing between ${before} and ${key}`);
    }
    const part = parsePaymentsPart(key);
    const prefix = part === null ? null : paymentsPrefix(part);
    const isFirst = prefix !== null && !before.startsWith(prefix);
    // A book that began after the run is in the next one.
    const isNew = (uuidV7TimeMs(part?.generation ?? '') ?? 0) >= startedAtMs;
    if (isFirst && !isNew && !named.has(prefix)) {
      problems.push(`the manifest does not name the book ${prefix}`);
    }
    if (found.some(({ records }) => records.length === 0)) {
      problems.push(`${key} has a payment without its rows`);
    }
    before = key;
  }
  const last = page.at(-1);
  return {
    parts: page.length,
    lines,
    problems,
    next: last === undefined ? null : `payments:${last.key}`,
  };
}

/** Whether a part is not the next one of its generation. The oldest parts are deleted first. */
function hasGap(before: string, name: string): boolean {
  const one = parsePaymentsPart(before);
  const other = parsePaymentsPart(name);
  return (
    other === null || (one?.generation === other.generation && other.sequence !== one.sequence + 1)
  );
}

async function opened<Line>(env: Env, name: string, problems: string[]): Promise<readonly Line[]> {
  try {
    const part = await readPart<Line>(env, name);
    if (part === null) {
      problems.push(`${name} is missing`);
    }
    return part?.lines ?? [];
  } catch (error) {
    problems.push(errorText(error));
    return [];
  }
}
