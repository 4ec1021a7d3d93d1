import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { attemptReferenceFrom, REFERENCE_LENGTH } from '../../../src/engine/domain/identifiers.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { setRefundLimits } from '../../../src/engine/merchants/refund-limits.ts';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import { registerOf } from '../../../src/engine/register/client.ts';
import type { RefundClaim } from '../../../src/engine/register/protocol.ts';
import { businessDay } from '../../../src/kit/ethiopian-time.ts';
import { ObjectUnavailable } from '../../../src/kit/platform/object-call.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { plantedError } from '../../support/output/planted.ts';
import { fireRegisterAlarm, registerRows, registerStub } from '../support/register.ts';
import {
  ALPHA,
  abortObjects,
  advance,
  BETA,
  clientOf,
  DAY_MS,
  firstOf,
  HOUR_MS,
  INTERRUPTIONS,
  intentOf,
  MINUTE_MS,
  payHosted,
  reportsAreSent,
  runSql,
  storedPayment,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: src/engine/register: a refund's id is claimed once, no day passes its limit, and no claim outlives
 * its request for ever (docs/decisions.md#43). Method: real objects, with requests that die, are
 * slow or cannot reach the other object.
 */

useGateway();

const tenant = tenantOf(ALPHA);
const register = () => registerOf(env, tenant);

function refund(amountMinor = 1_000, paymentUniqueId = 'order-1', refundUniqueId = 'refund-1') {
  return requestRefund(env, tenant, {
    ...{ paymentUniqueId, refundUniqueId, amountMinor },
    ...{ transactionId: null, reason: null, idempotency: null },
    requester: { type: 'operator', operator: 'abebe', isProved: false },
  });
}

async function claimOf(changes: Partial<RefundClaim> = {}): Promise<RefundClaim> {
  const { terms, attempts } = await intentOf();
  return {
    refundUniqueId: 'refund-1',
    paymentUniqueId: terms.uniqueId,
    claimId: 'claim-1',
    amountMinor: 1_000,
    currency: terms.currency,
    paidAtMs: firstOf(attempts).updatedAtMs,
    refundAgeDaysMax: 180,
    refundDailyMaxMinor: null,
    ...changes,
  };
}

const claim = async (changes: Partial<RefundClaim> = {}) =>
  register().claimRefund(await claimOf(changes));

async function daySum(): Promise<number> {
  const rows = (await registerRows('refund_days')) as readonly { amount_minor: number }[];
  return rows.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
}

const pay = (paymentIntentUniqueId = 'order-1') =>
  payHosted({ amount: 150.5, paymentIntentUniqueId });

/** Lets the register's alarm settle what is due, and says what is left. */
async function settle(): Promise<readonly object[]> {
  advance(MINUTE_MS);
  expect(await fireRegisterAlarm()).toBe(true);
  return registerRows('refund_claims');
}

test('a claim writes two rows, its report two, and a repeated one none', async () => {
  await pay();
  await claim();
  await refund();
  await reportsAreSent();
  const other = await claimOf({ refundUniqueId: 'refund-2', claimId: 'claim-2' });
  const intent = await intentOf();
  const written = await runInDurableObject(
    registerStub(),
    async (instance, { storage: { sql } }) => {
      const counted: number[] = [];
      const exec = sql.exec.bind(sql);
      let rows = 0;
      const spy = vi.spyOn(sql, 'exec').mockImplementation((...args) => {
        const cursor = exec(...args);
        const taken = cursor.toArray();
        rows += cursor.rowsWritten;
        return { ...cursor, toArray: () => taken } as never;
      });
      const count = async (work: () => unknown) => {
        rows = 0;
        await work();
        counted.push(rows);
      };
      const refunds = [
        { id: 'refund-2', stage: 0, amountMinor: 1_000, createdAtMs: Date.now(), currency: 'ETB' },
      ] as const;
      await count(() => instance.claimRefund(other));
      await count(() => instance.claimRefund(other));
      await count(() => instance.recordRefunds('order-1', refunds));
      await count(() => instance.recordRefunds('order-1', refunds));
      spy.mockRestore();
      return counted;
    },
  );
  expect(written).toEqual([2, 0, 2, 0]);
  expect(intent.refunds).toHaveLength(1);
});

test('a lookup of an unknown refund creates no storage', async () => {
  expect(await register().paymentOfRefund('unknown')).toBeNull();
  const size = await runInDurableObject(registerStub(), (_instance, { storage }) => {
    const sql =
      "SELECT count(*) AS tables FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'";
    return storage.sql.exec(sql).one();
  });
  expect(size).toEqual({ tables: 0 });
});

test.each<[string, Tenant, Tenant]>([
  [
    'the other environment',
    { environment: 'sandbox', merchantId: 'm1' },
    { environment: 'production', merchantId: 'm1' },
  ],
  [
    'an id that looks like a name',
    { environment: 'sandbox', merchantId: 'm1' },
    { environment: 'sandbox', merchantId: 'sandbox/m1' },
  ],
  [
    'an id with a slash at its end',
    { environment: 'sandbox', merchantId: 'm1' },
    { environment: 'sandbox', merchantId: 'm1/' },
  ],
  [
    'an id with an empty part',
    { environment: 'sandbox', merchantId: 'm1' },
    { environment: 'sandbox', merchantId: '/m1' },
  ],
])('a tenant shares no register with %s', async (_name, one, other) => {
  await pay();
  await registerOf(env, one).claimRefund(await claimOf());
  expect(await registerOf(env, other).paymentOfRefund('refund-1')).toBeNull();
  expect(await registerOf(env, one).paymentOfRefund('refund-1')).toBe('order-1');
});

test("a register's name never leads to a payment: they are different namespaces", async () => {
  await pay();
  await claim();
  const name = `${tenant.environment}/${tenant.merchantId}`;
  const ids = [env.MERCHANT_REGISTER, env.PAYMENT_INTENT].map((one) =>
    one.idFromName(name).toString(),
  );
  expect(new Set(ids).size).toBe(2);
});

describe('a request that died after its claim', () => {
  test.each(Object.entries(INTERRUPTIONS))(
    'gives id and amount back to others, with %s before the alarm',
    async (_name, interrupt) => {
      await runSql([
        setRefundLimits(ALPHA.id, { refundAgeDaysMax: 30, refundDailyMaxMinor: 1_000 }),
      ]);
      await pay();
      await pay('order-2');
      await claim();
      expect(await refund(1_000, 'order-2')).toMatchObject({ type: 'taken' });
      expect(await refund(1_000, 'order-2', 'refund-2')).toMatchObject({ leftMinor: 0 });
      await interrupt();
      expect(await settle()).toEqual([]);
      expect(await daySum()).toBe(0);
      expect(await refund(1_000, 'order-2')).toMatchObject({ type: 'accepted' });
    },
  );

  test('is not accepted later, and the record says so only in this case', async () => {
    await pay();
    await refund(1_000, 'order-1', 'refund-0');
    expect(Object.keys((await storedPayment()).intent ?? {})).not.toContain('voidRefundClaims');
    await claim();
    await settle();
    expect((await storedPayment()).intent?.voidRefundClaims).toHaveLength(1);
  });

  test('keeps its claim while the payment is out of reach, which backs off to an hour', async () => {
    await pay();
    await claim();
    const away = vi
      .spyOn(IntentClient.prototype, 'execute')
      .mockRejectedValue(new ObjectUnavailable('unreachable'));
    let waitedMs = 0;
    for (const waitMs of [1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE_MS)) {
      expect(await settle()).toMatchObject([{ claim_id: 'claim-1' }]);
      const [{ check_at_ms } = { check_at_ms: 0 }] = (await registerRows(
        'refund_claims',
      )) as readonly { check_at_ms: number }[];
      waitedMs = check_at_ms - Date.now();
      expect(waitedMs).toBe(waitMs);
      advance(waitedMs - MINUTE_MS);
    }
    expect(waitedMs).toBe(HOUR_MS);
    expect(await daySum()).toBe(1_000);
    away.mockRestore();
    expect(await settle()).toEqual([]);
    expect(await daySum()).toBe(0);
  });
});

test('a refund whose report was lost is recorded by the alarm', async () => {
  await pay();
  await claim();
  await runInDurableObject(registerStub(), (instance) => {
    vi.spyOn(
      Object.getPrototypeOf(Object.getPrototypeOf(instance)),
      'recordRefunds',
    ).mockImplementation(() => {
      throw plantedError();
    });
  });
  expect(await refund()).toMatchObject({ type: 'accepted' });
  await reportsAreSent();
  expect(await registerRows('refunds')).toEqual([]);
  vi.restoreAllMocks();
  expect(await settle()).toEqual([]);
  expect(await registerRows('refunds')).toMatchObject([{ refund_unique_id: 'refund-1', stage: 0 }]);
  expect(await daySum()).toBe(1_000);
});

describe('the alarm races a slow request', () => {
  /** The request stops between its claim and its reservation, until `meanwhile` is done. */
  async function slowly(meanwhile: () => Promise<unknown>) {
    const execute = IntentClient.prototype.execute;
    const spy = vi.spyOn(IntentClient.prototype, 'execute');
    spy.mockImplementationOnce(async function (this: IntentClient, ...args) {
      await meanwhile();
      return execute.apply(this, args);
    });
    const result = await refund();
    spy.mockRestore();
    await reportsAreSent();
    return result;
  }

  test('and comes first: the request makes a second claim', async () => {
    await pay();
    expect(await slowly(settle)).toMatchObject({ type: 'accepted' });
    expect((await intentOf()).refunds).toHaveLength(1);
    expect(await registerRows('refund_claims')).toEqual([]);
    expect(await daySum()).toBe(1_000);
  });

  test('and its answer is lost: the request releases the void claim itself', async () => {
    await pay();
    const voidClaim = async () => {
      const [row] = (await registerRows('refund_claims')) as readonly { claim_id: string }[];
      await clientOf().execute([
        {
          type: 'void_refund_claim',
          refundId: 'refund-1',
          registerClaimId: row?.claim_id ?? '',
        },
      ]);
    };
    expect(await slowly(voidClaim)).toMatchObject({ type: 'accepted' });
    expect(await registerRows('refund_claims')).toEqual([]);
    expect(await daySum()).toBe(1_000);
  });

  test('and another payment takes the id meanwhile: the request gets the right error', async () => {
    await pay();
    await pay('order-2');
    const result = await slowly(async () => {
      await settle();
      expect(await refund(1_000, 'order-2')).toMatchObject({ type: 'accepted' });
    });
    expect(result).toEqual({ type: 'taken', reason: 'duplicate' });
    expect((await intentOf()).refunds).toEqual([]);
    expect(await daySum()).toBe(1_000);
  });

  test('and comes last: the refund stays', async () => {
    await pay();
    await claim();
    await refund();
    advance(MINUTE_MS);
    await fireRegisterAlarm();
    expect(await registerRows('refunds')).toHaveLength(1);
    expect(await daySum()).toBe(1_000);
  });
});

test('the claim of another tenant is never shared', async () => {
  await pay();
  await claim();
  const beta = registerOf(env, tenantOf(BETA));
  expect(await beta.paymentOfRefund('refund-1')).toBeNull();
});

test('reports of a refund may arrive in any order', async () => {
  await pay();
  const { terms } = await intentOf();
  const report = (stage: 0 | 1 | 2) =>
    runInDurableObject(registerStub(), (instance) =>
      instance.recordRefunds(terms.uniqueId, [
        { id: 'refund-1', stage, amountMinor: 700, createdAtMs: Date.now(), currency: 'ETB' },
      ]),
    );
  const sums: number[] = [];
  for (const stage of [0, 1, 0, 2, 1, 0] as const) {
    await report(stage);
    sums.push(await daySum());
  }
  expect(sums).toEqual([700, 0, 0, 700, 700, 700]);
});

test('a refund counts on the day of its claim, although its payment reports it on the next one', async () => {
  await pay();
  await claim();
  const day = businessDay(Date.now());
  advance(DAY_MS);
  const report = { id: 'refund-1', stage: 0, amountMinor: 1_000, currency: 'ETB' } as const;
  await runInDurableObject(registerStub(), (instance) =>
    instance.recordRefunds('order-1', [{ ...report, createdAtMs: Date.now() }]),
  );
  expect(await registerRows('refund_days')).toEqual([
    { day, currency: 'ETB', amount_minor: 1_000 },
  ]);
});

test('a claim is settled in a minute, although the alarm was set for references in years', async () => {
  await pay();
  const reference = attemptReferenceFrom(Date.now(), 1, new Uint8Array(REFERENCE_LENGTH));
  await register().holdReference(reference, 'order-1');
  await claim();
  const alarmAtMs = await runInDurableObject(registerStub(), (_instance, { storage }) =>
    storage.getAlarm(),
  );
  expect(alarmAtMs).toBe(Date.now() + MINUTE_MS);
});

test('a payment remembers only so many void claims, and for a day', async () => {
  await pay();
  const giveUp = (index: number) =>
    clientOf().execute([
      { type: 'void_refund_claim', refundId: 'refund-1', registerClaimId: `claim-${index}` },
    ]);
  for (let index = 0; index < 50; index += 1) {
    expect(await giveUp(index)).toMatchObject({ rejection: null });
  }
  expect(await giveUp(0)).toMatchObject({ rejection: null });
  expect(await giveUp(50)).toMatchObject({ rejection: 'too_many_refunds' });
  advance(24 * HOUR_MS);
  expect(await giveUp(50)).toMatchObject({ rejection: null });
  expect((await storedPayment()).intent?.voidRefundClaims).toHaveLength(1);
});

test('an abort in the middle of a claim leaves all of it or nothing', async () => {
  await pay();
  await Promise.allSettled([claim(), abortObjects()]);
  expect(await daySum()).toBe((await registerRows('refund_claims')).length * 1_000);
});

test('an awaited client is no promise', async () => {
  const client = await Promise.resolve(register());
  expect(await client.paymentOfRefund('refund-1')).toBeNull();
});
