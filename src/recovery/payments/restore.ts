import type { Intent } from '../../engine/domain/intent.ts';
import { receiptsOf } from '../../engine/domain/receipt.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import type { RestoreResult } from '../../engine/intent/protocol.ts';
import { methodOfSharedAddress } from '../../engine/rails/settings.ts';
import { registerOf } from '../../engine/register/client.ts';
import { type BackedUpRefund, countedRefunds } from '../../engine/register/protocol.ts';
import { businessDay } from '../../kit/ethiopian-time.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { Unavailable } from '../../kit/platform/unavailable.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { allNames, asking, bucketOf, namesAfter, readIfWhole } from '../backup/bucket.ts';
import type { BookBackup, PaymentLine } from '../backup/manifest.ts';
import {
  type BookName,
  type PaymentsPart,
  parsePaymentsPart,
  paymentsPrefix,
  sequencePrefix,
} from '../backup/names.ts';
import type { PaymentsPlace } from '../restore-state.ts';

/**
 * Payments of one book, from its newest part to its oldest: the first line of a payment is its newest
 * one, and the object refuses the others. So no object works on a state that a later line replaces.
 */

/** A payment costs two calls, and each of these two more. A Worker may make a thousand. */
export const PAYMENTS_MAX = 100;

export interface RestoredLines {
  readonly lines: number;
  readonly restored: number;
  readonly kept: number;
  readonly differences: readonly string[];
  /** Null: the book has no older part. */
  readonly next: PaymentsPlace | null;
}

const NOTHING = { lines: 0, restored: 0, kept: 0, differences: [], next: null } as const;

/**
 * Restores the next lines. Throws Unavailable when a payment, its register or its book did not answer:
 * the same call can be repeated.
 */
export async function restorePayments(
  env: Env,
  book: BookBackup,
  from: PaymentsPlace | null,
): Promise<RestoredLines> {
  const place = from ?? (await newestPlace(env, book, null));
  if (place === null) {
    return NOTHING;
  }
  const part = await partAt(env, book, place);
  if (part === null) {
    return { ...NOTHING, ...(await beyond(env, book, place)) };
  }
  const read = await readIfWhole<PaymentLine>(env, part.name);
  const all = read.part?.lines ?? [];
  const lines = all.slice(place.lines, place.lines + PAYMENTS_MAX);
  await prepareRegister(env, book, lines);
  const outcomes = await concurrently(lines, (line) => restoreLine(env, book, part.name, line));
  const done = place.lines + lines.length;
  const next = { ...place, sequence: place.sequence - 1, lines: 0 };
  const countOf = (wanted: RestoreResult) => outcomes.filter((one) => one === wanted).length;
  const unreadable = countOf('unreadable');
  const isBack = (outcome?: RestoreResult) => outcome === 'restored' || outcome === 'kept';
  await compareRefunds(
    env,
    book,
    lines.filter((_line, index) => isBack(outcomes[index])),
  );
  const linesThat = (wanted: RestoreResult) =>
    lines.filter((_line, index) => outcomes[index] === wanted);
  return {
    lines: lines.length,
    restored: countOf('restored'),
    kept: countOf('kept') + countOf('overtaken'),
    differences: [
      ...read.differences,
      ...(unreadable === 0 ? [] : [`${part.name}: ${unreadable} payments are of a newer release`]),
      ...linesThat('conflict').map(
        ({ uniqueId }) => `${nameOf(book)}: another payment has the id ${uniqueId} now`,
      ),
      ...linesThat('overtaken').map((line) => `${nameOf(book)}: ${overtaken(part.name, line)}`),
    ],
    next: done < all.length ? { ...place, lines: done } : next,
  };
}

/** What a person compares by hand. */
function overtaken(part: string, { uniqueId, records }: PaymentLine): string {
  const newer = intentIn(records);
  const receipts = newer?.attempts.flatMap(receiptsOf) ?? [];
  const paid = receipts.length === 0 ? '' : `, with the receipts ${receipts.join(', ')}`;
  return `${uniqueId} has gone on from an older copy; ${part} has it as ${newer?.status}${paid}`;
}

async function restoreLine(env: Env, book: BookBackup, part: string, line: PaymentLine) {
  const client = await intentByUniqueId(env, book, line.uniqueId);
  try {
    const outcome = await client.restore(line.records, { part, backedUpAtMs: book.atMs });
    if (outcome === 'restored' || outcome === 'kept' || outcome === 'overtaken') {
      await client.republish();
    }
    return outcome;
  } catch (error) {
    log('warn', 'restore_failed', { objectName: client.objectName, error: errorText(error) });
    throw new Unavailable('a payment could not be restored', { cause: error });
  }
}

/**
 * The register must know what payments report before they report it: the references by which providers
 * with one address for all merchants name attempts, and refunds of which its copy had only a claim.
 */
async function prepareRegister(
  env: Env,
  tenant: Tenant,
  lines: readonly PaymentLine[],
): Promise<void> {
  const references: { reference: string; paymentUniqueId: string }[] = [];
  const refunds: BackedUpRefund[] = [];
  for (const { uniqueId: paymentUniqueId, records } of lines) {
    const intent = intentIn(records);
    for (const { railId, reference } of intent?.attempts ?? []) {
      if (methodOfSharedAddress(railId) !== undefined) {
        references.push({ reference, paymentUniqueId });
      }
    }
    for (const { createdAtMs, ...refund } of intent === null ? [] : countedRefunds(intent)) {
      refunds.push({ ...refund, paymentUniqueId, day: businessDay(createdAtMs) });
    }
  }
  if (references.length + refunds.length > 0) {
    await registerOf(env, tenant).restore({ references, refunds });
  }
}

/** The register compares its refunds with those of the payments that came back. */
async function compareRefunds(
  env: Env,
  tenant: Tenant,
  lines: readonly PaymentLine[],
): Promise<void> {
  const payments = lines.map(({ uniqueId, records }) => ({
    uniqueId,
    refundUniqueIds: (intentIn(records)?.refunds ?? []).map(({ id }) => id),
  }));
  if (payments.length > 0) {
    await registerOf(env, tenant).restore({ payments });
  }
}

/** Null for rows without a payment. */
function intentIn([payment]: PaymentLine['records']): Intent | null {
  return JSON.parse(payment?.content ?? '{}').intent ?? null;
}

interface FoundPart extends PaymentsPart {
  readonly name: string;
}

async function partAt(
  env: Env,
  { environment, merchantId, volume }: BookName,
  { generation, sequence }: PaymentsPlace,
): Promise<FoundPart | null> {
  const prefix = sequencePrefix({ environment, merchantId, volume, generation, sequence });
  const [found] = await namesAfter(env, prefix);
  return found === undefined ? null : partOf(found.key);
}

function partOf(name: string): FoundPart | null {
  const part = parsePaymentsPart(name);
  return part && { ...part, name };
}

/** Where to go on after a sequence without a part: over a gap, or to the generation before. */
async function beyond(env: Env, book: BookBackup, { generation, sequence }: PaymentsPlace) {
  const first = await firstSequence(env, book, generation);
  if (first === null) {
    return {
      differences: [`${nameOf(book)}: the parts of ${generation} are missing`],
      next: await newestPlace(env, book, generation),
    };
  }
  // The parts before these have gone after their retention.
  const known = generation === book.generation ? [book.firstSequence] : [];
  const oldest = Math.min(...known, first);
  return oldest <= sequence
    ? {
        differences: [`${nameOf(book)}: part ${sequence} of ${generation} is missing`],
        next: { generation, sequence: sequence - 1, lines: 0 },
      }
    : { next: await newestPlace(env, book, generation) };
}

async function firstSequence(env: Env, book: BookName, generation: string) {
  const [first] = await namesAfter(env, paymentsPrefix(book, generation));
  return first === undefined ? null : (partOf(first.key)?.sequence ?? null);
}

/** The newest part of the newest generation, or of the one before `generation`; null: none. */
async function newestPlace(
  env: Env,
  book: BookBackup,
  generation: string | null,
): Promise<PaymentsPlace | null> {
  const hasParts = book.lastSequence >= book.firstSequence;
  const named = hasParts ? [book.generation] : [];
  const older = [...named, ...(await generationsOf(env, book))]
    .filter((known) => generation === null || known < generation)
    .sort();
  const newest = older.at(-1);
  if (newest === undefined) {
    return null;
  }
  // Parts that were written after the run are newer, so they count, too.
  const known = newest === book.generation ? book.lastSequence : 0;
  const after = sequencePrefix({ ...book, generation: newest, sequence: known });
  let sequence = known;
  for await (const { key } of allNames(env, paymentsPrefix(book, newest), after)) {
    sequence = partOf(key)?.sequence ?? sequence;
  }
  return { generation: newest, sequence, lines: 0 };
}

/** The generations of a book. Their ids sort in the order of time. */
async function generationsOf(env: Env, book: BookName): Promise<readonly string[]> {
  const prefix = paymentsPrefix(book);
  const listed = await asking(bucketOf(env).list({ prefix, delimiter: '/' }));
  return listed.delimitedPrefixes.map((name) => name.slice(prefix.length, -1));
}

export function nameOf({ environment, merchantId, volume }: BookName): string {
  return `${environment}/${merchantId}/${volume}`;
}
