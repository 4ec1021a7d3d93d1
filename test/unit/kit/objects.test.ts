import { createHash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Bindings, placementOf } from '../../../src/engine/config.ts';
import { intentByUniqueId } from '../../../src/engine/intent/client.ts';
import { batch } from '../../../src/kit/platform/database.ts';
import { checkJurisdiction, rememberJurisdiction } from '../../../src/kit/platform/jurisdiction.ts';
import { objectsIn, WrongJurisdiction } from '../../../src/kit/platform/objects.ts';
import { sqliteD1 } from '../../support/sqlite-d1.ts';

/** A namespace that records how it is used: the local runtime has no jurisdictions. */
function recorded() {
  const calls: string[] = [];
  const namespace = (place: string): unknown => ({
    jurisdiction: (name: string) => namespace(name),
    idFromName: (name: string) => `${place}:${name}`,
    get: (id: string, options?: object) => {
      calls.push(`${place} ${id} ${JSON.stringify(options ?? null)}`);
      return { read: async () => null };
    },
  });
  return { calls, namespace: namespace('anywhere') as DurableObjectNamespace };
}

function placement(jurisdiction: string, hint = '') {
  const variables = { OBJECT_JURISDICTION: jurisdiction, OBJECT_LOCATION_HINT: hint };
  return placementOf(variables as unknown as Bindings);
}

test.each([
  ['', '', 'anywhere anywhere:a null'],
  ['eu', '', 'eu eu:a null'],
  ['', 'afr', 'anywhere anywhere:a {"locationHint":"afr"}'],
  ['eu', 'weur', 'eu eu:a {"locationHint":"weur"}'],
])('reaches an object in the jurisdiction "%s" with the hint "%s"', (jurisdiction, hint, call) => {
  const { calls, namespace } = recorded();
  const objects = objectsIn(namespace, placement(jurisdiction, hint));
  objects.get(objects.idFromName('a'));
  expect(calls).toEqual([call]);
});

test('a payment is made and read in the jurisdiction and near the hint of the gateway', async () => {
  const { calls, namespace } = recorded();
  const env = {
    PAYMENT_INTENT: namespace,
    OBJECT_JURISDICTION: 'eu',
    OBJECT_LOCATION_HINT: 'weur',
  } as unknown as Env;
  const tenant = { environment: 'sandbox', merchantId: 'm' } as const;
  const payment = await intentByUniqueId(env, tenant, 'order-1');
  await payment.read();
  const name = createHash('sha256').update('sandbox/m/order-1').digest('hex');
  expect(payment.objectName).toBe(name);
  expect(calls).toEqual([`eu eu:${name} {"locationHint":"weur"}`]);
});

test('decisions.md#51: refuses another jurisdiction once a merchant exists', async () => {
  const first = sqliteD1('migrations');
  await expect(checkJurisdiction(first, placement('us'))).resolves.toBeUndefined();
  const db = sqliteD1('migrations');
  await batch(db, [rememberJurisdiction(placement(''))]);
  // A second merchant changes nothing.
  await batch(db, [rememberJurisdiction(placement('eu'))]);
  await expect(checkJurisdiction(db, placement('eu'))).rejects.toThrow(WrongJurisdiction);
  await expect(checkJurisdiction(db, placement('', 'afr'))).resolves.toBeUndefined();
});

test('asks the database once, and goes on without an answer while it fails', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const db = sqliteD1('migrations');
  const prepare = vi.spyOn(db, 'prepare').mockImplementationOnce(() => {
    throw new Error('D1 is down');
  });
  await checkJurisdiction(db, placement('fedramp'));
  await checkJurisdiction(db, placement('fedramp'));
  expect(prepare).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(30_000);
  await checkJurisdiction(db, placement('fedramp'));
  await checkJurisdiction(db, placement('fedramp'));
  expect(prepare).toHaveBeenCalledTimes(2);
});
