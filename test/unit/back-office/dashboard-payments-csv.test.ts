import { describe, expect, test } from 'vitest';
import { csvLine, csvStream, paymentLines, value } from '../../../back-office/elements/csv.ts';
import type { Phones } from '../../../src/control/rpc/lists.ts';
import type { ExportedPayment } from '../../../src/lists/book/reader.ts';

/**
 * Goal: the exported file is a correct table for programs and harmless in spreadsheets, and an
 * incomplete file never looks complete. Method: cells of every kind, and pages that end, are too
 * many, or fail.
 */

const ROW: ExportedPayment = {
  environment: 'sandbox',
  merchantId: 'mer_alpha',
  uuid: '00000000-0000-4000-8000-000000000001',
  number: 9_007_199_254_740_991,
  uniqueId: 'order-1',
  kind: 'hosted',
  status: 'succeeded',
  failureReason: null,
  late: true,
  amountMinor: 10_050,
  commissionMinor: 101,
  chargedMinor: 10_151,
  currency: 'ETB',
  method: 'TELE_BIRR',
  unresolvedAttempts: 0,
  anomalies: 1,
  proposedAttempts: 0,
  createdAtMs: Date.UTC(2026, 10, 21, 10, 0, 0, 7),
  updatedAtMs: Date.UTC(2026, 10, 21, 10, 5),
  endedAtMs: Date.UTC(2026, 10, 21, 22, 4),
  paidAtMs: Date.UTC(2026, 10, 23, 22, 4),
  transactionId: 'REF7',
  refundedMinor: 2_050,
  openRefunds: 1,
  details: {
    providerReference: 'CHK-9',
    receipt: 'RCPT1',
    phone: '251911234567',
    customerName: 'Almaz Kebede',
    customerEmail: 'almaz@example.com',
    description: 'Two bags',
    metadata: { cart: '7' },
  },
};

describe('cells', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['ቡና', 'ቡና'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    // A spreadsheet would run these.
    ['=1+1', `"'=1+1"`],
    ['+251911234567', `"'+251911234567"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['\u0000=1', `"'\u0000=1"`],
    ['＝1+1', `"'＝1+1"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['-1.5', `"'-1.5"`],
    ['-1.50', `"'-1.50"`],
    // A spreadsheet would read these as numbers, dates or truth values.
    ...[
      ...['0911', '251911234567', '9007199254740991', '12345678901234567890', '1.10', '1e5'],
      ...['1-1', '2-3', '1/2', '12:30', '1 a', 'MAR1', '3 sept', 'Dec-2026', '2026-11-21'],
      ...['(5)', '5%', ' 5', '5$', 'TRUE', 'false'],
    ].map((text) => [text, `"${text}\t"`]),
    ['1,5', '"1,5\t"'],
    // It reads no number in these.
    ['order-1001', 'order-1001'],
    ['6B02F9A8JSRWKJ92838F', '6B02F9A8JSRWKJ92838F'],
    ['251*****4567', '251*****4567'],
    ['Marta 2', 'Marta 2'],
    ['may', 'may'],
    ['ቡና 2', 'ቡና 2'],
    ['-1.00+cmd|x', `"'-1.00+cmd|x"`],
    ['-1.00\n=1', `"'-1.00\n'=1"`],
    // Excel with decimal commas splits a line at semicolons and line ends, quotes or not.
    ['a;=1+1', `"a;'=1+1"`],
    ['a; "=1+1', `"a;' ""=1+1"`],
    ['a\n@SUM(A1)', `"a\n'@SUM(A1)"`],
    ['a;b, -10%', '"a;b, -10%"'],
  ])('%j', (text, cell) => {
    expect(csvLine(['x', text])).toBe(`x,${cell}\r\n`);
  });

  test('amounts and times are values, which a spreadsheet reads', () => {
    const cells = ['-1.50', '2026-11-21 13:00:00', '7'].map(value);
    expect(csvLine(cells)).toBe('-1.50,2026-11-21 13:00:00,7\r\n');
  });
});

test('with semicolons, amounts have decimal commas, and the other separator starts no formula', () => {
  const names = paymentLines('masked', 'semicolon').head.slice(1).trimEnd().split(';');
  const cells = paymentLines('masked', 'semicolon').lineOf(ROW).trimEnd().split(';');
  expect(cells).toHaveLength(names.length);
  expect(cells[names.indexOf('refunded')]).toBe('"20,50"');
  expect(cells[names.indexOf('unique_id')]).toBe(ROW.uniqueId);
  expect(csvLine(['x', 'a,=1+1', 'b;c', '0911'], 'semicolon')).toBe(
    `x;"a,'=1+1";"b;c";"0911\t"\r\n`,
  );
});

function cellsOf(row: ExportedPayment, phones: Phones = 'masked'): Record<string, string> {
  const { head, lineOf } = paymentLines(phones);
  const names = head.slice(1).trimEnd().split(',');
  const cells = lineOf(row).trimEnd().split(',');
  expect(cells).toHaveLength(names.length);
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
}

test('writes a paid payment with times in UTC and amounts in major units', () => {
  expect(paymentLines('masked').head.charCodeAt(0)).toBe(0xfeff);
  expect(cellsOf(ROW)).toMatchObject({
    created_at: '2026-11-21T10:00:00.007Z',
    unique_id: 'order-1',
    payment_intent_id: '"9007199254740991\t"',
    amount: '100.50',
    commission: '1.01',
    charged: '101.51',
    net: '100.50',
    refunded: '20.50',
    amount_after_refunds: '80.00',
    open_refunds: '1',
    late: 'yes',
    method: 'TELE_BIRR',
    ended_at: '2026-11-21T22:04:00.000Z',
    created_at_eat: '2026-11-21 13:00:00',
    // After midnight in Addis Ababa.
    ended_at_eat: '2026-11-22 01:04:00',
    transaction_id: 'REF7',
    provider_reference: 'CHK-9',
    receipt: 'RCPT1',
    phone: '251*****4567',
    customer_name: 'Almaz Kebede',
    customer_email: 'almaz@example.com',
    description: 'Two bags',
    metadata: '"{""cart"":""7""}"',
    paid_at: '2026-11-23T22:04:00.000Z',
    paid_at_eat: '2026-11-24 01:04:00',
  });
  expect(cellsOf(ROW, 'full').phone).toBe('"251911234567\t"');
  const details = { ...ROW.details, providerReference: 'ws_CO_23112026911234567' };
  expect(cellsOf({ ...ROW, details }).provider_reference).toBe('');
  expect(cellsOf({ ...ROW, details }, 'full').provider_reference).toBe(details.providerReference);
});

test('leaves charge and commission of an unpaid payment empty', () => {
  const unpaid = { method: null, endedAtMs: null, paidAtMs: null } as const;
  const open = { ...ROW, ...unpaid, status: 'open' } as const;
  const empty = {
    commission: '',
    charged: '',
    net: '',
    refunded: '',
    amount_after_refunds: '',
    method: '',
    ended_at: '',
    ended_at_eat: '',
    paid_at: '',
    paid_at_eat: '',
  };
  expect(cellsOf(open)).toMatchObject({ amount: '100.50', ...empty });
});

async function* pagesOf(
  counts: readonly number[],
  end: () => void = () => undefined,
): AsyncGenerator<readonly ExportedPayment[], void, void> {
  try {
    for (const count of counts) {
      if (count < 0) {
        throw new Error('D1 is away');
      }
      yield Array.from({ length: count }, () => ROW);
    }
  } finally {
    end();
  }
}

const bytesOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).bytes();
const textOf = async (stream: ReadableStream<Uint8Array>) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytesOf(stream));

test.each([
  ['no payments', [], 0],
  ['one page', [3], 3],
  ['several', [3, 3, 1], 7],
])('streams the head and every row: %s', async (_name, counts, rows) => {
  const text = await textOf(csvStream(pagesOf(counts), paymentLines('masked')));
  const { head, lineOf } = paymentLines('masked');
  expect(text).toBe(head + lineOf(ROW).repeat(rows));
});

test.each([
  ['within a page', [3, 3], 4, true],
  ['at the end of a page before the last', [3, 3], 3, true],
  ['at the very end', [3, 3], 6, false],
])('marks a list that is too long in the last line: %s', async (_name, counts, max, cut) => {
  let ended = false;
  const pages = pagesOf(counts, () => {
    ended = true;
  });
  const lines = (await textOf(csvStream(pages, paymentLines('masked'), max)))
    .trimEnd()
    .split('\r\n');
  expect(lines.filter((line) => line.includes('order-1'))).toHaveLength(max);
  expect(lines.at(-1)?.startsWith('INCOMPLETE: ')).toBe(cut);
  expect(lines.at(-1)?.split(',')).toHaveLength(paymentLines('masked').head.split(',').length);
  expect(ended).toBe(true);
});

test('fails the stream when its pages fail', async () => {
  await expect(bytesOf(csvStream(pagesOf([3, -1]), paymentLines('masked')))).rejects.toThrow(
    'D1 is away',
  );
});

test('reads no further page after the client cancels', async () => {
  let ended = false;
  const pages = pagesOf([1, 1, 1, 1, 1, 1], () => {
    ended = true;
  });
  const reader = csvStream(pages, paymentLines('masked')).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  expect(ended).toBe(true);
});
