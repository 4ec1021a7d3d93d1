import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type {
  ChosenEndpoint,
  DeliveryId,
  DeliveryMessage,
} from '../../../src/engine/intent/protocol.ts';
import { FULL_WAIT_MS } from '../../../src/engine/webhooks/consume.ts';
import { forgetWebhookSettings, webhookSettings } from '../../../src/engine/webhooks/settings.ts';
import {
  CROWDED_FROM,
  DELIVERIES_MAX,
  DeliverySlots,
  SHARES,
  SLOT_LEASE_MS,
  type Slot,
  type SlotOwner,
} from '../../../src/engine/webhooks/slots.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import {
  choosing,
  consume,
  database,
  environment,
  message,
  tenant,
} from '../../support/webhook-consumer.ts';

/** Goal: endpoints that hang take no place from other endpoints, tenants and queues. */

beforeEach(forgetWebhookSettings);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('bounded concurrency (decisions.md#18)', () => {
  /** An object whose claims hang until they are released. `release`: how many there were. */
  function hangingObject() {
    const { promise, resolve } = Promise.withResolvers<void>();
    let claims = 0;
    const claimDelivery = async () => {
      claims += 1;
      await promise;
      return { type: 'refused' };
    };
    const release = () => {
      resolve();
      return claims;
    };
    return { stub: { claimDelivery }, release };
  }

  const many = (
    count: number,
    merchantId: string,
    environment: Tenant['environment'] = 'sandbox',
  ): DeliveryMessage[] =>
    Array.from({ length: count }, (_value, sequence) => ({
      ...message,
      endpointId: 'we_1',
      sequence,
      tenant: { environment, merchantId },
    }));

  test('a merchant whose endpoint hangs keeps 16 places and delays no other tenant or queue', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const slow = await consume(env, 'q-slots', many(SHARES.tenantMax + 2, 'slow'));
    expect(slow.fates.filter((fate) => fate === 'acked')).toHaveLength(16);
    expect(slow.fates.slice(16)).toEqual(['again in 3 s', 'again in 3 s']);
    const other = await consume(env, 'q-slots', many(1, 'other'));
    const production = await consume(env, 'q-slots', many(1, 'slow', 'production'));
    const retry = await consume(env, 'q-slots-retries', many(1, 'slow'));
    expect([other.fates, production.fates, retry.fates]).toEqual([['acked'], ['acked'], ['acked']]);
    release();
    await Promise.all([slow, other, production, retry].map(({ settled }) => settled()));
    const later = await consume(env, 'q-slots', many(16, 'slow'));
    expect(new Set(later.fates)).toEqual(new Set(['acked']));
    await later.settled();
  });

  test.each([
    ['its other endpoints', 'we_works'],
    ['its callbackUrls', null],
  ])(
    'an endpoint that hangs keeps the places of a tenant, but not those of %s',
    async (_name, works) => {
      const { stub, release } = hangingObject();
      const env = environment(stub, null);
      const to = (endpointId: string | null, count: number) =>
        many(count, 'several').map((one) => ({ ...one, endpointId }));
      const hanging = await consume(env, 'q-endpoints', to('we_hangs', 20));
      expect(hanging.fates.filter((fate) => fate === 'acked')).toHaveLength(16);
      const other = await consume(env, 'q-endpoints', to(works, SHARES.endpointMin + 1));
      expect(other.fates).toEqual([
        ...Array.from({ length: SHARES.endpointMin }, () => 'acked'),
        'again in 3 s',
      ]);
      release();
      await Promise.all([hanging.settled(), other.settled()]);
    },
  );

  test.each([
    ['chooses all endpoints, and claims none', ['we_hangs', 'we_works'], false, 'acked'],
    ['chooses all cached endpoints, and claims none', ['we_hangs', 'we_works'], true, 'acked'],
    ['comes again later when no other endpoint is cached', ['we_hangs'], true, 'again in 3 s'],
  ])(
    'while an endpoint hangs, an event without a callbackUrl %s',
    async (_name, endpointIds, isCached, fate) => {
      const { stub, release } = hangingObject();
      const chosen: unknown[] = [];
      const { d1, addEndpoint } = database();
      for (const endpointId of endpointIds) {
        addEndpoint({ endpointId });
      }
      const choosingStub = {
        ...stub,
        chooseEndpoints: async (_id: DeliveryId, endpoints: readonly ChosenEndpoint[]) => {
          chosen.push(endpoints.map(({ endpointId }) => endpointId));
        },
      };
      const env = environment(choosingStub, d1);
      if (isCached) {
        await webhookSettings(env, tenant);
      }
      const to = many(20, 'm1').map((one) => ({ ...one, endpointId: 'we_hangs' }));
      const hanging = await consume(env, 'q-choosing', to);
      const next = await consume(env, 'q-choosing', [choosing]);
      await next.settled();
      expect([next.fates, chosen]).toEqual([[fate], fate === 'acked' ? [endpointIds] : []]);
      release();
      await hanging.settled();
    },
  );

  test('a message without a place is dropped after eight tries, because its lease sends it again', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const busy = await consume(env, 'q-bounce', many(SHARES.tenantMax, 'slow'));
    const bounced = await consume(env, 'q-bounce', many(1, 'slow'), { attempts: 8 });
    // Acknowledged without a claim: only messages with a place reached the object.
    expect(bounced.fates).toEqual(['acked']);
    expect(release()).toBe(SHARES.tenantMax);
    await busy.settled();
  });

  test('merchants whose endpoints hang cannot fill an isolate', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const hanging = Array.from({ length: 20 }, (_value, index) => many(16, `slow-${index}`)).flat();
    const crowd = await consume(env, 'q-crowd', hanging);
    const healthy = await consume(env, 'q-crowd', many(2, 'healthy'));
    expect(healthy.fates).toEqual(['acked', 'acked']);
    release();
    await Promise.all([crowd.settled(), healthy.settled()]);
  });

  test('a full isolate makes its handler wait until a place is free', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const merchants = Array.from({ length: 200 }, (_value, index) => many(1, `m${index}`)).flat();
    const full = await consume(env, 'q-full', merchants);
    const waits = vi.spyOn(globalThis, 'setTimeout');
    let isThrough = false;
    const next = consume(env, 'q-full', many(1, 'next')).then((result) => {
      isThrough = true;
      return result;
    });
    const looks = () => waits.mock.calls.filter(([, delayMs]) => delayMs === FULL_WAIT_MS);
    await vi.waitFor(() => expect(looks().length).toBeGreaterThan(1), { interval: 7 });
    expect(isThrough).toBe(false);
    release();
    await full.settled();
    const { fates, settled } = await next;
    expect(fates).toEqual(['acked']);
    await settled();
  });

  /** Takes so many slots for an owner; the last of them. */
  function take(slots: DeliverySlots, owner: SlotOwner, count: number, nowMs = 0): Slot | null {
    return Array.from({ length: count }, () => slots.take(owner, nowMs)).at(-1) ?? null;
  }

  const [one, two] = [
    { tenant: 'm1', endpoint: 'we_1' },
    { tenant: 'm1', endpoint: 'we_2' },
  ];

  test('a place is free again after its lease when its invocation was dropped', () => {
    const slots = new DeliverySlots();
    expect(take(slots, one, SHARES.tenantMax)).not.toBeNull();
    expect(slots.take(one, SLOT_LEASE_MS - 1)).toBeNull();
    for (let other = SHARES.tenantMax; other < DELIVERIES_MAX; other += 1) {
      expect(slots.take({ tenant: `other-${other}`, endpoint: null }, 0)).not.toBeNull();
    }
    expect(slots.isFull(SLOT_LEASE_MS - 1)).toBe(true);
    expect(slots.isFull(SLOT_LEASE_MS)).toBe(false);
    expect(slots.take(one, SLOT_LEASE_MS)).not.toBeNull();
  });

  test('a crowded isolate gives a tenant fewer places', () => {
    const slots = new DeliverySlots();
    for (let other = 0; other < CROWDED_FROM - 1; other += 1) {
      slots.take({ tenant: `other-${other}`, endpoint: null }, 0);
    }
    expect([take(slots, one, 1), take(slots, one, 1)]).toEqual([
      expect.anything(),
      expect.anything(),
    ]);
    expect(slots.take(one, 0)).toBeNull();
  });

  test('a place that changes its owner still counts, for the new one only', () => {
    const slots = new DeliverySlots();
    const { tenantMax, endpointMin } = SHARES;
    take(slots, { tenant: 'm1', endpoint: null }, tenantMax - 2 * endpointMin + 1);
    take(slots, two, endpointMin - 1);
    const slot = take(slots, one, endpointMin);
    expect(slot !== null && slots.move(slot, two)).toBe(true);
    expect(slots.take(two, 0)).toBeNull();
    expect(slots.take(one, 0)).not.toBeNull();
    expect(slot !== null && slots.move(slot, one)).toBe(false);
    expect(slots.take(two, 0)).toBeNull();
  });

  test("a place that changes its owner does not count against its own tenant's share", () => {
    const slots = new DeliverySlots();
    take(slots, one, SHARES.tenantMax - 1);
    const slot = slots.take({ tenant: 'm1', endpoint: 'not-chosen' }, 0);
    expect(slot !== null && slots.move(slot, one)).toBe(true);
  });
});
