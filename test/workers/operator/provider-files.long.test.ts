import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { FILE_BYTES_MAX, PIECE_BYTES } from '../../../src/control/provider-files/file-table.ts';
import { receiptKeys } from '../../../src/engine/intent/receipt-keys.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import { ALPHA, abortObjects, tenantOf, useGateway } from '../support.ts';
import {
  fileOf,
  fireFilesAlarm,
  postFileTo,
  storePortal,
  uploadFile,
  yesterday,
} from './provider-file-support.ts';

/**
 * Goal: a file of 100,000 lines costs two written rows a line, each of its steps is bounded, and kills lose
 * nothing.
 * docs/benchmarks.md#provider-files has the figures. Method: 5,000 of its lines have a payment.
 */

useGateway();

const AT = 'production/TELE_BIRR';
const LINES = 100_000;
const PAID = 5_000;
/** More than 20 kills on the way. */
const ALARMS_A_KILL = 15;

test('100,000 lines write two rows each', async () => {
  await storePortal(AT);
  const day = yesterday();
  const paidAtMs = Date.parse(`${day}T12:00:00+03:00`);
  const firstNumber = paidAtMs / 1_000 - 2 * PAID;
  const payments = Array.from({ length: PAID }, async (_, index) => {
    const receipts = await receiptKeys(env, 'production', `CX${index}`);
    const paid = { status: 'succeeded', method: 'TELE_BIRR', amountMinor: 10_000 } as const;
    const keys = { searchKeys: receipts, receiptKeys: receipts };
    const row = { ...paid, endedAtMs: paidAtMs };
    const rest = { paidAtMs, ...keys };
    return projectionMessage(tenantOf(ALPHA, 'production'), firstNumber + index, row, rest);
  });
  await applyAll(await Promise.all(payments));
  const rows = Array.from({ length: LINES }, (_, i) => `${day} 12:00:01,CX${i},,100.00,2.00\n`);
  const fileId = await uploadFile(AT, rows.join(''));

  const object = env.PROVIDER_FILES.get(env.PROVIDER_FILES.idFromName(AT));
  let written = 0;
  await runInDurableObject(object, (_, { storage }) => {
    const prototype = Object.getPrototypeOf(storage.sql);
    const { exec } = prototype;
    prototype.exec = function (...args: unknown[]) {
      const cursor = exec.apply(this, args);
      written += cursor.rowsWritten;
      return cursor;
    };
  });
  let alarms = 0;
  do {
    await fireFilesAlarm(AT);
    alarms += 1;
    if (alarms % ALARMS_A_KILL === 0) {
      await abortObjects();
    }
  } while ((await fileOf(AT, fileId)).status !== 'done');
  expect(await fileOf(AT, fileId)).toMatchObject({ lines: LINES, linesDone: LINES });
  expect(written).toBeLessThan(2.02 * LINES);
  expect(alarms).toBeGreaterThan(LINES / 300);
}, 900_000);

test('the desk stops at the bound of a file that does not say how long it is', async () => {
  await storePortal(AT);
  const response = await postFileTo(AT, { bytes: new Uint8Array(FILE_BYTES_MAX + 1) }, PIECE_BYTES);
  expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('64 MB')]);
}, 300_000);
