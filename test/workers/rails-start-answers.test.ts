import { expect, test, vi } from 'vitest';
import answerRejected from '../fixtures/rails/ebirr/purchase_response_rejected.json' with {
  type: 'json',
};
import answerUndecided from '../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import {
  alarmsUntil,
  attemptNow,
  claimStart,
  client,
  configureRails,
  consumeStart,
  EBIRR,
  EBIRR_CALL_MS,
  EBIRR_WINDOW_MS,
  ebirrPaid,
  firstStart,
  intentNow,
  loggedEvents,
  noRail,
  PHONE,
  payExpress,
  type RailAnswer,
  type RailCall,
  railServer,
  run,
  settleAs,
  slowRail,
  truncated,
} from './rails-support.ts';
import { logged, useGateway } from './support.ts';

/**
 * Goal: silence, a lost answer or an unclear one is never a failure (docs/decisions.md#16, #31),
 * and a dead consumer never a second charge. Method: eBirr; the consumer dies at each of its steps,
 * and the rail answers whatever a rail can answer.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
const caught = useGateway();

const pay = () => payExpress({ method: 'E_BIRR' });
const message = () => firstStart(caught);
const eventTypes = async () => (await client().events()).map(({ type }) => type);

test('dead after the claim: nobody calls again, and the attempt stays in flight', async () => {
  await pay();
  await run(await claimStart());
  const calls = noRail();
  await consumeStart([message()]);
  await alarmsUntil(Date.now() + EBIRR_WINDOW_MS - 1);
  expect(calls).toEqual([]);
  // Nor is it sent again: the one message is the one of the start.
  expect(caught.starts).toHaveLength(1);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'taken' });
  expect(await eventTypes()).toEqual([]);
});

test('a call that is not answered yet: a second message waits for nobody and calls nobody', async () => {
  await pay();
  const rail = slowRail();
  const first = consumeStart([message()]);
  await rail.isCalled();
  await consumeStart([message()]);
  expect(rail.calls).toHaveLength(1);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'taken' });
  expect(vi.mocked(AbortSignal.timeout).mock.calls).toEqual([[EBIRR_CALL_MS]]);
  rail.timesOut();
  await first;
  expect(await intentNow()).toMatchObject({ status: 'processing', failureReason: null });
  expect(await eventTypes()).toEqual([]);
});

test('eBirr answers after the window: unresolved until then, paid from then on', async () => {
  await pay();
  const rail = slowRail();
  const first = consumeStart([message()]);
  await rail.isCalled();
  await alarmsUntil((await attemptNow()).deadlineAtMs);
  expect(await attemptNow()).toMatchObject({ status: 'unresolved' });
  rail.answers(new Response(ebirrPaid(rail.calls[0] as RailCall)));
  await first;
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
});

test.each([
  ['claimed by a consumer that died', async () => run(await claimStart())],
  ['called, and never answered', () => consumeWith(() => Promise.reject(new Error('reset')))],
  [
    'called, and eBirr does not know itself',
    () => consumeWith(() => Response.json(answerUndecided)),
  ],
])('decisions.md#31: %s is unresolved at the window’s end, never failed', async (_name, begin) => {
  await pay();
  await begin();
  const { deadlineAtMs } = await attemptNow();
  await alarmsUntil(deadlineAtMs);
  expect(await attemptNow()).toMatchObject({ status: 'unresolved', failureReason: null });
  expect(await intentNow()).toMatchObject({ status: 'processing' });
  expect(await eventTypes()).toEqual([]);
  // The payment's own time: the merchant hears "expired", and of the money if it did move.
  await alarmsUntil((await intentNow()).terms.expiresAtMs);
  expect(await intentNow()).toMatchObject({ status: 'expired' });
  expect(await attemptNow()).toMatchObject({ status: 'unresolved' });
  expect(await eventTypes()).toEqual(['payment_expired']);
  await settleAs('succeeded');
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: true });
  expect(await eventTypes()).toEqual(['payment_expired', 'payment_succeeded']);
});

async function consumeWith(answer: RailAnswer): Promise<void> {
  const calls = railServer(answer);
  await consumeStart([message()]);
  expect(calls).toHaveLength(1);
}

// ---------------------------------------------------------------------------------------------
// What eBirr's answer means

const FAILED = (reason: string) => ({ status: 'failed', failureReason: reason });
/** In flight, to be asked about: nobody has said that no money moved. */
const UNKNOWN = { status: 'processing', failureReason: null, startClaim: 'taken' };

const ANSWERS: readonly [string, RailAnswer, object][] = [
  [
    'paid',
    (call) => new Response(ebirrPaid(call)),
    { status: 'succeeded', failureReason: null, receipt: '1000001' },
  ],
  ['refused by the customer', () => Response.json(answerRejected), FAILED('canceled_by_customer')],
  ['credentials refused', () => new Response('', { status: 401 }), FAILED('misconfigured')],
  ['undecided', () => Response.json(answerUndecided), UNKNOWN],
  ['a connection that breaks', () => Promise.reject(new Error('reset')), UNKNOWN],
  ['half an answer', (call) => truncated(ebirrPaid(call)), UNKNOWN],
  ['half a JSON text', (call) => new Response(ebirrPaid(call).slice(0, -9)), UNKNOWN],
  ['no text at all', () => new Response(''), UNKNOWN],
  ['an error page', () => new Response('<html>Oops</html>', { status: 500 }), UNKNOWN],
  [
    'success with the status of an error',
    (call) => new Response(ebirrPaid(call), { status: 502 }),
    UNKNOWN,
  ],
  ['a redirect', () => Response.redirect('https://elsewhere.rail.test/', 302), UNKNOWN],
  ['too much', (call) => new Response(ebirrPaid(call, { filler: 'x'.repeat(70_000) })), UNKNOWN],
  ['another amount', (call) => new Response(ebirrPaid(call, { txAmount: '1.00' })), UNKNOWN],
  ['another order', (call) => new Response(ebirrPaid(call, { referenceId: 'ORDER-2' })), UNKNOWN],
  ['words of no meaning', () => Response.json({ responseCode: '9999', errorCode: 'E9' }), UNKNOWN],
];

test.each(ANSWERS)('decisions.md#16: %s', async (_name, answer, expected) => {
  await pay();
  await consumeWith(answer);
  const attempt = await attemptNow();
  expect(attempt).toMatchObject(expected);
  const { status } = await intentNow();
  expect(status).toBe(attempt.status);
  const events = { succeeded: 'payment_succeeded', failed: 'payment_failed' };
  expect(await eventTypes()).toEqual(
    Object.entries(events).flatMap(([s, e]) => (s === status ? e : [])),
  );
});

test('of what came from eBirr, and what went there, only its code is in the log', async () => {
  const { transactionId } = await pay();
  await consumeWith(() => Response.json({ ...answerRejected, responseMsg: `${PHONE} refused` }));
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
