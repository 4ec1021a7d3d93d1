import type { EventFilter, PaymentFilter, RefundFilter } from '../typescript/kefel.ts';
import { accessOf, clientOf } from './access.ts';
import type { Command, Given, Options } from './command.ts';
import { inOneLine, print, printNote } from './output.ts';
import { moneyText } from './refund.ts';
import { timeIn } from './time.ts';

export const PAGE_OPTIONS: Options = {
  from: { value: 'TIME', about: 'created since then: 2h, 7d, 2026-11-22, 2026-11-22T08:00:00Z' },
  to: { value: 'TIME', about: 'created before then' },
  limit: { value: 'N', about: 'rows of a page, 1 to 100 (default: 20)' },
  cursor: { value: 'CURSOR', about: 'the page that the one before names' },
  json: { value: null, about: 'print the answer as JSON, for programs' },
};

export const payments: Command = {
  arguments: '[ID]',
  argumentsMin: 0,
  argumentsMax: 1,
  summary: 'List payments, newest first, or show one',
  about: 'ID: your paymentIntentUniqueId, or the uuid or paymentIntentId of the payment.',
  options: {
    status: { value: 'STATUS', about: 'OPEN, PROCESSING, SUCCESS, FAILED, EXPIRED, CANCELED' },
    method: { value: 'METHOD', about: 'such as TELE_BIRR or M_PESA' },
    phone: { value: 'PHONE', about: "the customer's phone number" },
    metadata: { value: 'KEY=VALUE', about: 'an entry of its metadata', isRepeatable: true },
    link: { value: 'ID', about: 'the paymentLinkUniqueId that it names' },
    'paid-from': { value: 'TIME', about: 'paid since then, the latest paid first' },
    'paid-to': { value: 'TIME', about: 'paid before then' },
    ...PAGE_OPTIONS,
  },
  async run(given) {
    const client = clientOf(await accessOf(given));
    const [id] = given.arguments;
    if (id !== undefined) {
      printJson(await client.payments.get(id));
      return;
    }
    const metadata = given.pairs('metadata');
    const filter = present({
      status: given.text('status'),
      method: given.text('method'),
      customerPhone: given.text('phone'),
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      paymentLinkUniqueId: given.text('link'),
      paidFrom: timeIn(given, 'paid-from'),
      paidTo: timeIn(given, 'paid-to'),
      ...pageFilter(given),
    });
    // The gateway says what is wrong with a value that it does not know.
    const page = await client.payments.list(filter as PaymentFilter);
    printPage(given, page, (row) => [
      row.createdAt,
      row.late ? `${row.status} (late)` : row.status,
      moneyText(row.totalAmount, row.currency),
      row.paymentType ?? '',
      row.uniqueId,
      row.reason ?? '',
    ]);
  },
};

export const refunds: Command = {
  arguments: '[ID]',
  argumentsMin: 0,
  argumentsMax: 1,
  summary: 'List refunds, newest first, or show one',
  about: 'ID: your refundUniqueId.',
  options: {
    payment: { value: 'ID', about: 'the paymentIntentUniqueId of their payment' },
    status: {
      value: 'STATUS',
      about: 'PENDING, PROCESSING, REQUIRES_ACTION, SUCCESS, FAILED, CANCELED',
    },
    ...PAGE_OPTIONS,
  },
  async run(given) {
    const client = clientOf(await accessOf(given));
    const [id] = given.arguments;
    if (id !== undefined) {
      printJson(await client.refunds.get(id));
      return;
    }
    const filter = present({
      paymentIntentUniqueId: given.text('payment'),
      status: given.text('status'),
      ...pageFilter(given),
    });
    const page = await client.refunds.list(filter as RefundFilter);
    printPage(given, page, (row) => [
      row.createdAt,
      row.late ? `${row.status} (late)` : row.status,
      moneyText(row.amountMinor, row.currency),
      row.paymentIntentUniqueId,
      row.refundUniqueId,
      row.failureReason ?? row.actionReason ?? '',
    ]);
  },
};

export const events: Command = {
  arguments: '[ID]',
  argumentsMin: 0,
  argumentsMax: 1,
  summary: 'List events and where they were delivered, newest first, or show one',
  about: 'ID: evt_…, the webhook-id. One event is shown with its payload, the exact body.',
  options: {
    payment: { value: 'ID', about: 'the paymentIntentUniqueId of their payment' },
    type: { value: 'TYPE', about: 'such as PAYMENT_SUCCESS or REFUND_FAILED' },
    state: { value: 'STATE', about: 'of a delivery: queued, delivered, dead, superseded, paused' },
    ...PAGE_OPTIONS,
  },
  async run(given) {
    const client = clientOf(await accessOf(given));
    const [id] = given.arguments;
    if (id !== undefined) {
      printJson(await client.events.get(id));
      return;
    }
    const filter = present({
      paymentIntentUniqueId: given.text('payment'),
      type: given.text('type'),
      deliveryState: given.text('state'),
      ...pageFilter(given),
    });
    const page = await client.events.list(filter as EventFilter);
    printPage(given, page, (row) => [
      row.createdAt,
      row.type,
      row.paymentIntentUniqueId,
      row.id,
      row.deliveries
        .map(({ state, lastError }) => (lastError === null ? state : `${state} (${lastError})`))
        .join(', '),
    ]);
  },
};

export function pageFilter(given: Given) {
  const limit = given.text('limit');
  return {
    createdFrom: timeIn(given, 'from'),
    createdTo: timeIn(given, 'to'),
    limit: limit === undefined ? undefined : Number(limit),
    cursor: given.text('cursor'),
  };
}

/** Without the members that are undefined. */
export function present(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

export function printPage<Row>(
  given: Given,
  page: Page<Row>,
  cellsOf: (row: Row) => readonly string[],
): void {
  if (given.has('json')) {
    printJson(page);
    return;
  }
  const rows = page.data.map((row) => cellsOf(row).map(inOneLine));
  for (const cells of rows) {
    const padded = cells.map((cell, column) => cell.padEnd(widthOf(rows, column)));
    print(padded.join('  ').trimEnd());
  }
  if (rows.length === 0) {
    printNote('None.');
  }
  if (page.nextCursor !== null) {
    printNote(`There are more: repeat with --cursor ${page.nextCursor}`);
  }
}

function widthOf(rows: readonly (readonly string[])[], column: number): number {
  return Math.max(...rows.map((cells) => cells[column]?.length ?? 0));
}

export function printJson(value: object): void {
  print(JSON.stringify(value, null, 2));
}
