import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  AMOUNT_MINOR,
  attemptNow,
  CARDS,
  client,
  configureRails,
  fireAlarmOf,
  intentNow,
  nextAlarm,
  PRODUCTION,
  payExpress,
  railServer,
  run,
} from '../rails/support.ts';
import { ALPHA, abortObjects, advance, MINUTE_MS, useGateway } from '../support.ts';
import { operate, operateApi, PERSONAL_SECRETS } from './support.ts';

/**
 * Goal: after a crash an operator has a refund sent again with the same number, and the money goes
 * back once, whenever the next crash comes (docs/promises.md#11). Method: a card gateway with the
 * documented rules of `externalRefundId` keeps the book; the process of the object ends in the call.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: { ...CARDS, refundRepeats: true } });
useGateway();

const PAYMENT = `/payments/production/${ALPHA.id}/order-1`;
const HANA = { authorization: `Bearer ${PERSONAL_SECRETS.Hana}` };
const PART_MINOR = 4_000;

/** How one `refund.do` ends. */
type Fate = 'lost' | 'executed_and_lost' | 'answered' | 'refused';

let fates: Fate[];
let numbers: string[];
/** The gateway's book: what it returned, by number. */
let returned: Map<string, number>;

beforeEach(async () => {
  fates = [];
  numbers = [];
  returned = new Map();
  railServer(async ({ url, text }) => {
    const form = new URLSearchParams(text);
    return url.endsWith('/refund.do') ? refundDo(form) : statusOf(form);
  });
  await payExpress({ method: 'ETS_SWITCH', returnUrl: 'https://shop.example.com/done' });
  const { id: attemptId } = await attemptNow();
  const accepted = { redirectUrl: 'https://cards.rail.test/pay', railReference: 'md-order' };
  await run({ type: 'accept_attempt', attemptId, ...accepted });
  const outcome = { type: 'succeeded', receipt: 'RRN-1' } as const;
  await run({ type: 'resolve_attempt', attemptId, outcome });
  await requestPart('r1');
});

function requestPart(refundUniqueId: string) {
  return requestRefund(env, PRODUCTION, {
    paymentUniqueId: 'order-1',
    refundUniqueId,
    transactionId: null,
    amountMinor: PART_MINOR,
    reason: null,
    requester: { type: 'operator', operator: 'Hana', isProved: true },
    idempotency: null,
  });
}

async function refundDo(form: URLSearchParams): Promise<Response> {
  const fate = fates.shift() ?? 'answered';
  const number = form.get('externalRefundId') ?? '';
  numbers.push(number);
  const sum = [...returned.values()].reduce((total, minor) => total + minor, 0);
  const isAsExpected = form.get('expectedDepositedAmount') === String(AMOUNT_MINOR - sum);
  const isKnown = returned.has(number);
  if (fate === 'refused') {
    return Response.json({ errorCode: 7, errorMessage: 'Refund amount exceeds deposited amount' });
  }
  if (fate !== 'lost' && isAsExpected && !isKnown) {
    returned.set(number, Number(form.get('amount')));
  }
  if (fate !== 'answered') {
    return new Promise(() => undefined);
  }
  return Response.json({ errorCode: isKnown || isAsExpected ? 0 : 5, errorMessage: '' });
}

function statusOf(_form: URLSearchParams): Promise<Response> {
  return attemptNow().then(({ reference }) =>
    Response.json({
      errorCode: 0,
      orderNumber: reference,
      amount: AMOUNT_MINOR,
      currency: '230',
      orderStatus: 2,
      refunds: [...returned].map(([externalRefundId, amount]) => ({
        externalRefundId,
        amount,
        actionCode: 0,
        referenceNumber: 'RRN-9',
      })),
    }),
  );
}

async function refund() {
  return (await intentNow()).refunds[0];
}

/** The alarm makes the call, in which the process may end. */
async function callProvider(fate: Fate): Promise<void> {
  const calls = numbers.length;
  fates.push(fate);
  const alarm = fireAlarmOf().catch(() => null);
  if (fate === 'lost' || fate === 'executed_and_lost') {
    await expect.poll(() => numbers).toHaveLength(calls + 1);
    await abortObjects();
  }
  await alarm;
}

/** The query at the end of the window. */
async function queryProvider(): Promise<void> {
  advance(MINUTE_MS);
  await nextAlarm();
}

const repeat = (body: object = {}) =>
  operateApi(`${PAYMENT}/refunds/r1/repeat`, { note: 'The gateway crashed', ...body }, HANA);

test('sends one of two refunds of an attempt that are due at the same alarm, then the other', async () => {
  await requestPart('r2');
  await callProvider('answered');
  expect(numbers).toHaveLength(1);
  await callProvider('answered');
  expect(new Set(numbers).size).toBe(2);
  expect([...returned.values()]).toEqual([PART_MINOR, PART_MINOR]);
});

test('sends a refund again that the crash kept from the provider, once', async () => {
  await callProvider('lost');
  await queryProvider();
  expect((await refund())?.status).toBe('unresolved');
  const sent = { repeatId: crypto.randomUUID() };
  expect(await repeat(sent)).toMatchObject({ status: 200, envelope: { message: 'Sending again' } });
  expect(await repeat(sent)).toMatchObject({ envelope: { message: 'Already sent again' } });
  // Another one must wait, and so must a decision by hand.
  expect((await repeat()).envelope.code).toBe('refund_not_repeatable');
  await callProvider('answered');
  await fireAlarmOf();
  expect(await refund()).toMatchObject({ status: 'succeeded', late: false });
  expect(new Set(numbers).size).toBe(1);
  expect(numbers).toHaveLength(2);
  expect([...returned.values()]).toEqual([PART_MINOR]);
  expect((await client().history()).map(({ command }) => command)).toContain('repeat_refund');
  const entries = await auditLog();
  expect(entries.map(({ action, actor_id }) => `${action} ${actor_id}`)).toEqual(
    Array(3).fill('refund.repeated Hana'),
  );
  expect(JSON.parse(entries[2]?.detail ?? '')).toMatchObject({ refused: 'refund_not_repeatable' });
});

test.each<[string, Fate]>([
  ['before the provider has it', 'lost'],
  ['after the provider has executed it', 'executed_and_lost'],
])('is unresolved or proved when the process ends in the repeat, %s', async (_name, fate) => {
  await callProvider('lost');
  await queryProvider();
  await repeat();
  await callProvider(fate);
  expect((await refund())?.status).toBe('processing');
  await queryProvider();
  if (fate === 'lost') {
    expect((await refund())?.status).toBe('unresolved');
    await repeat();
    await callProvider('answered');
  }
  expect((await refund())?.status).toBe('succeeded');
  expect([...returned.values()]).toEqual([PART_MINOR]);
});

test('a refusal of the repeat leaves the refund unknown, because the first call may have returned it', async () => {
  await callProvider('executed_and_lost');
  // The provider's status shows it late.
  const book = new Map(returned);
  returned.clear();
  await queryProvider();
  expect((await refund())?.status).toBe('unresolved');
  await repeat();
  await callProvider('refused');
  expect((await refund())?.status).toBe('processing');
  returned = book;
  await queryProvider();
  expect(await refund()).toMatchObject({ status: 'succeeded', failureReason: null });
});

test('needs a proved name in production, and the setting of the account', async () => {
  await callProvider('lost');
  await queryProvider();
  const path = `${PAYMENT}/refunds/r1/repeat`;
  const shared = await operateApi(path, { note: 'x' });
  expect([shared.status, shared.envelope.code]).toEqual([403, 'operator_not_verified']);
  const bindings = { ...env, RAIL_ETS_SWITCH_PRODUCTION: JSON.stringify(CARDS) };
  const off = await operateApi(path, { note: 'x' }, { ...HANA, bindings });
  expect([off.status, off.envelope.code]).toEqual([409, 'refund_repeat_not_offered']);
  expect((await refund())?.status).toBe('unresolved');
});

test('the desk offers it and asks first', async () => {
  await callProvider('lost');
  await queryProvider();
  const page = await (await operate(`/operator${PAYMENT}`, undefined, HANA)).text();
  const [path = ''] = /\/operator\/payments\/[^"]*\/send-again/.exec(page) ?? [];
  const question = await (await operate(path, undefined, HANA)).text();
  expect(question).toContain('with the same number');
  expect(question).toContain(String((await refund())?.reference));
  expect(numbers).toHaveLength(1);
});
