import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { paymentsPlane } from '../../../back-office/payments-plane.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { plantedError } from '../../support/output/planted.ts';
import { applyAll } from '../book/fixture.ts';
import {
  ALPHA,
  type Arrival,
  consume,
  createHosted,
  execute,
  intentOf,
  lastEvent,
  merchantServer,
  payHosted,
  postRefund,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';
import { auditLog } from './support.ts';

/**
 * Goal: docs/decisions.md#54: what a member asks of a payment's object or of a server is in the audit
 * log before it happens, so no failure hides a change, and a refusal says so. Method: every such act,
 * with a failed write of its entry, and with a process that ends between entry and change. The acts of
 * operators are in test/workers/operator/crash.test.ts.
 */

const caught = useGateway();

const { events, payments, webhooks } = paymentsPlane(env);
const TENANT = tenantOf(ALPHA);
const MEMBER = { kind: 'member', id: 'mem_1', name: 'M', address: null } as const;
const CRASH = 'the process ended';

let refundId = '';
let arrivals: Arrival[] = [];

afterEach(() => vi.restoreAllMocks());

/** A paid payment whose event has failed. */
async function failedEvent(): Promise<void> {
  merchantServer(() => new Response('', { status: 410 }));
  await payHosted();
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await applyAll(caught.projections.splice(0));
}

async function pendingRefund(): Promise<void> {
  await payHosted();
  refundId = 'refund-1';
  await postRefund({ refundUniqueId: refundId, amountMinor: 100 });
}

function crashBeforeCommit(): void {
  vi.spyOn(IntentClient.prototype, 'execute').mockRejectedValue(plantedError(CRASH));
}

interface Act {
  readonly scene: () => Promise<unknown>;
  readonly act: () => Promise<unknown>;
  /** What the act changes. */
  readonly state: () => unknown;
  readonly action: string;
  /** Ends the process after the entry; by default, the object does not get the command. */
  readonly crash?: (() => void) | null;
}

const deliveryNow = async () => (await lastEvent('order-1')).deliveryStatus;

const ACTS: readonly (readonly [string, Act])[] = [
  [
    'a payment is canceled',
    {
      scene: createHosted,
      act: () => payments.cancel(TENANT, MEMBER, 'order-1'),
      state: async () => (await intentOf()).status,
      action: 'payment.cancel_requested',
    },
  ],
  [
    'a refund is canceled',
    {
      scene: pendingRefund,
      act: () => payments.cancelRefund(TENANT, MEMBER, 'order-1', refundId),
      state: async () => (await intentOf()).refunds[0]?.status,
      action: 'refund.cancel_requested',
    },
  ],
  [
    'an event is resent',
    {
      scene: failedEvent,
      act: async () => {
        const { sequence } = await lastEvent('order-1');
        return events.resend(TENANT, MEMBER, { uniqueId: 'order-1', sequence }, null);
      },
      state: deliveryNow,
      action: 'event.resend_requested',
      crash: () => {
        vi.spyOn(PaymentIntentObject.prototype, 'resendEvent').mockImplementation(() => {
          throw plantedError(CRASH);
        });
      },
    },
  ],
  [
    'failed events are resent',
    {
      scene: failedEvent,
      act: () => events.resendFailed(TENANT, MEMBER, {}, null),
      state: deliveryNow,
      action: 'events.resend_requested',
      // An object that fails stops no other.
      crash: null,
    },
  ],
  [
    'a test event is sent',
    {
      scene: async () => {
        arrivals = merchantServer();
      },
      act: () =>
        webhooks.sendTest(
          TENANT,
          MEMBER,
          { typed: 'https://hooks.example.com/kefel', endpoint: '' },
          'https://kefel.example',
        ),
      state: () => arrivals.length,
      action: 'webhook.test_requested',
      crash: null,
    },
  ],
];

async function entriesOf(action: string): Promise<readonly unknown[]> {
  const entries = (await auditLog()).filter((entry) => entry.action === action);
  return entries.map(({ detail }) => JSON.parse(detail));
}

test.each(ACTS)(
  '%s only after its entry: a failed one is left by the repeat',
  async (_name, row) => {
    const { scene, act, state, action } = row;
    await scene();
    const before = await state();
    vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(new Error('D1_ERROR: down'));
    await expect(act()).rejects.toThrow('down');
    expect(await state()).toEqual(before);
    expect(await entriesOf(action)).toHaveLength(0);
    await act();
    expect(await state()).not.toEqual(before);
    expect(await entriesOf(action)).toHaveLength(1);
  },
);

const CRASHING = ACTS.filter(([, { crash }]) => crash !== null);

test.each(CRASHING)('%s by the repeat, if the process ends after the entry', async (_name, row) => {
  const { scene, act, state, action, crash = crashBeforeCommit } = row;
  await scene();
  const before = await state();
  crash?.();
  await expect(act()).rejects.toThrow();
  vi.restoreAllMocks();
  expect(await state()).toEqual(before);
  expect(await entriesOf(action)).toHaveLength(1);
  await act();
  expect(await state()).not.toEqual(before);
  expect(await entriesOf(action)).toHaveLength(2);
});

describe('a second entry says why nothing changed', () => {
  test.each(ACTS.slice(0, 2))(
    '%s, unless its object has deleted the payment',
    async (_name, row) => {
      const { scene, act, action } = row;
      await scene();
      vi.spyOn(IntentClient.prototype, 'execute').mockResolvedValue({ type: 'not_found' });
      expect(await act()).toBe('not_found');
      expect(await entriesOf(action)).toMatchObject([{}, { refused: 'not_found' }]);
    },
  );

  test('when an attempt is in flight', async () => {
    await createHosted();
    await execute(startRedirect('a1'));
    expect(await payments.cancel(TENANT, MEMBER, 'order-1')).toBe('attempt_in_flight');
    expect(await entriesOf('payment.cancel_requested')).toEqual([
      {},
      { refused: 'attempt_in_flight' },
    ]);
  });

  test('when a refund is larger than the payment', async () => {
    await payHosted();
    const refundUniqueId = `rfd_${'0'.repeat(32)}`;
    const asked = { refundUniqueId, transactionId: null, amountMinor: 99_999_999, reason: null };
    await payments.refund(TENANT, MEMBER, 'order-1', asked);
    expect(await entriesOf('refund.requested')).toMatchObject([
      { amountMinor: 99_999_999 },
      { amountMinor: 99_999_999, refused: 'refund_too_large' },
    ]);
  });

  test('when the event is sent by another call meanwhile', async () => {
    await failedEvent();
    const { sequence } = await lastEvent('order-1');
    vi.spyOn(PaymentIntentObject.prototype, 'resendEvent').mockReturnValue(false);
    expect(await events.resend(TENANT, MEMBER, { uniqueId: 'order-1', sequence }, null)).toBe(
      'late',
    );
    expect(await entriesOf('event.resend_requested')).toMatchObject([{}, { refused: 'late' }]);
  });
});
