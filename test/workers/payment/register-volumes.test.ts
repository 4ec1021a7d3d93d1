import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { registerOf } from '../../../src/engine/register/client.ts';
import { VOLUME_PAYMENTS_MAX } from '../../../src/lists/book/next-volume.ts';
import { projectionMessage } from '../book/fixture.ts';
import { applyToBook, bookSql, bookStub } from '../support/book.ts';
import { fireRegisterAlarm, registerRows, registerStub } from '../support/register.ts';
import { ALPHA, advance, HOUR_MS, MINUTE_MS, tenantOf, useGateway } from '../support.ts';

/**
 * Goal: the register lists the volumes of the merchant's book, and D1 gets a copy of each. Method: a
 * real register, and a database that fails at first.
 */

useGateway();

const register = () => registerOf(env, tenantOf(ALPHA));

async function copies(): Promise<readonly unknown[]> {
  const sql = 'SELECT merchant_id, environment, volume, opened_at_ms FROM book_volumes';
  return (await env.DB.prepare(sql).all()).results;
}

test('a book has volume 0, without a stored row', async () => {
  expect(await register().volumes()).toEqual([{ volume: 0, openedAtMs: null }]);
  expect(await registerRows('book_volumes')).toEqual([]);
});

test('an opened volume is listed once, and copied to D1 by the alarm', async () => {
  const openedAtMs = Date.now();
  await register().openVolume(1);
  advance(MINUTE_MS);
  await register().openVolume(1);
  await register().openVolume(0);
  expect(await register().volumes()).toEqual([
    { volume: 0, openedAtMs: null },
    { volume: 1, openedAtMs },
  ]);
  await expect.poll(fireRegisterAlarm.bind(null, undefined)).toBe(false);
  const copy = {
    ...{ merchant_id: ALPHA.id, environment: 'sandbox' },
    ...{ volume: 1, opened_at_ms: openedAtMs },
  };
  expect(await copies()).toEqual([copy]);
});

test('the copy waits while D1 fails', async () => {
  const away = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  await register().openVolume(1);
  await fireRegisterAlarm();
  away.mockRestore();
  expect(await copies()).toEqual([]);
  expect(await fireRegisterAlarm()).toBe(true);
  expect(await copies()).toHaveLength(1);
});

test('refuses a volume that leaves out another', async () => {
  await runInDurableObject(registerStub(), async (opened) => {
    await expect(opened.openVolume(2)).rejects.toThrow('volume 2 cannot follow volume 0');
  });
});

test.each([
  [VOLUME_PAYMENTS_MAX - 1, 1],
  [VOLUME_PAYMENTS_MAX, 2],
])('the hourly alarm of a book with %d payments leaves %d volumes', async (payments, volumes) => {
  await applyToBook(projectionMessage(tenantOf(ALPHA), 1));
  await bookSql(`INSERT INTO payment_day VALUES
    (1, '', 'ETB', 'expired', ${payments}, 0, 0, 0, 0, 0)`);
  advance(HOUR_MS);
  await runInDurableObject(bookStub(), (book) => book.alarm());
  expect(await register().volumes()).toHaveLength(volumes);
});
