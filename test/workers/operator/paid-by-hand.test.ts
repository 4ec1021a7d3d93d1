import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  compareManualReceipts,
  otherPaymentWithReceipt,
} from '../../../src/control/payments/receipts.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { reportConflictsOf } from '../../../src/engine/intent/receipt-conflicts.ts';
import { uuidV7 } from '../../../src/kit/crypto/uuid-v7.ts';
import { someTerms, startAttempt, succeed } from '../../support/intents.ts';
import { auditLog } from '../dashboard/support.ts';
import { decideAtRails, playRails, TELEBIRR, telebirrReport } from '../rails/scenes.ts';
import {
  attemptNow,
  callbackPath,
  choose,
  configureRails,
  fireAlarmOf,
  intentNow,
  report,
} from '../rails/support.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  CREATE_PATHS,
  call,
  clientOf,
  HOUR_MS,
  hostedBody,
  logged,
  reportsAreSent,
  SECOND_MS,
  statusPath,
  type TestMerchant,
  tenantOf,
  useGateway,
} from '../support.ts';
import {
  atTelebirr,
  content,
  operate,
  operateApi,
  PERSONAL_SECRETS,
  project as projectAll,
  TWO_OPERATORS,
} from './support.ts';

/**
 * Goal: no operator can invent a production payment: "paid" needs a proved name, two of them for a
 * large sum, a receipt that no other payment has, and goes back by hand until the provider confirms
 * it (docs/decisions.md#41, #44). Method: payments of two merchants by telebirr, requests to the
 * operator's API and the desk, and the messages to the books in the test's hands.
 */

configureRails({ RAIL_TELE_BIRR_PRODUCTION: TELEBIRR });
const caught = useGateway();

beforeEach(() => {
  playRails();
});

/** What telebirr names as the receipt of each payment. */
const TELEBIRR_RECEIPT = '49485948475845';

type Person = keyof typeof PERSONAL_SECRETS;

function production(merchant: TestMerchant, uniqueId = 'order-1') {
  return clientOf(uniqueId, tenantOf(merchant, 'production'));
}

async function bothAtTelebirr(): Promise<void> {
  await atTelebirr(ALPHA);
  await atTelebirr(BETA);
}

async function attemptPath(merchant: TestMerchant, uniqueId = 'order-1') {
  const { reference } = await attemptNow(production(merchant, uniqueId));
  return `/payments/production/${merchant.id}/${uniqueId}/attempts/${reference}`;
}

interface Recording {
  readonly receipt?: string;
  readonly by?: Person;
  readonly authorization?: string;
  readonly bindings?: Env;
}

/** Records a payment as paid, as Hana and by her own secret unless changed. */
async function recordPaid(
  merchant: TestMerchant,
  uniqueId = 'order-1',
  { receipt = 'R-77', by = 'Hana', ...options }: Recording = {},
) {
  const body = { outcome: 'succeeded', receipt, note: 'Seen in the portal' };
  return operateApi(`${await attemptPath(merchant, uniqueId)}/resolve`, body, {
    authorization: `Bearer ${PERSONAL_SECRETS[by]}`,
    ...options,
  });
}

/** telebirr reports the payment as paid. */
async function reportPaid(merchant: TestMerchant, uniqueId = 'order-1'): Promise<void> {
  decideAtRails('paid');
  const client = production(merchant, uniqueId);
  const path = await callbackPath('telebirr-h5', client);
  await report(path, await telebirrReport(await attemptNow(client), 'paid'));
  expect((await intentNow(client)).status).toBe('succeeded');
}

const project = () => projectAll(caught);

async function statusOf(merchant: TestMerchant, uniqueId = 'order-1') {
  return (await intentNow(production(merchant, uniqueId))).status;
}

/** Asks for a refund of the whole payment by the API. */
async function refund(merchant: TestMerchant, refundUniqueId: string) {
  const { status, text, envelope } = await answerOf(
    call('/api/v1/payment/refund', {
      method: 'POST',
      apiKey: merchant.apiKeys.production,
      body: { paymentIntentUniqueId: 'order-1', refundUniqueId },
    }),
  );
  expect(status, text).toBe(200);
  return envelope.content;
}

/** Each conflict of a payment, as merchant and id of the other payment. */
async function conflictsOf(merchant: TestMerchant, uniqueId = 'order-1') {
  const { anomalies } = await intentNow(production(merchant, uniqueId));
  return anomalies
    .filter(({ kind }) => kind === 'receipt_conflict')
    .map(({ other }) => `${other?.merchantId}/${other?.uniqueId}`);
}

/** What an operator's record does in the payment's object, without the look-ups around it. */
function paidByHand(attemptId: string, receipt: string): Command {
  return {
    type: 'resolve_manually',
    attemptId,
    resolutionId: 'died-after-commit',
    outcome: { type: 'succeeded', receipt },
    operator: 'Dawit',
    isVerified: true,
    note: 'x',
    secondOperatorAboveMinor: null,
    checkAtMs: null,
  };
}

/** The daily comparison. */
function compareRecorded(rows = 1_000, calls = 80): Promise<void> {
  return compareManualReceipts(env, 'production', Date.now(), { rows, calls });
}

function away(): never {
  throw new Error('away');
}

/** The conflicts of both merchants' payments. */
const conflicts = async () => [await conflictsOf(ALPHA), await conflictsOf(BETA)];

const A = `${ALPHA.id}/order-1`;
const B = `${BETA.id}/order-1`;

describe('one operator', () => {
  test.each([
    ['no name', {}],
    ['the name of a person', { 'x-operator': 'Hana' }],
  ])('with the shared secret and %s records no production payment', async (_name, headers) => {
    await atTelebirr(ALPHA);
    const path = `${await attemptPath(ALPHA)}/resolve`;
    const body = { outcome: 'succeeded', receipt: 'R-77', note: 'Seen in the portal' };
    const { status, envelope } = await operateApi(path, body, { headers });
    expect([status, envelope.code]).toEqual([403, 'operator_not_verified']);
    expect([await statusOf(ALPHA), await auditLog()]).toEqual(['processing', []]);
    const desk = await (await operate(`/operator/payments/production/${A}`)).text();
    expect(desk).toContain('recorded as paid only under a proved name');
    expect(desk).not.toContain('/paid"');
  });

  test('with a secret of their own records one, and audit log and history say so', async () => {
    await atTelebirr(ALPHA);
    expect((await recordPaid(ALPHA)).status).toBe(200);
    const { detail } = (await production(ALPHA).history()).at(-1) ?? {};
    expect(detail).toMatchObject({ operator: 'Hana', operatorProved: true });
    const headers = { 'x-operator': 'Hana' };
    const review = () => operateApi(`/payments/production/${A}/review`, { note: 'x' }, { headers });
    await review();
    await project();
    await review();
    const log = await (await operate('/operator/audit')).text();
    expect(log).toContain('Hana (name proved)');
    expect(log).toContain('Hana (name not proved)');
    const desk = await (await operate(`/operator/payments/production/${A}`)).text();
    expect(desk).toContain('Operator: Hana (name proved by a secret of their own)');
    expect(desk).toContain('The provider has not confirmed it yet');
  });
});

describe('a receipt counts once', () => {
  test.each(['R-77', 'r-77', 'r77.'])(
    'an unpaid payment is not paid by %s, the receipt of another merchant',
    async (receipt) => {
      await bothAtTelebirr();
      expect((await recordPaid(ALPHA)).status).toBe(200);
      const { status, envelope } = await recordPaid(BETA, 'order-1', { receipt });
      expect([status, envelope.code]).toEqual([409, 'receipt_used']);
      expect(envelope.message).toContain(`payment order-1 of merchant ${ALPHA.id}`);
      expect(await statusOf(BETA)).toBe('processing');
      const [last] = (await auditLog()).slice(-1);
      expect(JSON.parse(last?.detail ?? '')).toMatchObject({ refused: 'receipt_used', receipt });
      expect(await conflicts()).toEqual([[], []]);
    },
  );

  test("an unpaid payment is not paid by the receipt that telebirr named for another merchant's payment", async () => {
    await bothAtTelebirr();
    await reportPaid(ALPHA);
    await project();
    const { status, envelope } = await recordPaid(BETA, 'order-1', { receipt: TELEBIRR_RECEIPT });
    expect([status, envelope.code]).toEqual([409, 'receipt_used']);
    expect(await statusOf(BETA)).toBe('processing');
  });

  test('the sandbox and production do not share receipts', async () => {
    await atTelebirr(ALPHA);
    expect((await recordPaid(ALPHA)).status).toBe(200);
    const body = hostedBody({ methods: ['TELE_BIRR'] });
    const { envelope } = await answerOf(
      call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body }),
    );
    await choose(new URL(String(envelope.content)).pathname, 'TELE_BIRR');
    const { reference } = await attemptNow(clientOf());
    const path = `/payments/sandbox/${A}/attempts/${reference}/resolve`;
    const decision = { outcome: 'succeeded', receipt: 'R-77', note: 'x' };
    expect((await operateApi(path, decision)).status).toBe(200);
  });

  test('of two records at the same moment, one is refused, or both payments show the conflict', async () => {
    await bothAtTelebirr();
    const answers = await Promise.all([
      recordPaid(ALPHA),
      recordPaid(BETA, 'order-1', { by: 'Dawit' }),
    ]);
    await project();
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(accepted).toBeGreaterThan(0);
    expect(await conflicts()).toEqual(accepted === 2 ? [[B], [A]] : [[], []]);
  });

  /**
   * Both payments are paid by one receipt: the process that recorded A's died after its commit, and
   * A's book hears of it only later.
   */
  async function recordBothAfterDeath(before = async () => undefined): Promise<void> {
    await bothAtTelebirr();
    await before();
    const reachesBook = vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation(() => {
      throw new Error('away');
    });
    const { id: attemptId } = await attemptNow(production(ALPHA));
    await production(ALPHA).execute([paidByHand(attemptId, 'R-77')]);
    await reportsAreSent();
    reachesBook.mockRestore();
    expect((await recordPaid(BETA)).status).toBe(200);
    expect(await conflicts()).toEqual([[], []]);
  }

  /** A's payment is sent again when its lease expires. */
  async function bookHearsOfIt(): Promise<void> {
    advance(31 * SECOND_MS);
    await fireAlarmOf(production(ALPHA));
    await project();
  }

  test('the daily run finds the conflict when a process dies between commit and look-up', async () => {
    await recordBothAfterDeath();
    await bookHearsOfIt();
    const objects = vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation(away);
    await expect(compareRecorded()).rejects.toThrow('not compared: 1');
    objects.mockRestore();
    expect(await conflicts()).toEqual([[], []]);
    await compareRecorded();
    expect(await conflicts()).toEqual([[B], [A]]);
  });

  /** Two payments of each merchant, of which each pair has one receipt. The first pair is older. */
  async function recordTwoPairs(): Promise<void> {
    for (const uniqueId of ['order-1', 'order-2']) {
      await atTelebirr(ALPHA, uniqueId);
      await atTelebirr(BETA, uniqueId);
      const { terms } = await intentNow(production(BETA, uniqueId));
      expect((await recordPaid(ALPHA, uniqueId, { receipt: `R-${uniqueId}` })).status).toBe(200);
      // Like a record at the same moment, whose process died after its commit.
      advance(SECOND_MS);
      await otherPaymentWithReceipt(env, terms, `R-${uniqueId}`, Date.now());
      const { id: attemptId } = await attemptNow(production(BETA, uniqueId));
      await production(BETA, uniqueId).execute([paidByHand(attemptId, `R-${uniqueId}`)]);
      advance(SECOND_MS);
    }
    await reportsAreSent();
  }

  /** The conflicts of both pairs. */
  const pairs = async () => [
    await conflictsOf(ALPHA, 'order-1'),
    await conflictsOf(BETA, 'order-1'),
    await conflictsOf(ALPHA, 'order-2'),
    await conflictsOf(BETA, 'order-2'),
  ];
  const FIRST_PAIR = [[B], [A]];
  const SECOND_PAIR = [[`${BETA.id}/order-2`], [`${ALPHA.id}/order-2`]];

  test('a payment that is out of reach does not keep the others from the comparison', async () => {
    await recordTwoPairs();
    const { get } = env.PAYMENT_INTENT;
    const lost = String(env.PAYMENT_INTENT.idFromName(production(ALPHA).objectName));
    const spy = vi
      .spyOn(env.PAYMENT_INTENT, 'get')
      .mockImplementation((id) => (String(id) === lost ? away() : get(id)));
    await expect(compareRecorded()).rejects.toThrow('not compared: 2');
    spy.mockRestore();
    expect(await pairs()).toEqual([[], [], ...SECOND_PAIR]);
    expect(logged.filter((line) => line.includes('receipts_not_compared'))).toHaveLength(2);
    await compareRecorded();
    expect(await pairs()).toEqual([...FIRST_PAIR, ...SECOND_PAIR]);
  });

  test('the comparison goes through all pages of receipts, also of one moment', async () => {
    await recordTwoPairs();
    await env.DB.prepare('UPDATE manual_receipts SET recorded_at_ms = ?').bind(Date.now()).run();
    await compareRecorded(1);
    expect(await pairs()).toEqual([...FIRST_PAIR, ...SECOND_PAIR]);
  });

  test('the comparison stops before it makes too many calls, with the oldest receipts compared', async () => {
    await recordTwoPairs();
    await compareRecorded(2, 20);
    expect(await pairs()).toEqual([...FIRST_PAIR, [], []]);
    const [line] = logged.filter((one) => one.includes('comparison_stopped'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ environment: 'production' });
  });

  test('a receipt that only one payment has costs no call of the payment', async () => {
    await atTelebirr(ALPHA);
    expect((await recordPaid(ALPHA)).status).toBe(200);
    await project();
    const get = vi.spyOn(env.PAYMENT_INTENT, 'get');
    await compareRecorded();
    expect(get).not.toHaveBeenCalled();
  });

  test('a conflict is recorded once, and shown to each merchant without the other', async () => {
    await recordBothAfterDeath();
    await bookHearsOfIt();
    await compareRecorded();
    await compareRecorded();
    await project();
    for (const [merchant, other] of [
      [ALPHA, B],
      [BETA, A],
    ] as const) {
      expect(await conflictsOf(merchant)).toEqual([other]);
      const { text } = await answerOf(
        call(statusPath('order-1', 'production'), { apiKey: merchant.apiKeys.production }),
      );
      const { anomalies } = JSON.parse(text).content;
      expect(anomalies).toMatchObject([{ type: 'receipt_conflict' }]);
      expect(text).not.toContain(other.split('/')[0]);
    }
    const listed = await content<{ items: { payment?: { merchantId: string } }[] }>(
      operateApi('/attention?environment=production'),
    );
    const merchants = listed.items.flatMap(({ payment }) => payment?.merchantId ?? []);
    expect(new Set(merchants)).toEqual(new Set([ALPHA.id, BETA.id]));
    const desk = await (await operate(`/operator/payments/production/${A}`)).text();
    expect(desk).toContain('The receipt counts twice');
    expect(desk).toContain(`href="/operator/payments/production/${B}"`);
  });

  test('both payments show it when a provider later names a receipt that was used by hand', async () => {
    await bothAtTelebirr();
    expect((await recordPaid(BETA, 'order-1', { receipt: TELEBIRR_RECEIPT })).status).toBe(200);
    await reportPaid(ALPHA);
    await project();
    await compareRecorded();
    expect(await conflicts()).toEqual([[B], [A]]);
  });

  test('is accepted for its own payment once the provider has named another for the first one', async () => {
    await bothAtTelebirr();
    expect((await recordPaid(ALPHA)).status).toBe(200);
    await reportPaid(ALPHA);
    await project();
    expect((await recordPaid(BETA)).status).toBe(200);
    expect(await statusOf(BETA)).toBe('succeeded');
    await project();
    expect(await conflicts()).toEqual([['undefined/undefined'], []]);
  });

  test('is compared when it was recorded now, although it was looked up 31 days ago', async () => {
    await recordBothAfterDeath(async () => {
      const { terms } = await intentNow(production(BETA));
      const longAgoMs = Date.now() - 31 * 24 * HOUR_MS;
      await otherPaymentWithReceipt(env, terms, 'R-77', longAgoMs);
    });
    await bookHearsOfIt();
    await compareRecorded();
    expect(await conflicts()).toEqual([[B], [A]]);
  });

  test('a payment shows each other one, also when merchants have given both the same id', async () => {
    const merchantIds = [ALPHA.id, BETA.id, 'mer_gamma'];
    for (const merchantId of merchantIds) {
      const tenant = { merchantId, environment: 'production' } as const;
      const createdAtMs = Date.now();
      const times = { createdAtMs, expiresAtMs: createdAtMs + HOUR_MS };
      const terms = someTerms({ ...tenant, ...times, uniqueId: 'o', uuid: uuidV7(createdAtMs) });
      const request = { terms, idempotency: null, attempt: null, answerWithinMs: 0, answer: null };
      await clientOf('o', tenant).create(request);
      const deadlineAtMs = createdAtMs + HOUR_MS;
      await clientOf('o', tenant).execute([startAttempt('a', { deadlineAtMs }), succeed('a')]);
    }
    const [, ...others] = merchantIds.map((merchantId) => ({ merchantId, uniqueId: 'o' }));
    for (const other of others) {
      await reportConflictsOf(env, { ...tenantOf(ALPHA, 'production'), uniqueId: 'o' }, [other]);
    }
    expect(await conflictsOf(ALPHA, 'o')).toEqual([`${BETA.id}/o`, 'mer_gamma/o']);
  });

  test('is no longer compared when it was recorded more than 30 days ago', async () => {
    await recordBothAfterDeath();
    await project();
    advance(31 * 24 * HOUR_MS);
    await compareRecorded();
    expect(await conflicts()).toEqual([[], []]);
  });

  test.each([
    ['D1', () => vi.spyOn(env.DB, 'prepare')],
    ['the index of receipts', () => vi.spyOn(env.RECEIPT_INDEX, 'get')],
  ])('nothing is recorded while %s cannot be asked for the receipt', async (_name, spy) => {
    await atTelebirr(ALPHA);
    const resolvePath = `${await attemptPath(ALPHA)}/resolve`;
    spy().mockImplementation(() => {
      throw Object.assign(new Error('away'), { retryable: true });
    });
    const body = { outcome: 'succeeded', receipt: 'R-77', note: 'Seen in the portal' };
    const authorization = `Bearer ${PERSONAL_SECRETS.Hana}`;
    const { status, headers } = await operateApi(resolvePath, body, { authorization });
    vi.restoreAllMocks();
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(await statusOf(ALPHA)).toBe('processing');
  });
});

describe('two operators', () => {
  const LARGE = { items: [], amount: 900_000 };

  test('are needed for 900,000 birr, by the default limit', async () => {
    await atTelebirr(ALPHA, 'order-1', LARGE);
    const first = await recordPaid(ALPHA, 'order-1', { receipt: 'MADE-UP-1' });
    expect([first.status, first.envelope.message]).toEqual([
      200,
      'Stored. Another operator must confirm it',
    ]);
    expect(await statusOf(ALPHA)).toBe('processing');
    await project();
    const reasons = async () => {
      const page = await content<{ items: { reasons: { reason: string }[] }[] }>(
        operateApi('/attention?environment=production'),
      );
      return page.items.flatMap((item) => item.reasons.map(({ reason }) => reason));
    };
    expect(await reasons()).toEqual(['attempt_proposed']);

    const again = await recordPaid(ALPHA, 'order-1', { receipt: 'MADE-UP-1' });
    expect([again.status, again.envelope.code]).toEqual([409, 'second_operator_needed']);
    const payment = await content(
      recordPaid(ALPHA, 'order-1', { receipt: 'made-up-1', by: 'Dawit' }),
    );
    expect(payment).toMatchObject({
      status: 'succeeded',
      attempts: [{ receipt: 'made-up-1', isProved: false, proposal: null }],
      agreed: [
        { operator: 'Hana', provedBy: 'secret' },
        { operator: 'Dawit', provedBy: 'secret' },
      ],
    });
    await project();
    expect(await reasons()).toEqual([]);
  });

  test('on the desk: one records, the other one confirms', async () => {
    await atTelebirr(ALPHA, 'order-1', LARGE);
    await recordPaid(ALPHA, 'order-1', { receipt: 'MADE-UP-1' });
    const page = (person: Person, path = '') =>
      operate(`/operator/payments/production/${A}${path}`, undefined, {
        authorization: `Bearer ${PERSONAL_SECRETS[person]}`,
      }).then((response) => response.text());
    const confirm = `${(await attemptPath(ALPHA)).split('order-1')[1]}/confirm`;
    expect(await page('Hana')).not.toContain(confirm);
    expect(await page('Dawit')).toContain(confirm);
    const question = await page('Dawit', confirm);
    const proved = (name: Person) => `${name} (name proved by a secret of their own)`;
    for (const part of ['MADE-UP-1', proved('Hana'), proved('Dawit'), '900,000.00']) {
      expect(question).toContain(part);
    }
  });
});

describe('what was recorded by hand', () => {
  const BY_HAND = { status: 'REQUIRES_ACTION', actionReason: 'resolved_by_operator' };

  test('is refunded by hand, and telebirr is not asked to', async () => {
    const calls = playRails();
    await atTelebirr(ALPHA);
    await recordPaid(ALPHA, 'order-1', { receipt: TELEBIRR_RECEIPT });
    expect(await refund(ALPHA, 'r1')).toMatchObject(BY_HAND);
    calls.length = 0;
    for (let alarms = 0; alarms < 5; alarms += 1) {
      advance(60_000);
      await fireAlarmOf(production(ALPHA));
    }
    const asked = calls.map(({ url }) => new URL(url).pathname.split('/').at(-1));
    expect(new Set(asked)).toEqual(new Set(['token', 'queryOrder']));
  });

  test('and the second operator of its refund is told to return nothing', async () => {
    await atTelebirr(ALPHA);
    await recordPaid(ALPHA);
    await refund(ALPHA, 'r1');
    const page = async () =>
      (
        await operate(`/operator/payments/production/${A}`, undefined, { bindings: TWO_OPERATORS })
      ).text();
    expect(await page()).toContain('to the account that paid');
    const returned = { outcome: 'returned', reference: 'RF-9', note: 'Returned in the portal' };
    await content(
      operateApi(`/payments/production/${A}/refunds/r1/resolve`, returned, {
        authorization: `Bearer ${PERSONAL_SECRETS.Hana}`,
        bindings: TWO_OPERATORS,
      }),
    );
    const proposed = await page();
    expect(proposed).toContain('return nothing yourself');
    expect(proposed).not.toContain('to the account that paid');
  });

  test('until telebirr confirms it: then telebirr refunds it', async () => {
    await atTelebirr(ALPHA);
    await recordPaid(ALPHA, 'order-1', { receipt: TELEBIRR_RECEIPT });
    expect(await attemptNow(production(ALPHA))).toMatchObject({ isProved: false });
    decideAtRails('paid');
    await fireAlarmOf(production(ALPHA));
    expect(await attemptNow(production(ALPHA))).toMatchObject({ isProved: true, checkAtMs: null });
    expect(await refund(ALPHA, 'r1')).toMatchObject({ status: 'PENDING', actionReason: null });
  });
});
