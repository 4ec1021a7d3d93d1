import { uuidV7TimeMs } from '../../kit/crypto/uuid-v7.ts';
import { errorText } from '../../kit/platform/log.ts';
import {
  type BookBackup,
  type Manifest,
  type PartDigest,
  type PaymentLine,
  type RowLine,
  withoutAddresses,
} from './manifest.ts';
import {
  PAYMENTS_PREFIX,
  type PaymentsPart,
  parsePaymentsPart,
  paymentsPrefix,
  sequencePrefix,
} from './names.ts';
import { digestOf, UnreadablePart } from './part.ts';
import { AUDIT_LOG } from './tables.ts';

/**
 * Opens every part of a backup: its counts and digests are those of the manifest, and no sequence of
 * a book has a gap. In pages, because opening parts takes processor time. Scripts verify a fetched copy
 * with it in Node: only Web APIs here.
 */

/** Where the parts are: the bucket, or a folder with a fetched copy. */
export interface Parts {
  /** The names after `after` that begin with the prefix, in their order; an empty list at the end. */
  namesAfter(prefix: string, after?: string): Promise<readonly string[]>;
  /** Null: there is none. Throws for a part that cannot be opened. */
  open(name: string): Promise<readonly unknown[] | null>;
  /** The first sequence that the book had not deleted, as far as is known. */
  firstKept(book: BookBackup): Promise<number>;
}

const PARTS_PER_PAGE = 40;
const BOOKS_PER_PAGE = 100;

/** `named`: parts in the manifest. `books`: the first and last part of each. `payments`: all parts of books. */
const PLACE = /^(named|books|payments):(.{0,1024})$/;

export interface Found {
  readonly parts: number;
  readonly lines: number;
  /** What is wrong, in English. Empty: nothing. */
  readonly problems: readonly string[];
  /** Null on the last page. */
  readonly next: string | null;
}

/** `after`: the `next` of the page before. */
export async function verifyPage(parts: Parts, manifest: Manifest, after: string): Promise<Found> {
  const [, phase, place = ''] = PLACE.exec(after) ?? [];
  switch (phase) {
    case 'books':
      return verifyBooks(parts, manifest, Number(place));
    case 'payments':
      return verifyPayments(parts, manifest, place);
    default:
      return verifyNamed(parts, manifest, Number(place));
  }
}

interface NamedPart extends PartDigest {
  readonly table: string;
}

export function namedParts({ databases, registers, links = [] }: Manifest): readonly NamedPart[] {
  const tables = Object.values(databases).flatMap((database) => database?.tables ?? []);
  return [
    ...tables.flatMap(({ table, parts }) => parts.map((part) => ({ ...part, table }))),
    ...registers.flatMap(({ parts }) => parts.map((part) => ({ ...part, table: 'refunds' }))),
    ...links.flatMap(({ parts }) => parts.map((part) => ({ ...part, table: 'payment_links' }))),
  ];
}

async function verifyNamed(parts: Parts, manifest: Manifest, from: number): Promise<Found> {
  const named = namedParts(manifest);
  const page = named.slice(from, from + PARTS_PER_PAGE);
  const problems: string[] = [];
  let lines = 0;
  for (const { name, table, rows, sha256 } of page) {
    const found = await opened<RowLine>(parts, name, problems);
    if (found === null) {
      continue;
    }
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

async function verifyBooks(parts: Parts, { books }: Manifest, from: number): Promise<Found> {
  const page = books.slice(from, from + BOOKS_PER_PAGE);
  const problems: string[] = [];
  for (const book of page) {
    const last = sequencePrefix({ ...book, sequence: book.lastSequence });
    if (book.lastSequence < book.firstSequence) {
      continue;
    }
    if ((await parts.namesAfter(last)).length === 0) {
      problems.push(`${last}… is missing`);
    }
    const [first] = await parts.namesAfter(paymentsPrefix(book, book.generation));
    const from = first === undefined ? null : parsePaymentsPart(first);
    if (from !== null && from.sequence > (await parts.firstKept(book))) {
      problems.push(`parts before ${first} are missing`);
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

async function verifyPayments(
  parts: Parts,
  { books, startedAtMs }: Manifest,
  after: string,
): Promise<Found> {
  const named = new Set(books.map((book) => paymentsPrefix(book)));
  const names = await parts.namesAfter(PAYMENTS_PREFIX, after === '' ? undefined : after);
  const page = names.slice(0, PARTS_PER_PAGE);
  const problems: string[] = [];
  let lines = 0;
  let before = after;
  for (const key of page) {
    const found = (await opened<PaymentLine>(parts, key, problems)) ?? [];
    lines += found.length;
    const part = parsePaymentsPart(key);
    if (part === null) {
      problems.push(`${key} is not the name of a part`);
    } else if (hasGap(before, part)) {
      problems.push(`parts are missing between ${before} and ${key}`);
    }
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
    next: last === undefined ? null : `payments:${last}`,
  };
}

/** Whether a part is not the next one of its generation. The oldest parts are deleted first. */
function hasGap(before: string, { generation, sequence }: PaymentsPart): boolean {
  const last = parsePaymentsPart(before);
  return last?.generation === generation && sequence !== last.sequence + 1;
}

async function opened<Line>(
  parts: Parts,
  name: string,
  problems: string[],
): Promise<readonly Line[] | null> {
  try {
    const lines = await parts.open(name);
    if (lines === null) {
      problems.push(`${name} is missing`);
    }
    return lines as readonly Line[] | null;
  } catch (error) {
    problems.push(error instanceof UnreadablePart ? error.message : errorText(error));
    return null;
  }
}
