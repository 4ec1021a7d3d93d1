import { expect, test, vi } from 'vitest';
import answerRejected from '../../fixtures/rails/ebirr/purchase_response_rejected.json' with {
  type: 'json',
};
import answerUndecided from '../../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import { logged, reportsAreSent, useGateway } from '../support.ts';
import {
  alarmsUntil,
  attemptNow,
  claimStart,
  client,
  configureRails,
  dyingBeforeClaims,
  EBIRR,
  EBIRR_CALL_MS,
  EBIRR_WINDOW_MS,
  ebirrPaid,
  intentNow,
  loggedEvents,
  noRail,
  PHONE,
  payExpress,
  type RailAnswer,
  type RailCall,
  railServer,
  resolveAs,
  run,
  slowRail,
  truncated,
} from './support.ts';

/**
 * Goal: a missing, lost or unclear answer is never a failure (docs/decisions.md#16, #31), and a
 * dead object never causes a second charge. Method: eBirr; the object dies after its claim, and the
 * provider gives every possible answer.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
useGateway();

const pay = () => payExpress({ method: 'E_BIRR' });
/** An object died after its claim. */
async function payAndDie(): Promise<void> {
  noRail();
  await dyingBeforeClaims(pay);
  await run(await claimStart());
}

const eventTypes = async () => (await client().events()).map(({ type }) => type);

test('when the object dies after its claim, nothing calls the provider and the attempt stays in flight', async () => {
  await payAndDie();
  const calls = noRail();
  await alarmsUntil(Date.now() + EBIRR_WINDOW_MS - 1);
  expect(calls).toEqual([]);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'taken' });
  expect(await eventTypes()).toEqual([]);
});

test('a call that gets no answer in time leaves the attempt in flight', async () => {
  const rail = slowRail();
  await pay();
  await rail.isCalled();
  expect(vi.mocked(AbortSignal.timeout).mock.calls).toEqual([[EBIRR_CALL_MS]]);
  rail.timesOut();
  await reportsAreSent();
  expect(await intentNow()).toMatchObject({ status: 'processing', failureReason: null });
  expect(await eventTypes()).toEqual([]);
});

test('an answer of eBirr after the window makes the unresolved attempt paid', async () => {
  const rail = slowRail();
  await pay();
  await rail.isCalled();
  await alarmsUntil((await attemptNow()).deadlineAtMs);
  expect(await attemptNow()).toMatchObject({ status: 'unresolved' });
  rail.answers(ebirrPaid(rail.calls[0] as RailCall));
  await expect.poll(() => intentNow()).toMatchObject({ status: 'succeeded', late: false });
});

test.each([
  ['claimed by an object that died', payAndDie],
  ['called, and never answered', () => payWith(() => Promise.reject(new Error('reset')))],
  [
    'called, and without an outcome from eBirr',
    () => payWith(() => Response.json(answerUndecided)),
  ],
])('decisions.md#31: %s is unresolved at the window’s end, never failed', async (_name, begin) => {
  await begin();
  const { deadlineAtMs } = await attemptNow();
  await alarmsUntil(deadlineAtMs);
  expect(await attemptNow()).toMatchObject({ status: 'unresolved', failureReason: null });
  expect(await intentNow()).toMatchObject({ status: 'processing' });
  expect(await eventTypes()).toEqual([]);
  // At the payment's own end the merchant gets "expired", and later the success if money did move.
  await alarmsUntil((await intentNow()).terms.expiresAtMs);
  expect(await intentNow()).toMatchObject({ status: 'expired' });
  expect(await attemptNow()).toMatchObject({ status: 'unresolved' });
  expect(await eventTypes()).toEqual(['payment_expired']);
  await resolveAs('succeeded');
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: true });
  expect(await eventTypes()).toEqual(['payment_expired', 'payment_succeeded']);
});

async function payWith(answer: RailAnswer) {
  const calls = railServer(answer);
  const paid = await pay();
  await reportsAreSent();
  expect(calls).toHaveLength(1);
  return paid;
}

// ---------------------------------------------------------------------------------------------
// What each kind of answer does; the meaning of every text is in test/rails/ebirr-answers.test.ts

const FAILED = (reason: string) => ({ status: 'failed', failureReason: reason });
/** In flight with queries scheduled: no answer says that no money moved. */
const UNKNOWN = { status: 'processing', failureReason: null, startClaim: 'taken' };

const ANSWERS: readonly [string, RailAnswer, object][] = [
  [
    'paid',
    (call) => new Response(ebirrPaid(call)),
    { status: 'succeeded', failureReason: null, receipt: '1000001' },
  ],
  ['refused by the customer', () => Response.json(answerRejected), FAILED('canceled_by_customer')],
  ['credentials rejected', () => new Response('', { status: 401 }), FAILED('misconfigured')],
  ['undecided', () => Response.json(answerUndecided), UNKNOWN],
  ['a connection that breaks', () => Promise.reject(new Error('reset')), UNKNOWN],
  ['a truncated answer', (call) => truncated(ebirrPaid(call)), UNKNOWN],
  ['a redirect', () => Response.redirect('https://elsewhere.rail.test/', 302), UNKNOWN],
  [
    'too much text',
    (call) => new Response(ebirrPaid(call, { filler: 'x'.repeat(70_000) })),
    UNKNOWN,
  ],
];

test.each(ANSWERS)('decisions.md#16: %s', async (_name, answer, expected) => {
  await payWith(answer);
  const attempt = await attemptNow();
  expect(attempt).toMatchObject(expected);
  const { status } = await intentNow();
  expect(status).toBe(attempt.status);
  const events = { succeeded: 'payment_succeeded', failed: 'payment_failed' };
  expect(await eventTypes()).toEqual(
    Object.entries(events).flatMap(([s, e]) => (s === status ? e : [])),
  );
});

test('the log contains no data that eBirr sent or received, except its code', async () => {
  const { transactionId } = await payWith(() =>
    Response.json({ ...answerRejected, responseMsg: `${PHONE} refused` }),
  );
  const { responseCode, errorCode } = answerRejected;
  expect(loggedEvents('rail_answer')).toEqual([
    {
      event: 'rail_answer',
      rail: 'ebirr',
      call: 'API_PURCHASE',
      reference: transactionId,
      status: 200,
      providerCode: [...new Set([responseCode, errorCode])].join(' '),
    },
  ]);
  for (const secret of [EBIRR.apiKey, EBIRR.apiUserId, PHONE, 'refused']) {
    expect(logged.join('\n')).not.toContain(secret);
  }
});
