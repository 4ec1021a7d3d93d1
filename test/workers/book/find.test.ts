import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { paymentsOfReferences, paymentsWithReceipts } from '../../../src/lists/receipts/find.ts';
import { atTelebirr, project } from '../operator/support.ts';
import { decideAtRails, playRails, TELEBIRR, telebirrReport } from '../rails/scenes.ts';
import { attemptNow, callbackPath, configureRails, fireAlarmOf, report } from '../rails/support.ts';
import {
  ALPHA,
  advance,
  BETA,
  clientOf,
  HOUR_MS,
  type TestMerchant,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: what a provider's file names leads to the payment, over all merchants. Method: payments of
 * two merchants by telebirr, paid and not.
 */

configureRails({ RAIL_TELE_BIRR_PRODUCTION: TELEBIRR });
const caught = useGateway();

/** What telebirr names as the receipt of each payment. */
const TELEBIRR_RECEIPT = '49485948475845';

beforeEach(() => {
  playRails();
});

function production(merchant: TestMerchant, uniqueId = 'order-1') {
  return clientOf(uniqueId, tenantOf(merchant, 'production'));
}

const payment = ({ id: merchantId }: TestMerchant, uniqueId = 'order-1') => ({
  merchantId,
  uniqueId,
});

test("an attempt's reference leads to its payment, paid or not, of any merchant", async () => {
  const clients = [production(ALPHA), production(ALPHA, 'order-2'), production(BETA)];
  await atTelebirr(ALPHA);
  await atTelebirr(ALPHA, 'order-2');
  await atTelebirr(BETA);
  // The book shows an attempt when the payment stays open.
  advance(HOUR_MS);
  for (const client of clients) {
    await fireAlarmOf(client);
  }
  await project(caught);
  const references = await Promise.all(
    clients.map(async (client) => (await attemptNow(client)).reference),
  );
  const [first = '', second = '', third = ''] = references;
  const foreign = `${first.slice(0, -1)}${first.endsWith('0') ? 1 : 0}`;
  const asked = [...references, first, foreign, first.slice(0, 12), 'not a reference'];
  expect(await paymentsOfReferences(env, 'production', asked)).toEqual(
    new Map([
      [first, payment(ALPHA)],
      [second, payment(ALPHA, 'order-2')],
      [third, payment(BETA)],
    ]),
  );
  expect(await paymentsOfReferences(env, 'sandbox', asked)).toEqual(new Map());
});

test('a receipt leads to the payments of all merchants that have it', async () => {
  for (const merchant of [ALPHA, BETA]) {
    await atTelebirr(merchant);
    decideAtRails('paid');
    const client = production(merchant);
    const path = await callbackPath('telebirr-h5', client);
    await report(path, await telebirrReport(await attemptNow(client), 'paid'));
  }
  await project(caught);
  const typed = '4948-5948-475845';
  const asked = [TELEBIRR_RECEIPT, typed, 'CAK12345'];
  const found = await paymentsWithReceipts(env, 'production', asked);
  expect([...found.keys()]).toEqual([TELEBIRR_RECEIPT, typed]);
  for (const payments of found.values()) {
    expect(payments).toHaveLength(2);
    expect(payments).toEqual(expect.arrayContaining([payment(ALPHA), payment(BETA)]));
  }
  expect(await paymentsWithReceipts(env, 'sandbox', asked)).toEqual(new Map());
});
