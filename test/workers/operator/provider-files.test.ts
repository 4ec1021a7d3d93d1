import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { alertsOf } from '../../../src/control/alerts/ask.ts';
import { PIECE_BYTES } from '../../../src/control/provider-files/file-table.ts';
import type { BoardRow, ProviderLine } from '../../../src/control/rpc/operator.ts';
import { paymentRetentionMs } from '../../../src/engine/config.ts';
import { attemptReferenceFrom } from '../../../src/engine/domain/identifiers.ts';
import type { ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { receiptKeys } from '../../../src/engine/intent/receipt-keys.ts';
import { ReceiptIndex } from '../../../src/index.ts';
import { base64FromBytes, utf8 } from '../../../src/kit/crypto/encoding.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { OpenIndex } from '../../../src/lists/receipt-index/open-index.ts';
import { applyAll, projectedRefund, projectionMessage } from '../book/fixture.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  ALPHA,
  abortObjects,
  advance,
  BETA,
  DAY_MS,
  type TestMerchant,
  tenantOf,
  useGateway,
} from '../support.ts';
import {
  FILE_HEAD,
  fileOf,
  fireFilesAlarm,
  PORTAL,
  storePortal,
  uploadFile,
  workOn,
  yesterday,
} from './provider-file-support.ts';
import { content, operateApi } from './support.ts';

/**
 * Goal: a provider's file becomes lines that each say what they are, and payments without a line are
 * missing, whatever dies in between. Method: payments in books, files by the operator's API, and the
 * alarms of the object one by one.
 */

useGateway();

const AT = 'production/TELE_BIRR';
/** Yesterday, as the clock of each test has it. */
let day = '';
let noonMs = 0;
/** A payment's number is the second of its creation. */
let firstNumber = 0;

async function referenceOf(merchant: TestMerchant, number: number): Promise<string> {
  const statement = env.DB.prepare('SELECT number FROM merchants WHERE id = ?').bind(merchant.id);
  const merchantNumber = (await statement.first<number>('number')) ?? 0;
  const bytes = new Uint8Array(20).fill(number);
  return attemptReferenceFrom(1_000 * (firstNumber + number), merchantNumber, bytes);
}

/** A payment of 100.00 by telebirr that was paid at noon, with the receipt `CK1` for number 1. */
async function payment(
  merchant: TestMerchant,
  number: number,
  row: Partial<ProjectionRow> = {},
  rest: Parameters<typeof projectionMessage>[3] = {},
) {
  const receipts = await receiptKeys(env, 'production', `CK${number}`);
  const isPaid = (row.status ?? 'succeeded') === 'succeeded';
  const reference = await referenceOf(merchant, number);
  return projectionMessage(
    tenantOf(merchant, 'production'),
    firstNumber + number,
    {
      ...{ uniqueId: `order-${number}`, status: 'succeeded', method: 'TELE_BIRR' },
      ...{ amountMinor: 10_000, transactionId: reference, endedAtMs: noonMs },
      ...row,
    },
    {
      paidAtMs: isPaid ? noonMs : null,
      searchKeys: [`id:${reference}`, ...(isPaid ? receipts : [])],
      receiptKeys: isPaid ? receipts : [],
      ...rest,
    },
  );
}

const row = (receipt: string, { order = '', amount = '100.00', fee = '' } = {}) =>
  `${day} 12:00:01,${receipt},${order},${amount},${fee}\n`;

async function compare(rows: string): Promise<void> {
  await workOn(AT, await uploadFile(AT, rows));
}

async function lines(query = ''): Promise<readonly ProviderLine[]> {
  const path = `/provider-lines/${AT}?from=${day}&to=${day}&limit=100${query}`;
  return (await content<{ items: readonly ProviderLine[] }>(operateApi(path))).items;
}

const outcomesFrom = async (from: string) =>
  (await content<{ items: unknown[] }>(operateApi(`/provider-lines/${AT}?from=${from}&to=${day}`)))
    .items;

const outcomes = async (query = '') =>
  (await lines(query)).map(({ key, outcome, uniqueId }) => [key.slice(11), outcome, uniqueId]);

const board = () =>
  content<readonly BoardRow[]>(operateApi(`/provider-board/production?from=${day}&to=${day}`));

const decide = (key: string, body: Record<string, string>) =>
  operateApi(`/provider-lines/${AT}/decide`, { key: `${day}/${key}`, reason: 'Asked', ...body });

beforeEach(async () => {
  day = yesterday();
  noonMs = Date.parse(`${day}T12:00:00+03:00`);
  firstNumber = noonMs / 1_000 - 3_600;
  await storePortal(AT);
});

describe('a file (docs/decisions.md#74)', () => {
  test('says of each line what it is, and of each payment whether it is missing', async () => {
    const refunds = [projectedRefund({ returnedMinor: 4_000, amountMinor: 4_000 })];
    await applyAll([
      await payment(ALPHA, 1),
      await payment(ALPHA, 2),
      await payment(ALPHA, 3, {}, { refunds }),
      await payment(ALPHA, 4, { status: 'expired' }),
      await payment(ALPHA, 5, { method: 'M_PESA' }),
      await payment(BETA, 6),
      await payment(BETA, 7, { commissionMinor: 100, commissionPaidByCustomer: true }),
      await payment(BETA, 1, { uniqueId: 'other-1' }, { paidAtMs: noonMs }),
    ]);
    const order4 = await referenceOf(ALPHA, 4);
    const order1 = await referenceOf(ALPHA, 1);
    await compare(
      [
        row('CK1', { order: order1 }),
        row('CK2', { amount: '99.00' }),
        row('CK3'),
        row('CK3', { amount: '-40.00' }),
        row('CK-3'),
        row('CK44', { order: order4 }),
        row('CK5'),
        row('CK7', { amount: '101.00' }),
        row('CK1'),
        row('=HYPERLINK("x")'),
      ].join(''),
    );
    expect(await outcomes()).toEqual([
      ['missing/mer_beta/order-6', 'missing', 'order-6'],
      ['missing/mer_beta/other-1', 'missing', 'other-1'],
      ['payment/CK1', 'matched', 'order-1'],
      // Two merchants have this receipt, and the line names no order.
      ['payment/CK1/2', 'double', 'order-1'],
      ['payment/CK2', 'amount_differs', 'order-2'],
      ['payment/CK3', 'matched', 'order-3'],
      ['payment/CK3/2', 'double', 'order-3'],
      ['payment/CK44', 'not_paid', 'order-4'],
      ['payment/CK5', 'double', 'order-5'],
      ['payment/CK7', 'matched', 'order-7'],
      ['payment/HYPERLINKX', 'not_ours', null],
      ['refund/CK3', 'refund', 'order-3'],
    ]);
    expect(await board()).toMatchObject([
      {
        ...{ day, method: 'TELE_BIRR', currency: 'ETB' },
        expected: { payments: 6, amountMinor: 60_100 },
        arrivedMinor: 40_000,
        missing: { lines: 2, amountMinor: 20_000 },
        different: { lines: 6 },
      },
    ]);
  });

  test('sent twice changes nothing, and a corrected one replaces its lines', async () => {
    await applyAll([await payment(ALPHA, 1), await payment(ALPHA, 2)]);
    const rows = row('CK1', { amount: '90.00' }) + row('CK1', { amount: '90.00' }) + row('CK9');
    await compare(rows);
    const first = (await outcomes()).slice();
    await content(decide('payment/CK1', { decision: 'accept' }));
    await content(decide('payment/CK1/2', { decision: 'not_ours' }));
    const before = await board();
    await compare(rows);
    expect(await outcomes()).toEqual(first);
    expect(await board()).toEqual(
      before.map((own) => ({ ...own, comparedAtMs: expect.any(Number) })),
    );
    expect((await lines('&open=yes')).map(({ outcome }) => outcome)).toEqual([
      'missing',
      'not_ours',
    ]);
    // What the decisions were about is no longer so.
    await compare(row('CK1') + row('CK2'));
    expect(await outcomes()).toEqual([
      ['payment/CK1', 'matched', 'order-1'],
      ['payment/CK2', 'matched', 'order-2'],
      ['payment/CK9', 'not_ours', null],
    ]);
    expect(await board()).toMatchObject([
      { arrivedMinor: 20_000, missing: { lines: 0 }, different: { lines: 1 } },
    ]);
  });

  test('keeps decisions about repeated lines when another export has more rows above', async () => {
    const refund = { returnedMinor: 1_000, amountMinor: 1_000 };
    const refunds = ['a', 'b'].map((reference) => projectedRefund({ ...refund, reference }));
    await applyAll([
      await payment(ALPHA, 1, {}, { refunds }),
      await payment(ALPHA, 2),
      await payment(ALPHA, 3),
    ]);
    const back = row('CK1', { amount: '-10.00' });
    const rows = [row('CK1'), row('CK1'), row('CK1'), back, back].join('');
    await compare(rows);
    await content(decide('payment/CK1/2', { decision: 'accept' }));
    const named = { merchantId: ALPHA.id, uniqueId: 'order-2' };
    await content(decide('payment/CK1/3', { decision: 'assign', ...named }));
    const [first, isOpen] = [await outcomes(), await outcomes('&open=yes')];
    expect(isOpen).toEqual([['missing/mer_alpha/order-3', 'missing', 'order-3']]);
    await compare(row('CK3') + rows);
    expect(await outcomes('&open=yes')).toEqual([]);
    const [, ...same] = first;
    expect(await outcomes()).toEqual(
      expect.arrayContaining([...same, ['payment/CK3', 'matched', 'order-3']]),
    );
    expect(await outcomes()).toHaveLength(first.length);
  });

  test('with a mistake in its last line is refused, and changes nothing', async () => {
    await applyAll([await payment(ALPHA, 1)]);
    const rows = Array.from({ length: 2_000 }, (_, index) => row(`CX${index}`)).join('');
    const fileId = await uploadFile(AT, `${rows}${row('CK1', { amount: '"1,00' })}`);
    await workOn(AT, fileId);
    expect(await fileOf(AT, fileId)).toMatchObject({
      status: 'refused',
      problem: {
        code: 'quote_open',
        text: 'Line 2002, column 4: the quotation mark is never closed',
      },
    });
    expect(await lines()).toEqual([]);
    expect(await board()).toEqual([]);
  });

  test('goes on after each kill, and in steps of some hundred lines', async () => {
    await applyAll([await payment(ALPHA, 1), await payment(ALPHA, 2)]);
    const rows = Array.from({ length: 3_000 }, (_, index) => row(`CX${index}`)).join('');
    const fileId = await uploadFile(AT, row('CK1') + rows);
    let kills = 0;
    let isKilled = false;
    let isAsked = false;
    const { find } = ReceiptIndex.prototype;
    // In the middle of a step, whose lines are not stored yet.
    vi.spyOn(ReceiptIndex.prototype, 'find').mockImplementation(async function (
      this: ReceiptIndex,
      keys,
    ) {
      isAsked = true;
      while (isKilled) {
        await scheduler.wait(5);
      }
      return find.call(this, keys);
    });
    await workOn(AT, fileId, async () => {
      [isKilled, isAsked] = [true, false];
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      fireFilesAlarm(AT).then(end, end);
      await vi.waitFor(() => expect(isAsked || isOver).toBe(true));
      await abortObjects();
      isKilled = false;
      kills += isAsked ? 1 : 0;
    });
    expect(kills).toBeGreaterThan(5);
    expect(await fileOf(AT, fileId)).toMatchObject({
      status: 'done',
      lines: 3_001,
      linesDone: 3_001,
    });
    expect(await board()).toMatchObject([
      {
        expected: { payments: 2 },
        arrivedMinor: 10_000,
        missing: { lines: 1 },
        different: { lines: 3_000, amountMinor: 30_000_000 },
      },
    ]);
  });
});

test('lines of the last file are deleted at the end of their retention', async () => {
  day = dayText(businessDay(Date.now()));
  await compare(row('CK1'));
  expect(await outcomes()).toHaveLength(1);
  // The file is older than its retention, and the day of its line is not over yet.
  advance(paymentRetentionMs(env) + 1);
  for (let days = 0; days < 4; days += 1) {
    await fireFilesAlarm(AT);
    advance(DAY_MS);
  }
  expect(await outcomes()).toEqual([]);
  expect(await fireFilesAlarm(AT)).toBe(false);
});

test('says nothing about payments of a book that has lost them', async () => {
  await applyAll([await payment(ALPHA, 1), await payment(BETA, 2), await payment(BETA, 3)]);
  await compare(row('CK1') + row('CK2'));
  const before = await outcomes();
  const lose = (lostAtMs: number | null) =>
    env.DB.prepare(
      `INSERT INTO book_digest (environment, merchant_id, volume, as_of_ms, unlisted, digest)
        VALUES ('production', ?1, 0, 1, 0, json_object('lostAtMs', ?2))
        ON CONFLICT DO UPDATE SET digest = json_object('lostAtMs', ?2)`,
    )
      .bind(BETA.id, lostAtMs)
      .run();
  await lose(1);
  const fileId = await uploadFile(AT, row('CK1') + row('CK2'));
  await fireFilesAlarm(AT);
  await fireFilesAlarm(AT).catch(() => undefined);
  expect(await fileOf(AT, fileId)).toMatchObject({ status: 'matching', failures: 1 });
  expect(await outcomes()).toEqual(before);
  await lose(null);
  await workOn(AT, fileId);
  expect(await fileOf(AT, fileId)).toMatchObject({ status: 'done', unanswered: 0 });
  await lose(1);
  const late = await uploadFile(AT, row('CK2'));
  await fireFilesAlarm(AT);
  // After a day of tries.
  const files = env.PROVIDER_FILES.get(env.PROVIDER_FILES.idFromName(AT));
  await runInDurableObject(files, (_object, { storage }) =>
    storage.sql.exec(
      "UPDATE file SET file = json_set(file, '$.failures', 2880) WHERE id = ?",
      late,
    ),
  );
  await fireFilesAlarm(AT);
  expect(await fileOf(AT, late)).toMatchObject({
    status: 'refused',
    problem: { code: 'out_of_reach', line: 1 },
  });
  // Without a line about its payments, the file ends, and names how many merchants it leaves out.
  const other = await uploadFile(AT, row('CK1'));
  await workOn(AT, other);
  expect(await fileOf(AT, other)).toMatchObject({ status: 'done', unanswered: 1 });
  expect(await outcomes()).toEqual(before);
});

describe('a line', () => {
  test('takes a payment, gives it back, and is set aside', async () => {
    await applyAll([await payment(ALPHA, 1), await payment(ALPHA, 2)]);
    await compare(row('CK1') + row('TYPED'));
    const named = { merchantId: ALPHA.id, uniqueId: 'order-2' };
    await content(decide('payment/TYPED', { decision: 'assign', ...named }));
    expect(await outcomes()).toEqual([
      ['payment/CK1', 'matched', 'order-1'],
      ['payment/TYPED', 'matched', 'order-2'],
    ]);
    // The assignment survives a file that comes again.
    await compare(row('CK1') + row('TYPED'));
    expect(await outcomes('&open=yes')).toEqual([]);
    await content(decide('payment/TYPED', { decision: 'undo' }));
    expect(await outcomes('&open=yes')).toEqual([
      ['missing/mer_alpha/order-2', 'missing', 'order-2'],
      ['payment/TYPED', 'not_ours', null],
    ]);
    await content(decide('payment/TYPED', { decision: 'not_ours' }));
    await content(decide('missing/mer_alpha/order-2', { decision: 'accept' }));
    expect(await outcomes('&open=yes')).toEqual([]);
    const log = await auditLog();
    expect(log.filter(({ action }) => action === 'provider_line.decided')).toHaveLength(4);
  });

  test('takes a payment while a file that has it is being matched', async () => {
    await applyAll([await payment(ALPHA, 1), await payment(ALPHA, 2)]);
    const rows = row('CK1') + row('TYPED');
    await compare(rows);
    const fileId = await uploadFile(AT, rows);
    await fireFilesAlarm(AT);
    const named = { merchantId: ALPHA.id, uniqueId: 'order-2' };
    const find = OpenIndex.prototype.find;
    const asked = vi.spyOn(OpenIndex.prototype, 'find').mockImplementationOnce(async function (
      this: OpenIndex,
      keys: readonly string[],
    ) {
      await content(decide('payment/TYPED', { decision: 'assign', ...named }));
      return find.call(this, keys);
    } as never);
    await workOn(AT, fileId);
    expect(asked.mock.calls.length).toBeGreaterThan(2);
    expect(await outcomes('&open=yes')).toEqual([]);
    // The next file still knows it.
    await compare(rows);
    expect(await outcomes('&open=yes')).toEqual([]);
  });

  test('of a refund is compared again without its payment being missing', async () => {
    await applyAll([
      await payment(ALPHA, 1, { endedAtMs: noonMs - DAY_MS }, { paidAtMs: noonMs - DAY_MS }),
    ]);
    await compare(row('CK1', { amount: '-10.00' }));
    await content(decide('refund/CK1', { decision: 'undo' }));
    expect(await outcomes()).toEqual([['refund/CK1', 'refund_differs', 'order-1']]);
    const dayBefore = dayText(businessDay(noonMs) - 1);
    expect(await outcomesFrom(dayBefore)).toHaveLength(1);
  });

  test('takes no decision about what it no longer says', async () => {
    await applyAll([await payment(ALPHA, 1)]);
    await compare(row('CK1', { amount: '99.99' }));
    const [line] = await lines();
    const seen = line?.state ?? '';
    await compare(row('CK1', { amount: '60.00' }));
    const accept = (state: string) => decide('payment/CK1', { decision: 'accept', seen: state });
    expect((await accept(seen)).envelope.code).toBe('provider_line_changed');
    expect(await outcomes('&open=yes')).toHaveLength(1);
    await content(accept((await lines())[0]?.state ?? ''));
    expect(await outcomes('&open=yes')).toEqual([]);
  });

  test('of the longest ids is listed page by page, and decided', async () => {
    // Each sign has two units of UTF-16.
    const uniqueId = '😀'.repeat(255);
    await applyAll([await payment(ALPHA, 1, { uniqueId }), await payment(BETA, 2)]);
    await compare(row('A'.repeat(5_000)) + row('Z'));
    const path = `/provider-lines/${AT}?from=${day}&to=${day}&limit=1`;
    const keys: string[] = [];
    type Page = { readonly items: readonly { key: string }[]; readonly nextCursor: string | null };
    let cursor: string | null = '';
    while (cursor !== null) {
      const at: string = cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
      const page: Page = await content<Page>(operateApi(at));
      keys.push(...page.items.map(({ key }) => key));
      cursor = page.nextCursor;
    }
    expect(keys).toHaveLength(4);
    for (const key of keys) {
      const body = { key, reason: 'Asked', decision: 'accept' };
      await content(operateApi(`/provider-lines/${AT}/decide`, body));
    }
    expect(await outcomes('&open=yes')).toEqual([]);
  });

  test('tells the operator of 1,000.00 that are missing, until someone has decided', async () => {
    const open = async () => {
      const { open: subjects } = await alertsOf(env).state();
      return subjects.map(({ subject, count, details }) => [subject, count, details]);
    };
    const much = { amountMinor: 50_000 };
    await applyAll([await payment(ALPHA, 1), await payment(ALPHA, 2, much)]);
    await compare(row('CK1'));
    expect(await open()).toEqual([]);
    await applyAll([await payment(BETA, 3, much)]);
    await compare(row('CK1'));
    expect(await open()).toEqual([['provider_money_missing', 2, ['TELE_BIRR']]]);
    await content(decide('missing/mer_beta/order-3', { decision: 'accept' }));
    expect(await open()).toEqual([]);
  });

  test.each([
    ['payment/CK1', { decision: 'accept' }, 409, 'provider_line_settled'],
    ['payment/CK1', { decision: 'not_ours' }, 409, 'provider_line_settled'],
    ['payment/CK9', { decision: 'assign' }, 400, 'validation_failed'],
    [
      'payment/CK9',
      { decision: 'assign', merchantId: 'mer_alpha', uniqueId: 'no' },
      404,
      'not_found',
    ],
    ['payment/NONE', { decision: 'undo' }, 404, 'not_found'],
  ])('%s refuses %j with %i', async (key, body, status, code) => {
    await applyAll([await payment(ALPHA, 1)]);
    await compare(row('CK1') + row('CK9'));
    const answer = await decide(key, body);
    expect([answer.status, answer.envelope.code]).toEqual([status, code]);
  });
});

test('a preview shows what lines would become, and stores nothing', async () => {
  await applyAll([await payment(ALPHA, 1)]);
  const base64 = base64FromBytes(utf8(`${FILE_HEAD}${row('CK1')}${row('CK9')}`));
  const shown = await content(
    operateApi(`/provider-files/${AT}/preview`, { profile: PORTAL.name, base64 }),
  );
  expect(shown).toMatchObject({
    rows: [['Time', 'Receipt', 'Order', 'Amount', 'Fee'], { 1: 'CK1' }, { 1: 'CK9' }],
    lines: [
      { outcome: 'matched', uniqueId: 'order-1' },
      { outcome: 'not_ours', uniqueId: null },
    ],
    problem: null,
  });
  expect(await lines()).toEqual([]);
  const draft = { ...PORTAL, columns: { ...PORTAL.columns, fee: 'Tax' } };
  expect(
    await content(operateApi(`/provider-files/${AT}/preview`, { draft, base64 })),
  ).toMatchObject({ lines: [], problem: { text: 'Line 1: the header has no column "Tax"' } });
});

test('an upload is read only when it is whole', async () => {
  const begun = { name: 'day.csv', profile: PORTAL.name };
  const { fileId } = await content<{ fileId: string }>(operateApi(`/provider-files/${AT}`, begun));
  const finish = () => operateApi(`/provider-files/${AT}/${fileId}/finish`, {});
  expect((await finish()).envelope.code).toBe('provider_file_incomplete');
  const base64 = base64FromBytes(utf8(FILE_HEAD));
  await content(operateApi(`/provider-files/${AT}/${fileId}/pieces`, { number: 1, base64 }));
  expect((await finish()).envelope.code).toBe('provider_file_incomplete');
  // The first piece is too short.
  await content(operateApi(`/provider-files/${AT}/${fileId}/pieces`, { number: 0, base64 }));
  const whole = base64FromBytes(new Uint8Array(PIECE_BYTES).fill(10));
  await content(operateApi(`/provider-files/${AT}/${fileId}/pieces`, { number: 1, base64: whole }));
  expect((await finish()).envelope.code).toBe('provider_file_incomplete');
  const unknown = await operateApi(`/provider-files/${AT}`, { ...begun, profile: 'None' });
  expect(unknown.envelope.code).toBe('provider_profile_unknown');
  expect((await operateApi(`/provider-profiles/production/PIGEON`)).status).toBe(404);
});
