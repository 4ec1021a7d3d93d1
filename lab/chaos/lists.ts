import { setTimeout as wait } from 'node:timers/promises';
import { ENVIRONMENTS, type Environment } from '../../src/domain/method.ts';
import type { ReceivedEvent } from './merchant-server.ts';
import type { Content } from './verdict.ts';

/** Reads one address, again when no answer comes. */
type Read = (environment: Environment, path: string) => Promise<{ readonly body: string }>;

interface Page {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

/** The checked fields of a payment, a refund or an event in a list. */
interface Row {
  readonly uniqueId?: string;
  readonly refundUniqueId?: string;
  readonly id?: string;
  readonly status?: string;
  readonly totalAmount?: number;
  readonly refundedAmount?: number;
  readonly amountMinor?: number;
  readonly returnedMinor?: number;
  readonly deliveries?: readonly { readonly state: string }[];
}

const LISTS = ['intents', 'refunds', 'events'] as const;
const POLL_MS = 3_000;
/** An end is sent until D1 has it; a lease is far shorter than this. */
const ENDED_WAIT_MS = 90_000;
/** What has not ended is sent once more after 15 minutes (docs/storage.md#how-it-is-fed). */
const OPEN_WAIT_MS = 16 * 60_000;

/**
 * Compares every row of all lists with the payments' own answers and with the events that the
 * merchant received. Waits as long as docs/storage.md#read-model says that the read model may lag. Returns
 * what differs then.
 */
export async function listDifferences(
  read: Read,
  contents: ReadonlyMap<string, Content>,
  received: readonly ReceivedEvent[],
  report: (text: string) => void,
): Promise<readonly string[]> {
  const startedAtMs = performance.now();
  let reported = 0;
  for (;;) {
    const found = await differences(read, contents, received);
    if (found.length !== reported) {
      reported = found.length;
      report(`rows that differ from their payments: ${reported}; ${found[0]?.text ?? ''}`);
    }
    // By the wall clock, because `creationDate` is.
    const isSettled = found.every(({ content }) => {
      const isOpen = content?.status === 'OPEN' || content?.status === 'PROCESSING';
      return isOpen
        ? Date.now() > Date.parse(content.creationDate) + OPEN_WAIT_MS
        : performance.now() > startedAtMs + ENDED_WAIT_MS;
    });
    if (isSettled) {
      return found.map(({ text }) => text);
    }
    await wait(POLL_MS);
  }
}

interface Difference {
  readonly text: string;
  /** Of the payment; null when the row is of no payment. */
  readonly content: Content | null;
}

async function differences(
  read: Read,
  contents: ReadonlyMap<string, Content>,
  received: readonly ReceivedEvent[],
): Promise<readonly Difference[]> {
  const [payments = [], refunds = [], events = []] = await Promise.all(
    LISTS.map((list) => rowsOf(read, list)),
  );
  return [
    ...paymentDifferences(byId(payments, 'uniqueId'), contents),
    ...refundDifferences(byId(refunds, 'refundUniqueId'), contents),
    ...eventDifferences(byId(events, 'id'), received),
  ];
}

/** Of both environments. */
async function rowsOf(read: Read, list: (typeof LISTS)[number]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const environment of ENVIRONMENTS) {
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await read(environment, `${list}?limit=100${query}`);
      const { content }: { content: Page } = JSON.parse(body);
      rows.push(...content.data);
      cursor = content.nextCursor;
    }
  }
  return rows;
}

function byId(rows: readonly Row[], field: 'uniqueId' | 'refundUniqueId' | 'id') {
  return Map.groupBy(rows, (row) => String(row[field]));
}

type Rows = ReadonlyMap<string, readonly Row[]>;

function paymentDifferences(rows: Rows, contents: ReadonlyMap<string, Content>): Difference[] {
  const differing = [...contents.values()].filter(({ uniqueId, ...content }) => {
    const [row, ...others] = rows.get(uniqueId) ?? [];
    const isUnderWay = content.status === 'PROCESSING' && row?.status === 'OPEN';
    return (
      others.length > 0 ||
      (row?.status !== content.status && !isUnderWay) ||
      row?.totalAmount !== content.totalAmount ||
      row.refundedAmount !== content.refundedAmount
    );
  });
  return [
    ...differing.map((content) => ({
      text: `the list of payments has ${JSON.stringify(rows.get(content.uniqueId))} for ${JSON.stringify(content)}`,
      content,
    })),
    ...unknownOf(rows, (id) => contents.has(id)),
  ];
}

function refundDifferences(rows: Rows, contents: ReadonlyMap<string, Content>): Difference[] {
  const refunds = [...contents.values()].flatMap((content) =>
    content.refunds.map((refund) => ({ refund, content })),
  );
  const differing = refunds.filter(({ refund }) => {
    const [row, ...others] = rows.get(refund.refundUniqueId) ?? [];
    return (
      others.length > 0 ||
      row?.status !== refund.status ||
      row.amountMinor !== refund.amountMinor ||
      row.returnedMinor !== refund.returnedMinor
    );
  });
  const known = new Set(refunds.map(({ refund }) => refund.refundUniqueId));
  return [
    ...differing.map(({ refund, content }) => ({
      text: `the list of refunds has ${JSON.stringify(rows.get(refund.refundUniqueId))} for ${JSON.stringify(refund)}`,
      content,
    })),
    ...unknownOf(rows, (id) => known.has(id)),
  ];
}

function eventDifferences(rows: Rows, received: readonly ReceivedEvent[]): Difference[] {
  const known = new Set(received.map(({ webhookId }) => webhookId));
  const differing = [...known].filter((id) => {
    const [row, ...others] = rows.get(id) ?? [];
    return (
      others.length > 0 || row?.deliveries?.some(({ state }) => state !== 'delivered') !== false
    );
  });
  return [
    ...differing.map((id) => ({
      text: `the list of events has ${JSON.stringify(rows.get(id))} for the received event ${id}`,
      content: null,
    })),
    ...unknownOf(rows, (id) => known.has(id)),
  ];
}

function unknownOf(rows: Rows, isKnown: (id: string) => boolean): Difference[] {
  return [...rows]
    .filter(([id]) => !isKnown(id))
    .map(([, row]) => ({
      text: `a list has a row too many: ${JSON.stringify(row)}`,
      content: null,
    }));
}
