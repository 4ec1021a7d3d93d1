import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import { signLink } from '../../../src/kit/crypto/link-token.ts';
import { useGateway } from '../support.ts';
import { send } from './scenes.ts';
import {
  attemptNow,
  client,
  configureRails,
  envWith,
  fireAlarmOf,
  intentNow,
  loggedEvents,
  MPESA,
  objectsAway,
  PRODUCTION,
  payExpress,
  railServer,
  report,
  resultsIn,
  run,
} from './support.ts';

/**
 * Goal: docs/promises.md#9 for reports about refunds: a forged one changes nothing and the operator
 * sees it; a genuine one is confirmed once it is safe. Method: M-PESA, the only provider that
 * reports refunds. How it reads them: test/rails/mpesa-refund.test.ts.
 */

const REFUNDS = { initiator: 'operator', securityCredential: btoa('x'.repeat(256)) };

configureRails({ RAIL_M_PESA_PRODUCTION: { ...MPESA, refunds: REFUNDS } });
const caught = useGateway();

/** What M-PESA calls the reversal. */
const ConversationID = 'AG_20261121_0001';

/** A refund that M-PESA was asked for. Returns the path of its reports. */
async function asked(): Promise<string> {
  railServer(({ url }) =>
    Response.json(
      url.includes('/reversal/')
        ? { ResponseCode: '0', ConversationID }
        : { access_token: 'token', token_type: 'Bearer', expires_in: '3599' },
    ),
  );
  await payExpress({ method: 'M_PESA', phoneNumber: '251711223344', amount: 100 });
  const { id: attemptId } = await attemptNow();
  const outcome = { type: 'succeeded', receipt: 'RHJ4BTOYS8' } as const;
  await run({ type: 'resolve_attempt', attemptId, outcome });
  await requestRefund(env, PRODUCTION, {
    paymentUniqueId: 'order-1',
    refundUniqueId: 'refund-1',
    transactionId: null,
    amountMinor: null,
    reason: null,
    requester: { type: 'operator', operator: 'abebe', isProved: false },
    idempotency: null,
  });
  await fireAlarmOf();
  const { objectName } = client();
  const link = { objectName, index: 0 };
  const token = await signLink(configOf(env).linkSigningKeys, 'refund', link);
  return `/rails/stk-push/refunds/${token}`;
}

function result(changes: object = {}): object {
  return { Result: { ResultType: 0, ResultCode: 0, ConversationID, ...changes } };
}

const FORGED: readonly [string, object | string, string][] = [
  ['names another refund', result({ ConversationID: 'AG_2' }), 'other_order'],
  ['is no report', '[]', 'unreadable'],
];

test.each(FORGED)('a report that %s is refused, and only the operator sees it', async (...row) => {
  const [, body, suspicion] = row;
  const path = await asked();
  const before = await intentNow();
  expect(before.refunds).toMatchObject([{ status: 'processing', railReference: ConversationID }]);
  expect((await report(path, body)).status).toBe(400);
  expect(loggedEvents('rail_callback_refused')).toMatchObject([{ rail: 'stk-push', suspicion }]);
  expect(await intentNow()).toEqual({
    ...before,
    anomalies: [expect.objectContaining({ kind: 'refused_callback' })],
    version: before.version + 1,
    updatedAtMs: Date.now(),
  });
  // A genuine one still counts.
  expect((await report(path, result())).status).toBe(200);
  expect((await intentNow()).refunds).toMatchObject([{ status: 'succeeded' }]);
});

test.each([
  ['removed', undefined, 1],
  // The log and the health check report it, so the payment needs no mark.
  ['mistyped', '{', 0],
])('a report after the settings were %s gets 503, and the operator sees it', async (...row) => {
  const [, secret, marks] = row;
  const path = await asked();
  const changed = envWith({ RAIL_M_PESA_PRODUCTION: secret });
  const reply = await send(changed, path, { body: result() });
  expect(reply).toMatchObject({ status: 503, text: 'Not available' });
  expect(loggedEvents('rail_callback_refused')).toMatchObject([
    { rail: 'stk-push', suspicion: 'not_configured' },
  ]);
  const { anomalies, refunds } = await intentNow();
  expect(anomalies.map(({ kind }) => kind)).toEqual(Array(marks).fill('refused_callback'));
  expect(refunds).toMatchObject([{ status: 'processing' }]);
  // The provider repeats it.
  expect((await report(path, result())).status).toBe(200);
  expect((await intentNow()).refunds).toMatchObject([{ status: 'succeeded' }]);
});

test('a report is confirmed to the provider only once the payment or a queue has it', async () => {
  const path = await asked();
  const away = objectsAway({ onlyExecute: true });
  expect((await report(path, result())).status).toBe(200);
  expect(resultsIn(caught)).toMatchObject([{ commands: [{ type: 'resolve_refund' }] }]);
  away.comeBack();
  expect((await intentNow()).refunds).toMatchObject([{ status: 'processing' }]);
});
