import { describe, expect, it, test } from 'vitest';
import { auditLog } from '../dashboard/support.ts';
import {
  ALPHA,
  advance,
  clientOf,
  consumeAll,
  execute,
  fireAlarm,
  HOUR_MS,
  intentOf,
  MINUTE_MS,
  merchantServer,
  payHosted,
  paymentIn,
  useGateway,
} from '../support.ts';
import {
  content,
  type OperateOptions,
  operateApi,
  PERSONAL_SECRETS,
  project,
  refundByHand,
  refundRequest,
  SECRET,
  TWO_OPERATORS,
} from './support.ts';

/**
 * Goal: an operator records what became of a refund that needs a person, once and audited; above
 * the limit two people must agree, and one person cannot pass as two (docs/decisions.md#41).
 * Method: refunds brought into each state, then requests to the API.
 */

const caught = useGateway();

const PAYMENT = `/payments/sandbox/${ALPHA.id}/order-1`;
const PATH = `${PAYMENT}/refunds/r1/resolve`;
const RETURNED = { outcome: 'returned', reference: 'RF-9', note: 'Returned in the portal' };
const NOT_RETURNED = { outcome: 'not_returned', note: 'The account is closed' };

/** With a secret that only this person has, where two operators must agree. */
function as(name: keyof typeof PERSONAL_SECRETS): OperateOptions {
  return { authorization: `Bearer ${PERSONAL_SECRETS[name]}`, bindings: TWO_OPERATORS };
}

const BY_API = { takesParts: true, wholeAmountsOnly: false, windowMs: null };

async function refund() {
  return (await intentOf()).refunds[0];
}

async function details(): Promise<readonly Record<string, unknown>[]> {
  return (await auditLog()).map(({ detail }) => JSON.parse(detail));
}

describe('one operator', () => {
  it.each([
    [RETURNED, { status: 'succeeded', railReference: 'RF-9' }, 'REFUND_SUCCESS'],
    [NOT_RETURNED, { status: 'failed', failureReason: 'rejected_by_operator' }, 'REFUND_FAILED'],
  ])('%o: refund, history, audit log and merchant have it', async (body, outcome, event) => {
    const arrivals = merchantServer();
    await refundByHand({ amountMinor: 4_000 });
    await consumeAll(caught);
    const headers = { 'x-operator': 'Abebe' };
    const payment = await content<Record<string, unknown[]>>(operateApi(PATH, body, { headers }));
    expect(payment).toMatchObject({ status: 'succeeded', refunds: [{ id: 'r1', ...outcome }] });
    expect(payment.history?.at(-1)).toMatchObject({
      command: 'resolve_refund_manually',
      detail: { actor: 'operator', operator: 'Abebe', note: body.note, refund: { id: 'r1' } },
    });
    expect(await auditLog()).toMatchObject([
      { action: 'refund.decided', actor_id: 'Abebe', merchant_id: ALPHA.id, target: 'order-1' },
    ]);
    expect(await details()).toMatchObject([
      { refund: 'r1', outcome: outcome.status, note: body.note, secondOperator: false },
    ]);
    await consumeAll(caught);
    expect(arrivals.at(-1)?.event.webHookEvent).toBe(event);
    expect(arrivals.map((arrival) => paymentIn(arrival)).at(-1)).toMatchObject({
      status: 'SUCCESS',
    });
  });

  test('an unresolved refund takes a decision, by its reference as well', async () => {
    await refundByHand({}, BY_API);
    const deadlineAtMs = Date.now() + MINUTE_MS;
    await execute({ type: 'claim_refund', refundId: 'r1', claimId: 'c1', deadlineAtMs });
    const early = await operateApi(PATH, RETURNED);
    expect([early.status, early.envelope.code]).toEqual([409, 'refund_not_resolvable']);
    const outcome = { type: 'unknown', checkAtMs: null } as const;
    advance(2 * MINUTE_MS);
    await execute({ type: 'resolve_refund', refundId: 'r1', outcome });
    const { reference = '', status } = (await refund()) ?? {};
    expect(status).toBe('unresolved');
    await content(operateApi(`${PAYMENT}/refunds/${reference}/resolve`, RETURNED));
    expect((await refund())?.status).toBe('succeeded');
  });

  test('a second decision is refused, and audited as refused', async () => {
    await refundByHand();
    await content(operateApi(PATH, RETURNED));
    const { status, envelope } = await operateApi(PATH, NOT_RETURNED);
    expect([status, envelope.code]).toEqual([409, 'refund_not_resolvable']);
    expect((await details()).at(-1)).toMatchObject({ refused: 'refund_not_resolvable' });
    expect((await refund())?.status).toBe('succeeded');
  });

  test("a refund's id wins over the reference of another refund", async () => {
    await refundByHand({ amountMinor: 1_000 });
    const { reference = '' } = (await refund()) ?? {};
    await execute(await refundRequest(reference, { amountMinor: 1_000 }));
    await content(operateApi(`${PAYMENT}/refunds/${reference}/resolve`, RETURNED));
    const { refunds } = await intentOf();
    expect(refunds.map(({ status }) => status)).toEqual(['requires_action', 'succeeded']);
  });
});

describe('two operators', () => {
  test('the second one confirms what the first one proposed', async () => {
    merchantServer();
    await refundByHand();
    const proposed = await operateApi(PATH, RETURNED, as('Hana'));
    expect([proposed.status, proposed.envelope.message]).toEqual([
      200,
      'Stored. Another operator must confirm it',
    ]);
    expect(await refund()).toMatchObject({
      status: 'requires_action',
      proposal: { operator: 'Hana', note: RETURNED.note },
    });
    const payment = await content(operateApi(PATH, { ...RETURNED, note: 'Seen' }, as('Dawit')));
    expect(payment).toMatchObject({
      refunds: [{ status: 'succeeded', railReference: 'RF-9', proposal: null }],
    });
    expect((await auditLog()).map(({ actor_id }) => actor_id)).toEqual(['Hana', 'Dawit']);
    expect(await details()).toContainEqual(expect.objectContaining({ secondOperator: true }));
  });

  test('a shared secret decides nothing, and has no entry in the audit log', async () => {
    await refundByHand();
    await content(operateApi(PATH, RETURNED, as('Hana')));
    const before = await auditLog();
    const authorization = `Bearer ${SECRET}`;
    const answer = await operateApi(PATH, RETURNED, { ...as('Dawit'), authorization });
    expect([answer.status, answer.envelope.code]).toEqual([403, 'operator_not_verified']);
    expect(await auditLog()).toEqual(before);
    expect((await refund())?.status).toBe('requires_action');
  });
});

test('the payment shows its refunds without what only the gateway needs', async () => {
  await refundByHand({ reason: 'Wrong size' });
  const { refunds } = await content<{ refunds: object[] }>(
    operateApi(PAYMENT, undefined, { bindings: TWO_OPERATORS }),
  );
  const [attempt] = (await intentOf()).attempts;
  expect(refunds).toMatchObject([
    {
      id: 'r1',
      reason: 'Wrong size',
      actionReason: 'not_supported',
      transactionId: attempt?.reference,
      secondOperatorNeeded: true,
    },
  ]);
  await execute({
    type: 'resolve_refund',
    refundId: 'r1',
    outcome: { type: 'succeeded', railReference: 'API-1' },
  });
  const { refunds: ended } = await content<{ refunds: object[] }>(
    operateApi(PAYMENT, undefined, { bindings: TWO_OPERATORS }),
  );
  expect(ended).toMatchObject([{ status: 'succeeded', secondOperatorNeeded: false }]);
  const names = Object.keys(refunds[0] ?? {});
  for (const internal of ['requestId', 'bodyDigest', 'idempotencyKeyDigest', 'claimId']) {
    expect(names).not.toContain(internal);
  }
  expect((await clientOf().history()).length).toBeGreaterThan(0);
});

describe('what needs attention', () => {
  interface Item {
    readonly type: string;
    readonly reasons: readonly { readonly reason: string }[];
    readonly refund?: { readonly refundUniqueId: string };
  }

  async function attention(): Promise<readonly (readonly [string, string | undefined])[]> {
    await project(caught);
    const { items } = await content<{ items: Item[] }>(operateApi('/attention'));
    return items.flatMap(({ reasons, refund: listed }) =>
      reasons.map(({ reason }) => [reason, listed?.refundUniqueId] as const),
    );
  }

  test('lists a refund by hand until it is recorded; one that waits behind it is not overdue', async () => {
    await refundByHand({ amountMinor: 1_000 });
    await execute(await refundRequest('r2', { amountMinor: 1_000 }, BY_API));
    advance(2 * HOUR_MS);
    expect(await attention()).toEqual([['refund_requires_action', 'r1']]);
    const { items } = await content<{ items: object[] }>(operateApi('/attention?limit=1'));
    expect(items).toMatchObject([
      {
        type: 'refund',
        refund: {
          environment: 'sandbox',
          merchantId: ALPHA.id,
          uniqueId: 'order-1',
          returnedMinor: 1_000,
          actionReason: 'not_supported',
        },
        reasons: [{ title: 'Refund by hand', todo: expect.stringContaining('return the money') }],
      },
    ]);
    await content(operateApi(PATH, RETURNED));
    expect(await attention()).toEqual([['refund_overdue', 'r2']]);
    await execute({ type: 'cancel_refund', refundId: 'r2' });
    expect(await attention()).toEqual([]);
  });

  test('lists an unresolved refund, and one that takes too long before that', async () => {
    await refundByHand({}, BY_API);
    const deadlineAtMs = Date.now() + 3 * HOUR_MS;
    await execute({ type: 'claim_refund', refundId: 'r1', claimId: 'c1', deadlineAtMs });
    expect(await attention()).toEqual([]);
    advance(2 * HOUR_MS);
    expect(await attention()).toEqual([['refund_overdue', 'r1']]);
    advance(2 * HOUR_MS);
    const outcome = { type: 'unknown', checkAtMs: null } as const;
    await execute({ type: 'resolve_refund', refundId: 'r1', outcome });
    expect(await attention()).toEqual([['refund_unresolved', 'r1']]);
  });

  test('lists a payment whose refund the provider contradicts', async () => {
    await refundByHand();
    await content(operateApi(PATH, RETURNED));
    const outcome = { type: 'failed', reason: 'declined' } as const;
    await execute({ type: 'resolve_refund', refundId: 'r1', outcome });
    expect(await attention()).toEqual([['anomaly', undefined]]);
  });
});

describe('a refund that the operator requests', () => {
  const REFUNDS = `${PAYMENT}/refunds`;
  const REQUEST = { refundUniqueId: 'case-812', amountMinor: 4_000, reason: 'Paid twice' };
  const HEADERS = { headers: { 'x-operator': 'Abebe' } };

  test('is the merchant’s, with the operator as the one who asked, and is audited once', async () => {
    await payHosted();
    const first = await content(operateApi(REFUNDS, REQUEST, HEADERS));
    expect(first).toMatchObject({
      refunds: [
        {
          id: 'case-812',
          amountMinor: 4_000,
          reason: 'Paid twice',
          requester: { type: 'operator', operator: 'Abebe' },
          status: 'pending',
        },
      ],
    });
    const again = await operateApi(REFUNDS, REQUEST, HEADERS);
    expect([again.status, again.envelope.message]).toEqual([200, 'Already requested']);
    expect((await intentOf()).refunds).toHaveLength(1);
    expect((await clientOf().history()).at(-1)).toMatchObject({
      command: 'request_refund',
      detail: { actor: 'operator', operator: 'Abebe' },
    });
    expect(await auditLog()).toMatchObject([
      { action: 'refund.requested', actor_id: 'Abebe', merchant_id: ALPHA.id, target: 'case-812' },
    ]);
    await fireAlarm();
    expect((await refund())?.status).toBe('succeeded');
  });

  test('is of all that is left, with an id of its own, unless the request says otherwise', async () => {
    await payHosted();
    await content(operateApi(REFUNDS, { reason: 'Closed shop' }));
    expect(await refund()).toMatchObject({
      id: expect.stringMatching(/^op_/),
      amountMinor: 10_050,
    });
  });

  it.each<[string, object, number, string]>([
    ['more than what is left', { amountMinor: 10_051 }, 409, 'refund_too_large'],
    ['an unknown transaction', { transactionId: 'NONE' }, 400, 'validation_failed'],
  ])('%s is refused', async (_name, changes, status, code) => {
    await payHosted();
    const answer = await operateApi(REFUNDS, { ...REQUEST, ...changes });
    expect([answer.status, answer.envelope.code]).toEqual([status, code]);
    expect((await intentOf()).refunds).toEqual([]);
  });

  test('keeps to the merchant’s limits, and the audit log records the refusal', async () => {
    await payHosted();
    const limits = { refundAgeDaysMax: 30, refundDailyMaxMinor: 3_999 };
    await content(operateApi(`/merchants/${ALPHA.id}/refund-limits`, limits));
    const { status, envelope } = await operateApi(REFUNDS, REQUEST);
    expect([status, envelope.code]).toEqual([409, 'refund_daily_limit']);
    expect((await details()).at(-1)).toMatchObject({ refused: 'refund_daily_limit' });
  });

  test('is not another operator’s, nor a merchant’s, of the same id', async () => {
    await payHosted();
    await content(operateApi(REFUNDS, REQUEST, HEADERS));
    const other = await operateApi(REFUNDS, REQUEST, { headers: { 'x-operator': 'Sara' } });
    expect([other.status, other.envelope.code]).toEqual([409, 'duplicate_refund_id']);
    expect((await intentOf()).refunds).toHaveLength(1);
  });
});
