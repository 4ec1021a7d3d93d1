import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test } from 'vitest';
import { attemptReferenceFrom } from '../../../src/engine/domain/identifiers.ts';
import type { ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { receiptKeys } from '../../../src/engine/intent/receipt-keys.ts';
import { startAttempt } from '../../support/intents.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  ALPHA,
  advance,
  createHosted,
  execute,
  fireAlarm,
  MINUTE_MS,
  tenantOf,
  useGateway,
} from '../support.ts';
import { storePortal, uploadFile, workOn, yesterday } from './provider-file-support.ts';
import { deskOf, project } from './support.ts';

/**
 * Goal: staff see on the desk what a provider's file has beside what Kefel says was paid, and decide
 * about its lines (docs/decisions.md#74). Method: files and payments of a day, and the pages and forms
 * as a browser sends them.
 */

const caught = useGateway();

const AT = 'production/TELE_BIRR';
const BOARD = '/operator/provider-files';
const LINES = `${BOARD}/${AT}/lines`;
let day = '';
let noonMs = 0;

const { open, pageOf, change } = deskOf('Hana');

/** A payment of 100.00 by telebirr at noon, with the receipt `CK1` for number 1. */
async function payment(number: number, row: Partial<ProjectionRow> = {}) {
  const receipts = await receiptKeys(env, 'production', `CK${number}`);
  return projectionMessage(
    tenantOf(ALPHA, 'production'),
    noonMs / 1_000 + number,
    {
      ...{ uniqueId: `order-${number}`, status: 'succeeded', method: 'TELE_BIRR' },
      ...{ amountMinor: 10_000, endedAtMs: noonMs },
      ...row,
    },
    { paidAtMs: noonMs, searchKeys: receipts, receiptKeys: receipts },
  );
}

const row = (receipt: string, amount = '100.00') => `${day} 12:00:01,${receipt},,${amount},\n`;

const textOf = (html: string) => html.replaceAll(/<[^>]+>|\s+/g, ' ');

/** One payment is in the file as in Kefel, one with another amount, and one is missing. */
beforeEach(async () => {
  day = yesterday();
  noonMs = Date.parse(`${day}T12:00:00+03:00`);
  await storePortal(AT);
  await applyAll([await payment(1), await payment(2), await payment(3)]);
  await workOn(AT, await uploadFile(AT, row('CK1') + row('CK2', '99.00') + row('CK9', '5.00')));
});

describe('the board', () => {
  test('shows each day and method beside Kefel, and each sum leads to its lines', async () => {
    const html = await pageOf(BOARD);
    expect(textOf(html)).toMatch(
      /ETB 300\.00 +3 payments +ETB 199\.00 +ETB 100\.00 +1 payment .*Amount differs \(1\) +ETB 99\.00 .*No such payment \(1\) +ETB 5\.00 .*0 min/,
    );
    const links = [...html.matchAll(/href="([^"]+lines\?[^"]+)"/g)].map(([, path = '']) =>
      path.replaceAll('&amp;', '&'),
    );
    const receipts = await Promise.all(
      links.map(async (path) => textOf(await pageOf(path)).match(/(CK\d|order-3)(?= +ETB)/g) ?? []),
    );
    expect(receipts.map((names) => names.toSorted())).toEqual([
      ['CK1', 'CK2', 'CK9', 'order-3'],
      ['order-3'],
      ['CK2'],
      ['CK9'],
    ]);
  });

  test.each([
    ['?environment=sandbox', 'No file has lines of these days.'],
    ['?from=2026-02-01&to=2026-02-02', 'No file has lines of these days.'],
    ['?from=2026-02-30', 'aria-invalid="true"'],
    ['?from=2026-02-02&to=2026-02-01', 'aria-invalid="true"'],
  ])('of %s says %s', async (query, text) => {
    const html = await pageOf(`${BOARD}${query}`);
    expect(html).toContain(text);
    expect(html).not.toContain('ETB');
  });

  test('refuses an environment that is none', async () => {
    expect((await open(`${BOARD}?environment=x`)).status).toBe(404);
  });
});

describe('the lines', () => {
  test('are filtered by outcome and decision, with fields left empty', async () => {
    const shown = async (query: string) =>
      textOf(await pageOf(`${LINES}?from=&to=&${query}`)).match(/(CK\d|order-3)(?= +ETB)/g);
    expect(await shown('outcome=&open=no')).toEqual(['order-3', 'CK1', 'CK2', 'CK9']);
    expect(await shown('outcome=&open=yes')).toEqual(['order-3', 'CK2', 'CK9']);
    expect(await shown('outcome=matched&open=no')).toEqual(['CK1']);
    expect(await shown('outcome=double&open=no')).toBeNull();
  });

  test('are read page by page', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => row(`CK${100 + index}`)).join('');
    await workOn(AT, await uploadFile(AT, rows));
    const seen: string[] = [];
    for (let path: string | undefined = `${LINES}?open=yes`; path !== undefined; ) {
      const html: string = await pageOf(path);
      seen.push(...(textOf(html).match(/CK\d+(?= +ETB)/g) ?? []));
      path = html.match(/rel="next" href="([^"]+)"/)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(new Set(seen).size).toBe(62);
    expect(seen).toHaveLength(62);
  });

  test('of an unknown method are none', async () => {
    expect((await open(`${BOARD}/production/PIGEON/lines`)).status).toBe(404);
  });
});

describe('a line', () => {
  const SANDBOX = 'sandbox/TELE_BIRR';
  const PAYMENT = `/operator/payments/sandbox/${ALPHA.id}/order-1`;
  const pathOfLine = (receipt: string) =>
    `${BOARD}/${SANDBOX}/line/${encodeURIComponent(`${day}/payment/${receipt}`)}`;
  const outcomeOf = async (receipt: string) => {
    const html = await pageOf(`${BOARD}/${SANDBOX}/lines`);
    return textOf(html).match(new RegExp(`${receipt} +ETB [0-9.]+ +([A-Za-z ]+?)  `))?.[1];
  };
  const decisions = async () =>
    (await auditLog()).flatMap(({ action, actor_id, detail }) =>
      action === 'provider_line.decided' ? [[actor_id, JSON.parse(detail)]] : [],
    );

  /** The file has the money of `order-1`, which is unresolved in Kefel, and one line that is unknown. */
  beforeEach(async () => {
    const statement = env.DB.prepare('SELECT number FROM merchants WHERE id = ?').bind(ALPHA.id);
    const merchantNumber = (await statement.first<number>('number')) ?? 0;
    const reference = attemptReferenceFrom(Date.now(), merchantNumber, new Uint8Array(20).fill(1));
    await createHosted();
    await execute(startAttempt('a1', { deadlineAtMs: Date.now() + 5 * MINUTE_MS, reference }));
    advance(6 * MINUTE_MS);
    await fireAlarm();
    await project(caught);
    await storePortal(SANDBOX);
    const rows = `${day} 12:00:01,CK44,${reference},100.50,\n${row('CK9', '5.00')}`;
    await workOn(SANDBOX, await uploadFile(SANDBOX, rows));
  });

  test('leads to the manual resolution with its receipt, and is compared again', async () => {
    const html = await pageOf(pathOfLine('CK44'));
    expect(textOf(html)).toMatch(/never a proof.*Not paid in Kefel.*CK44.*Kefel has.*order-1/);
    const path = html.match(/href="([^"]+\/paid\?line=[^"]+)"/)?.[1] ?? '';
    expect(path).toContain(`${PAYMENT}/attempts/`);
    expect(await pageOf(path)).toMatch(/name="receipt" value="CK44"/);
    expect(await change(path, { receipt: 'CK44', note: 'Seen in the portal' })).toContain(
      'done=resolved',
    );
    await project(caught);
    expect(await outcomeOf('CK44')).toBe('Not paid in Kefel');
    await change(`${pathOfLine('CK44')}/undo`, { reason: 'Recorded' });
    expect(await outcomeOf('CK44')).toBe('As in Kefel');
    expect(await pageOf(pathOfLine('CK44'))).not.toContain('/undo"');
    expect(await decisions()).toMatchObject([['Hana', { decision: 'undo', reason: 'Recorded' }]]);
  });

  test('of another payment fills no form', async () => {
    const own = (await pageOf(pathOfLine('CK44'))).match(/href="([^"]+\/paid)\?/)?.[1] ?? '';
    const key = encodeURIComponent(`${day}/payment/CK9`);
    expect(await pageOf(`${own}?line=${key}`)).not.toContain('value="CK9"');
  });

  test.each([
    ['CK9', 'accept', 'Accepted', 'accept'],
    ['CK9', 'not-ours', 'Not ours', 'not_ours'],
    ['CK44', 'accept', 'Accepted', 'accept'],
  ])('%s: %s, and its end', async (receipt, form, shown, decision) => {
    const path = pathOfLine(receipt);
    const question = textOf(await pageOf(`${path}/${form}`));
    expect(question).toMatch(new RegExp(`No payment changes.*${receipt}.*will name you:.*Hana`));
    expect(await change(`${path}/${form}`)).toContain('wrong=reason');
    expect(await change(`${path}/${form}`, { reason: 'Asked them' })).toBe(
      `${path}?done=line_decided`,
    );
    expect(textOf(await pageOf(path))).toMatch(new RegExp(`Decided.*${shown} +Hana.*Asked them`));
    await change(`${path}/undo`, { reason: 'Wrong' });
    expect(textOf(await pageOf(path))).not.toContain('Decided');
    expect(await decisions()).toMatchObject([
      ['Hana', { decision, reason: 'Asked them' }],
      ['Hana', { decision: 'undo', reason: 'Wrong' }],
    ]);
  });

  test('is assigned to a payment that the search finds', async () => {
    const path = pathOfLine('CK9');
    const found = await pageOf(await change(`${path}/assign`, { search: 'order-1' }));
    const assign = `${path}/assign/${ALPHA.id}/order-1`;
    expect(found).toContain(`href="${assign}"`);
    expect(textOf(await pageOf(assign))).toMatch(/CK9.*order-1.*will name you:/);
    await change(assign, { reason: 'Asked them' });
    expect(textOf(await pageOf(path))).toMatch(/Assigned by an operator.*order-1/);
    await change(`${path}/undo`, { reason: 'Wrong' });
    expect(await outcomeOf('CK9')).toBe('No such payment');
    expect((await open(`${path}/assign/${ALPHA.id}/order-9`)).status).toBe(404);
  });

  test('that is settled is not accepted, and one that is none is not found', async () => {
    const settled = `${BOARD}/${AT}/line/${encodeURIComponent(`${day}/payment/CK1`)}`;
    expect(await pageOf(settled)).not.toContain('/accept"');
    expect(await change(`${settled}/accept`, { reason: 'Rounded' })).toContain(
      'refused=provider_line_settled',
    );
    expect((await open(pathOfLine('CK7'))).status).toBe(404);
  });
});
