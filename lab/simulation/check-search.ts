import { receiptsIn } from '../../src/engine/intent/projection.ts';
import { readerOf } from '../../src/lists/book/reader.ts';
import { paymentsWithReceipts } from '../../src/lists/receipts/find.ts';
import { OUTSIDE } from './clock.ts';
import type { Ended } from './ended.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
/** How customers type the phones of this simulation, and as payments store them. */
const PHONES = { '0911223344': '251911223344', '0711223344': '251711223344' } as const;
/** Kefel stores an id that may contain a phone only as a digest, so its end finds nothing. */
const MAY_BE_PHONE = /[79]\d{8}/;
const END_LENGTH = 8;

interface Search {
  readonly of: Ended['payment']['merchant'];
  readonly text: string;
  /** The payments that it must find, by their unique ids. */
  readonly wanted: readonly string[];
  /** Whether it must find no other. */
  readonly isExact: boolean;
}

/**
 * A merchant finds each payment by its ids, by the provider's reference, by the end of one of them and
 * by a phone, and the index of receipts has each of its receipts. The searches are real questions to the book; what they must find is read from the
 * payments' objects.
 */
export async function checkSearch(world: World, ended: readonly Ended[]): Promise<void> {
  const { clock, env, journal } = world;
  const searches = [...ended.flatMap(searchesOf), ...phoneSearchesOf(ended)];
  const unanswered = new Set(searches);
  for (const search of searches) {
    const { of, text, wanted, isExact } = search;
    clock.spawn(OUTSIDE, 0, async () => {
      const rows = await (await readerOf(env, of)).search(text);
      const found = rows.map(({ uniqueId }) => uniqueId);
      const isFound = wanted.every((uniqueId) => found.includes(uniqueId));
      const hasOthers = isExact && found.length > wanted.length;
      unanswered.delete(search);
      journal.expect(
        '6 book',
        isFound && !hasOthers,
        `a search finds ${found.join()} by ${isExact ? 'a phone' : text}, not ${wanted.join()}`,
      );
    });
  }
  for (const { payment, intent } of ended) {
    clock.spawn(OUTSIDE, 0, async () => {
      const { environment, merchantId } = payment.merchant;
      const receipts = receiptsIn(intent);
      const found = await paymentsWithReceipts(env, environment, receipts);
      const isFound = (receipt: string) =>
        found
          .get(receipt)
          ?.some((one) => one.merchantId === merchantId && one.uniqueId === payment.uniqueId);
      const missing = receipts.filter((receipt) => !isFound(receipt));
      journal.expect('6 book', missing.length === 0, `the index lacks ${missing.join()}`);
    });
  }
  await clock.runUntil(clock.nowMs + MINUTE_MS);
  journal.expect('6 book', unanswered.size === 0, `${unanswered.size} searches have no answer`);
}

function searchesOf({ payment, intent }: Ended): readonly Search[] {
  const { uniqueId, uuid, number } = intent.terms;
  const references = intent.attempts.flatMap(({ reference, railReference }) => [
    reference,
    ...(railReference === null ? [] : [railReference]),
  ]);
  const ends = [uniqueId, ...references]
    .filter((id) => !MAY_BE_PHONE.test(id) && id.length > END_LENGTH)
    .map((id) => id.slice(-END_LENGTH));
  return [uniqueId, uuid, String(number), ...references, ...ends].map((text) => ({
    of: payment.merchant,
    text,
    wanted: [uniqueId],
    isExact: false,
  }));
}

function phoneSearchesOf(ended: readonly Ended[]): readonly Search[] {
  const merchants = new Map(ended.map(({ payment: { merchant } }) => [nameOf(merchant), merchant]));
  return [...merchants].flatMap(([name, of]) =>
    Object.entries(PHONES).map(([text, stored]) => ({
      ...{ of, text, isExact: true },
      wanted: ended
        .filter(({ payment: { merchant } }) => nameOf(merchant) === name)
        .filter(({ intent }) => intent.attempts.some(({ phone }) => phone === stored))
        .map(({ intent }) => intent.terms.uniqueId),
    })),
  );
}

function nameOf({ environment, merchantId }: Ended['payment']['merchant']): string {
  return `${environment}/${merchantId}`;
}
