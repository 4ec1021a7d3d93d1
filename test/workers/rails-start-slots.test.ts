import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { STARTS_IN_FLIGHT_MAX } from '../../src/attempts/start-slots.ts';
import type { Tenant } from '../../src/domain/terms.ts';
import {
  alarmsUntil,
  attemptNow,
  configureRails,
  consumeStart,
  EBIRR,
  EBIRR_WINDOW_MS,
  ebirrPaid,
  firstStart,
  intentNow,
  loggedEvents,
  noRail,
  payExpress,
  railServer,
} from './rails-support.ts';
import { ALPHA, advance, BETA, SECOND_MS, tenantOf, useGateway } from './support.ts';

/**
 * Goal: starts that wait for customers occupy consumers, and one merchant cannot occupy all of them.
 * Method: eBirr, and slots written to D1 as other consumers would.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
const caught = useGateway();

const OWN = tenantOf(ALPHA, 'production');

async function occupy(count: number, { merchantId, environment }: Tenant): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?3)
     INSERT INTO rail_starts SELECT ?1, ?2, 'attempt-' || n, ?4 FROM numbers`,
  )
    .bind(merchantId, environment, count, Date.now() + 30 * SECOND_MS)
    .run();
}

function slots(): Promise<number | null> {
  return env.DB.prepare('SELECT count(*) AS slots FROM rail_starts').first<number>('slots');
}

const pay = () => payExpress({ method: 'E_BIRR' });
const paying = () => railServer((call) => new Response(ebirrPaid(call)));

test('a start beyond the limit waits for a slot, and is then made once', async () => {
  noRail();
  await pay();
  await occupy(STARTS_IN_FLIGHT_MAX, OWN);
  expect((await consumeStart([firstStart(caught)])).explicitAcks).toEqual(['message-0']);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'free' });

  const calls = paying();
  caught.starts.splice(0);
  // The object sends the message again, and the other starts end.
  await alarmsUntil(Date.now() + 31 * SECOND_MS);
  await consumeStart([firstStart(caught), firstStart(caught)]);
  expect(calls).toHaveLength(1);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect(await slots()).toBe(0);
});

test('a start that finds no slot for a minute fails, and the customer may try again', async () => {
  noRail();
  await pay();
  for (let round = 0; round < 3; round++) {
    await env.DB.exec('DELETE FROM rail_starts');
    await occupy(STARTS_IN_FLIGHT_MAX, OWN);
    await consumeStart([firstStart(caught)]);
    await alarmsUntil(Date.now() + 20 * SECOND_MS);
  }
  await alarmsUntil(Date.now() + SECOND_MS);
  expect(await attemptNow()).toMatchObject({
    status: 'expired',
    failureReason: 'rail_unavailable',
  });
});

test.each<[string, number, Tenant]>([
  ['one start less', STARTS_IN_FLIGHT_MAX - 1, OWN],
  ["another merchant's starts", STARTS_IN_FLIGHT_MAX, tenantOf(BETA, 'production')],
  ["the sandbox's starts", STARTS_IN_FLIGHT_MAX, tenantOf(ALPHA, 'sandbox')],
])('goes ahead beside %s', async (_name, count, tenant) => {
  const calls = paying();
  await pay();
  await occupy(count, tenant);
  await consumeStart([firstStart(caught)]);
  expect(calls).toHaveLength(1);
  expect(await slots()).toBe(count);
});

test('holds its slot during the call only, and until its window at the latest', async () => {
  const during: unknown[] = [];
  railServer(async (call) => {
    during.push(await env.DB.prepare('SELECT ends_at_ms FROM rail_starts').first('ends_at_ms'));
    return new Response(ebirrPaid(call));
  });
  await pay();
  await consumeStart([firstStart(caught)]);
  expect(during).toEqual([Date.now() + EBIRR_WINDOW_MS]);
  expect(await slots()).toBe(0);
});

test('goes ahead with the slot of a consumer that died before its claim', async () => {
  const calls = paying();
  await pay();
  const { id } = await attemptNow();
  await occupy(STARTS_IN_FLIGHT_MAX, OWN);
  await env.DB.prepare("UPDATE rail_starts SET attempt_id = ?1 WHERE attempt_id = 'attempt-1'")
    .bind(id)
    .run();
  await consumeStart([firstStart(caught)]);
  expect(calls).toHaveLength(1);
  expect(await slots()).toBe(STARTS_IN_FLIGHT_MAX - 1);
});

test('goes ahead when D1 fails', async () => {
  const calls = paying();
  await pay();
  vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1 is away'));
  await consumeStart([firstStart(caught)]);
  expect(calls).toHaveLength(1);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect(loggedEvents('rail_start_not_counted')).toHaveLength(1);
});

test('a start that is already claimed takes no slot', async () => {
  paying();
  await pay();
  const message = firstStart(caught);
  await consumeStart([message]);
  advance(SECOND_MS);
  const batch = vi.spyOn(env.DB, 'batch');
  await consumeStart([message]);
  expect(batch).not.toHaveBeenCalled();
});
