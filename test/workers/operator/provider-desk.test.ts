import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { receiptKeys } from '../../../src/engine/intent/receipt-keys.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import { ALPHA, tenantOf, useGateway } from '../support.ts';
import { storePortal, uploadFile, workOn, yesterday } from './provider-file-support.ts';
import { deskOf } from './support.ts';

/**
 * Goal: staff see on the desk what a provider's file has beside what Kefel says was paid, and decide
 * about its lines (docs/decisions.md#74). Method: files and payments of a day, and the pages and forms
 * as a browser sends them.
 */

useGateway();

const AT = 'production/TELE_BIRR';
const BOARD = '/operator/provider-files';
const LINES = `${BOARD}/${AT}/lines`;
let day = '';
let noonMs = 0;

const { open, pageOf } = deskOf('Hana');

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
