import { beforeEach, vi } from 'vitest';
import { type Arrival, consume, merchantServer } from './deliveries.ts';
import { useGateway } from './gateway.ts';
import { fireAlarm, lastEvent } from './payment-object.ts';

/** A gateway whose queues the test delivers, and the merchant's servers. */
export function useDeliveries() {
  const caught = useGateway();
  const arrivals: Arrival[] = [];
  const stage = {
    caught,
    /** What has arrived in this test. */
    arrivals,
    /** The status of each answer, by URL or host, or for every server (`''`); 200 unless set. */
    statuses: new Map<string, number>(),
    /** Delivers the messages of first tries. */
    deliver: () => consume('kefel-webhooks', caught.webhooks.splice(0)),
    retry: () => consume('kefel-webhook-retries', caught.retries.splice(0)),
    /** The first message of an event chooses its endpoints, and causes the messages for the others. */
    async deliverAll(): Promise<void> {
      while (caught.webhooks.length > 0) {
        await stage.deliver();
      }
    },
    /** Moves the clock to the time of a delivery, by default the latest event's; fires the alarm. */
    async nextDue(uniqueId = 'order-1', dueAtMs?: number | null): Promise<void> {
      vi.setSystemTime(dueAtMs ?? (await lastEvent(uniqueId)).dueAtMs ?? 0);
      await fireAlarm(uniqueId);
    },
    async nextTry(uniqueId?: string, dueAtMs?: number | null): Promise<void> {
      await stage.nextDue(uniqueId, dueAtMs);
      await stage.retry();
    },
  };
  beforeEach(() => {
    // The middle of the jitter, so that waits match the schedule exactly.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { statuses } = stage;
    statuses.clear();
    arrivals.length = 0;
    merchantServer((arrival) => {
      arrivals.push(arrival);
      const { url } = arrival;
      const known = [url, new URL(url).host, ''].find((name) => statuses.has(name)) ?? '';
      const status = statuses.get(known) ?? 200;
      return new Response(status === 204 ? null : 'x', { status });
    });
  });
  return stage;
}
