import { ENVIRONMENTS } from '../../src/kit/tenant.ts';
import type { ShownPayment } from '../harness/shown.ts';
import type { Caller } from './caller.ts';
import type { ReceivedEvent } from './merchant-server.ts';

/** A row of one of the lists: its fields are compared by name. */
type Row = Readonly<Record<string, unknown>>;

/** A list of the API, and what it must show. */
interface List {
  readonly path: string;
  /** The field with the id. */
  readonly id: string;
  readonly wanted: readonly Wanted[];
}

interface Wanted {
  readonly id: unknown;
  readonly isShown: (row: Row) => boolean;
  /** The payment; null when the book must have the row. */
  readonly content: ShownPayment | null;
}

export interface Difference {
  readonly text: string;
  readonly content: ShownPayment | null;
}

/**
 * Compares every row of all lists with the payments' own answers and with the events that the
 * merchant received.
 */
export async function listDifferences(
  caller: Caller,
  contents: readonly ShownPayment[],
  received: readonly ReceivedEvent[],
): Promise<readonly Difference[]> {
  const lists: readonly List[] = [
    {
      path: 'intents',
      id: 'uniqueId',
      wanted: contents.map((content) => ({
        id: content.uniqueId,
        content,
        isShown: (row) =>
          hasSame(row, content, 'totalAmount', 'refundedAmount') &&
          (row.status === content.status ||
            (content.status === 'PROCESSING' && row.status === 'OPEN')),
      })),
    },
    {
      path: 'refunds',
      id: 'refundUniqueId',
      wanted: contents.flatMap((content) =>
        content.refunds.map((refund) => ({
          id: refund.refundUniqueId,
          content,
          isShown: (row) => hasSame(row, refund, 'status', 'amountMinor', 'returnedMinor'),
        })),
      ),
    },
    {
      path: 'events',
      id: 'id',
      wanted: received.map(({ webhookId }) => ({
        id: webhookId,
        content: null,
        isShown: ({ deliveries }) =>
          Array.isArray(deliveries) && deliveries.every(({ state }) => state === 'delivered'),
      })),
    },
  ];
  return (await Promise.all(lists.map((list) => differencesIn(caller, list)))).flat();
}

async function differencesIn(caller: Caller, { path, id, wanted }: List): Promise<Difference[]> {
  const rows = Map.groupBy(await rowsOf(caller, path), (row) => row[id]);
  const differing = wanted.filter((each) => {
    const [row, ...others] = rows.get(each.id) ?? [];
    return row === undefined || others.length > 0 || !each.isShown(row);
  });
  const known = new Set(wanted.map((each) => each.id));
  return [
    ...differing.map(({ id: of, content }) => ({
      text: `${path} has ${JSON.stringify(rows.get(of))} for ${of} of ${JSON.stringify(content)}`,
      content,
    })),
    ...[...rows]
      .filter(([of]) => !known.has(of))
      .map(([, row]) => ({
        text: `${path} has a row too many: ${JSON.stringify(row)}`,
        content: null,
      })),
  ];
}

/** All rows, of both environments. */
async function rowsOf(caller: Caller, path: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const environment of ENVIRONMENTS) {
    let query = '?limit=100';
    for (;;) {
      const page = await caller.content<{ data: readonly Row[]; nextCursor: string | null }>(
        caller.api(environment).get(path + query),
      );
      rows.push(...page.data);
      if (page.nextCursor === null) {
        break;
      }
      query = `?limit=100&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }
  return rows;
}

function hasSame<Shown extends object>(
  row: Row,
  shown: Shown,
  ...fields: (keyof Shown & string)[]
) {
  return fields.every((field) => row[field] === shown[field]);
}
