import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { ethiopianTimestamp } from '../../../src/kit/ethiopian-time.ts';
import { plantedError } from '../../support/output/planted.ts';
import { signedIn, visit } from '../dashboard/support.ts';
import { bookHears } from '../rails/outage-reports.ts';
import { ALPHA, BETA, logged, useGateway } from '../support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: docs/decisions.md#66: the desk and the dashboard say which methods do not work, and since
 * when. Method: what the merchants' books report to the operator's object, and the operator's switch.
 */

useGateway();

interface Standing {
  readonly environment: string;
  readonly method: string;
  readonly downSinceAtMs: number | null;
  readonly downFor: readonly string[] | null;
}

/** Those that are down, as the operator's API has them. */
async function down(): Promise<readonly (number | string | null)[][]> {
  const rails = await content<readonly Standing[]>(operateApi('/rails'));
  return rails
    .filter(({ downSinceAtMs }) => downSinceAtMs !== null)
    .map(({ environment, method, downSinceAtMs, downFor }) => [
      ...[environment, method, downSinceAtMs],
      downFor?.join() ?? null,
    ]);
}

const { pageOf: deskPage } = deskOf('Abebe');
const overviewOf = async (environment = 'production', language = 'en') =>
  (await visit(await signedIn('viewer'), `/dashboard/${environment}/overview`, language)).text();
const timeOf = (atMs: number) =>
  ethiopianTimestamp(atMs).slice('YYYY-MM-DD '.length, -':SS'.length);

test('the desk and the merchant’s overview say since when a method does not work', async () => {
  const sinceMs = Date.now();
  await bookHears('CBE', ALPHA, 1, 5);
  await expect.poll(down).toEqual([['production', 'CBE', sinceMs, ALPHA.id]]);
  expect(await deskPage('/operator/rails')).toMatch(
    new RegExp(`Not working</span> <time[^>]*>[^<]*${timeOf(sinceMs)}`),
  );
  const html = await overviewOf();
  expect(html).toContain('CBE Birr is not working at the moment');
  expect(html).toContain(timeOf(sinceMs));
  expect(await overviewOf('production', 'am')).toContain('በአሁኑ ጊዜ አይሠራም');
  expect(await overviewOf('sandbox')).not.toContain('CBE Birr is not working');
  await bookHears('CBE', BETA, 2, 2);
  await expect.poll(down).toEqual([['production', 'CBE', sinceMs, null]]);
});

test('a merchant does not read of what only another merchant’s payments show', async () => {
  await bookHears('CBE', BETA, 1, 9);
  await expect.poll(async () => (await down()).length).toBe(1);
  expect(await overviewOf()).not.toContain('not working');
});

test('a merchant does not read of a method that it does not offer', async () => {
  await bookHears('CBE', ALPHA, 1, 5);
  await expect.poll(async () => (await down()).length).toBe(1);
  const sql = "UPDATE merchant_methods SET enabled = 0 WHERE method = 'CBE'";
  await env.DB.prepare(sql).run();
  expect(await overviewOf()).not.toContain('not working');
});

test('the operator’s switch shows on the overview, with its text and time', async () => {
  const body = { text: 'Back at <15:00>' };
  await content(operateApi('/methods/production/CBE/switch-off', body));
  const html = await overviewOf();
  expect(html).toContain('CBE Birr is switched off for now, for all merchants.');
  expect(html).toContain('Back at &lt;15:00>');
  expect(html).toContain(timeOf(Date.now()));
});

test('pages do not fail with the operator’s object', async () => {
  await bookHears('CBE', ALPHA, 1, 5);
  vi.spyOn(env.OPERATOR_ALERTS, 'get').mockImplementation(() => {
    throw plantedError('the object is away');
  });
  expect(await down()).toEqual([]);
  expect(await overviewOf()).not.toContain('not working');
  expect(logged.join()).toContain('alerts_unavailable');
});
