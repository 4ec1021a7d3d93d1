import { businessDay } from '../../src/kit/ethiopian-time.ts';
import type { QuestionArguments, QuestionName } from '../../src/lists/book/questions.ts';
import type { BookReader } from '../../src/lists/book/reader.ts';
import type { PaymentFilter } from '../../src/lists/book/rows.ts';
import { IDS_PER_MS } from '../../src/lists/book/schema.ts';
import {
  chance,
  type Filling,
  messageOf,
  NEWEST_MS,
  nameKeysOf,
  phoneEndKeyOf,
  phoneKeyOf,
} from './messages.ts';

/** One question to a book. */
export type Question = {
  [Name in QuestionName]: { readonly name: Name; readonly args: QuestionArguments<Name> };
}[QuestionName];

/** Questions by what they show, for run 0, 1, 2 …: each run reads other rows if possible. */
export type MeasuredQuestions = Readonly<Record<string, (run: number) => Question>>;

const SHOWN_ROWS = 20;
/** As the reader asks: one row more than the page has. */
const PAGE_ROWS = SHOWN_ROWS + 1;
const EXPORT_ROWS = 151;
const DAY_MS = 86_400_000;

const NEWEST_FIRST = { isAscending: false, after: null, includesPlace: false };

const FILTERS: Readonly<Record<string, PaymentFilter>> = {
  'status (70 in 100)': { status: 'succeeded' },
  'status (1 in 8)': { status: 'failed' },
  method: { method: 'CBE' },
  'status and method': { status: 'failed', method: 'E_BIRR' },
  'date, a year ago': { createdToMs: NEWEST_MS - 365 * DAY_MS },
  'amount, one in ten': { amountMinorMin: 3_300_000 },
  'amount, one in 400': { amountMinorMin: 4_950_000 },
  'amount, a handful of all': { amountMinorMin: 2_000_000, amountMinorMax: 2_000_100 },
  'currency (1 in 20)': { currency: 'USD' },
};

/** `first` and `last`: the payments of the asked volume. */
export function measuredQuestions(
  filling: Filling,
  { first, last }: { readonly first: number; readonly last: number },
): MeasuredQuestions {
  const year = lastYear();
  const month = { ...year, fromDay: year.toDay - 29 };
  const list = (filter: PaymentFilter) => (): Question => ({
    name: 'payments',
    args: [filter, NEWEST_FIRST, PAGE_ROWS, false],
  });
  const behind = (index: number) => {
    const atMs = messageOf(index, filling).row.createdAtMs;
    return { ...NEWEST_FIRST, after: { atMs, id: String(atMs * IDS_PER_MS) } };
  };
  const any = (run: number) => first + Math.floor(chance('run', run) * (last - first));
  type Keys = (index: number) => readonly string[];
  const none: Keys = () => [];
  const search =
    (text: (index: number) => string, keys = none, partKeys = none) =>
    (run: number): Question => {
      const index = any(run);
      const [groups = [], partGroups = []] = [keys, partKeys].map((of) =>
        of(index).length === 0 ? [] : [of(index)],
      );
      return { name: 'search', args: [{ text: text(index), groups, partGroups }] };
    };
  const rowOf = (index: number) => messageOf(index, filling).row;
  const keyOf = (index: number) => messageOf(index, filling).searchKeys;
  return {
    'payments, first page': list({}),
    'payments, any page': (run) => ({
      name: 'payments',
      args: [{}, behind(any(run)), PAGE_ROWS, false],
    }),
    ...Object.fromEntries(
      Object.entries(FILTERS).map(([name, filter]) => [`payments by ${name}`, list(filter)]),
    ),
    'payments by their end, a year ago': () => ({
      name: 'summaries',
      args: [{ endedToMs: NEWEST_MS - 365 * DAY_MS }, [], NEWEST_FIRST, PAGE_ROWS],
    }),
    'page of an export': (run) => ({
      name: 'payments',
      args: [{}, behind(any(run)), EXPORT_ROWS, true],
    }),
    'search by paymentIntentUniqueId': search((index) => rowOf(index).uniqueId),
    'search by integer id': search((index) => String(rowOf(index).number)),
    'search by uuid': search((index) => rowOf(index).uuid),
    "search by the provider's reference": search((index) => idIn(keyOf(index), index)),
    'search by the end of that reference': search((index) => idIn(keyOf(index), index).slice(-8)),
    'search by a start with few ids': search((index) => rowOf(index).uniqueId.slice(0, -1)),
    'search by a start that all ids have': search(() => 'order'),
    'search by two names': search(() => 'Abebe Kebede', nameKeysOf),
    'search by phone': search(
      () => '0911234567',
      (index) => [phoneKeyOf(index)],
    ),
    'search by the end of a phone': search(
      () => '4567',
      () => [],
      (index) => [phoneEndKeyOf(index)],
    ),
    'search by an unknown id': search((index) => `no-order-${index}`),
    'totals of 30 days': () => ({ name: 'totals', args: [month, Number.MAX_SAFE_INTEGER] }),
    'totals of 365 days': () => ({ name: 'totals', args: [year, Number.MAX_SAFE_INTEGER] }),
    'chart of 365 days by weeks': () => ({ name: 'totals', args: [year, 7] }),
    'attempts of 365 days': () => ({ name: 'attempts', args: [year] }),
    'deliveries, first page': () => ({
      name: 'events',
      args: [{}, false, NEWEST_FIRST, PAGE_ROWS],
    }),
    'failed deliveries, first page': () => ({
      name: 'events',
      args: [{ deliveryStatus: 'dead' }, false, NEWEST_FIRST, PAGE_ROWS],
    }),
    'count of failed deliveries of 30 days': () => ({
      name: 'countFailed',
      args: [{ fromMs: NEWEST_MS - 30 * DAY_MS }],
    }),
  };
}

type MergedQuestion = (reader: BookReader, filling: Filling, run: number) => Promise<unknown>;

/** Questions to the reader, which asks all volumes, for run 0, 1, 2 …. */
export const MERGED_QUESTIONS: Readonly<Record<string, MergedQuestion>> = {
  'payments, first page': (reader) => reader.payments({}, null, SHOWN_ROWS),
  'payments, any page': (reader, filling, run) =>
    reader.payments({}, cursorAt(anyPayment(filling, run)), SHOWN_ROWS),
  'payments by status and method, any page': (reader, filling, run) =>
    reader.payments(
      { status: 'failed', method: 'E_BIRR' },
      cursorAt(anyPayment(filling, run)),
      SHOWN_ROWS,
    ),
  'payments by amount, one in 400': (reader) =>
    reader.payments({ amountMinorMin: 4_950_000 }, null, SHOWN_ROWS),
  'payments by amount, a handful of all': (reader) =>
    reader.payments({ amountMinorMin: 2_000_000, amountMinorMax: 2_000_100 }, null, SHOWN_ROWS),
  'search by paymentIntentUniqueId': (reader, filling, run) =>
    reader.search(anyPayment(filling, run).uniqueId),
  'search by a start that all ids have': (reader) => reader.search('order'),
  'totals of 365 days': (reader) => reader.totals(lastYear()),
  'chart of 365 days by weeks': (reader) => reader.totalsByPeriod(lastYear(), 7),
  'deliveries, first page': (reader) => reader.events({}, null, SHOWN_ROWS),
};

function anyPayment(filling: Filling, run: number) {
  return messageOf(Math.floor(chance('run', run) * filling.payments), filling).row;
}

function cursorAt({ createdAtMs }: { readonly createdAtMs: number }) {
  return { direction: 'older', atMs: createdAtMs, id: `${createdAtMs * IDS_PER_MS}.0` } as const;
}

function lastYear() {
  const today = businessDay(NEWEST_MS);
  return { fromDay: today - 364, toDay: today };
}

/** The id that the provider gave; a payment without an attempt has none, so the unique id. */
function idIn(keys: readonly string[], index: number): string {
  const ids = keys.filter((key) => key.startsWith('id:')).map((key) => key.slice('id:'.length));
  return ids.find((id) => /^[0-9a-f]{24}$/.test(id)) ?? `order-${index}`;
}
