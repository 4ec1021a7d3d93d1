import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { ProviderFiles } from '../../../src/connected-objects.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { databaseRows } from '../../security/storage.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog } from '../dashboard/support.ts';
import { clientIn } from '../rails/support.ts';
import { useGateway } from '../support.ts';
import { type Operation, PATHS, prepare, send, useOperations } from './operations.ts';

/**
 * Goal: a crash in an operator's action never leaves a change without its audit entry, and the same
 * request then succeeds with one. Method: every action of the description that API, desk and command
 * line follow. The process ends where the entry and the change could part: before the commit of the
 * payment's object, or in the batch that holds both.
 */

useOperations();
const caught = useGateway();

const CRASH = 'the process ended';

/** Ends the process before it stores the change, or else its entry. */
const CRASHES: Readonly<Record<NonNullable<Operation['changes']> | 'nothing', () => Crash[]>> = {
  database: () =>
    [env.DB, env.BACK_OFFICE_DB].map((database) =>
      vi.spyOn(database, 'batch').mockRejectedValue(plantedError(CRASH)),
    ),
  letter: () => {
    const writeEntry = env.DB.batch.bind(env.DB);
    const batch = vi.spyOn(env.DB, 'batch').mockImplementationOnce(writeEntry);
    return [batch.mockRejectedValue(plantedError(CRASH))];
  },
  payment: () => [
    vi.spyOn(IntentClient.prototype, 'execute').mockRejectedValue(plantedError(CRASH)),
  ],
  hold: () => [vi.spyOn(PaymentIntentObject.prototype, 'setHold').mockImplementation(crash)],
  event: () => [vi.spyOn(PaymentIntentObject.prototype, 'resendEvent').mockImplementation(crash)],
  book: () => [vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation(crash)],
  alerts: () => [vi.spyOn(env.OPERATOR_ALERTS, 'get').mockImplementation(crash)],
  files: () =>
    (['storeProfile', 'deleteProfile', 'begin', 'decide'] as const).map((name) =>
      vi.spyOn(ProviderFiles.prototype, name).mockImplementation(crash),
    ),
  nothing: () => [vi.spyOn(env.DB, 'prepare').mockImplementation(crash)],
};

type Crash = { readonly mockRestore: () => void };

function crash(): never {
  throw plantedError(CRASH);
}

/** All rows of both databases without the audit log. */
const allRows = () => databaseRows((table) => ['audit_log', 'd1_migrations'].includes(table));

async function entriesOf(action: string): Promise<number> {
  return (await auditLog()).filter((entry) => entry.action === action).length;
}

test.each(PATHS)('%s', async (name) => {
  const { operation, values, path, body } = await prepare(name, caught);
  const { changes, entry, isRecordedFirst, entries = 1 } = operation;
  const payment = clientIn(values.environment === 'production' ? 'production' : 'sandbox');
  // A refund's claim on the merchant's daily limit precedes the commit, in a table.
  const stateNow = () => (changes === 'payment' ? payment.read() : allRows());
  const before = await stateNow();
  const known = await entriesOf(entry);

  const crashes = CRASHES[changes ?? 'nothing']();
  const crashed = await send(path, body);
  if (name.startsWith('/attention/')) {
    // The others of the list may have been done.
    expect(crashed).toMatchObject({ envelope: { content: { outcomes: [{ outcome: 'failed' }] } } });
  } else {
    expect(crashed.status).toBeGreaterThanOrEqual(500);
  }
  for (const { mockRestore } of crashes) {
    mockRestore();
  }
  expect(await entriesOf(entry)).toBe(known + (isRecordedFirst ? 1 : 0));
  expect(await stateNow()).toEqual(before);

  expect(await send(path, body)).toMatchObject({ status: 200 });
  expect(await entriesOf(entry)).toBe(known + (isRecordedFirst ? 1 : 0) + entries);
});
