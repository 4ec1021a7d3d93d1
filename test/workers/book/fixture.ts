import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { hasEnded } from '../../../src/engine/domain/intent.ts';
import type {
  ProjectedEvent,
  ProjectedRefund,
  ProjectionMessage,
  ProjectionRow,
} from '../../../src/engine/intent/book-message.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { ENVIRONMENTS } from '../../../src/kit/tenant.ts';
import { bookName } from '../../../src/lists/book/schema.ts';
import { ALPHA, BETA, tenantOf } from '../support.ts';

/**
 * Messages to the book as objects would send them, for tests that need many payments at once.
 */

export const TENANTS: readonly Tenant[] = [ALPHA, BETA].flatMap((merchant) =>
  ENVIRONMENTS.map((environment) => tenantOf(merchant, environment)),
);

export function nameOf({ merchantId, environment }: Tenant): string {
  return `${merchantId} ${environment}`;
}

/** A UUIDv7 of the time. Within one tenant and time, it sorts by `number`. */
export function uuidOf(tenant: Tenant, number: number, createdAtMs = 1_000 * number): string {
  const owner = TENANTS.findIndex((candidate) => nameOf(candidate) === nameOf(tenant));
  const time = createdAtMs.toString(16).padStart(12, '0');
  // The book orders payments of one millisecond by these bits.
  const bits = ((number % 1_024) << 2).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits}-8000-${owner}${String(number).padStart(11, '0')}`;
}

/** Payment `number` of a tenant: one open hosted payment of 1.00 ETB unless changed. */
export function projectionMessage(
  tenant: Tenant,
  number: number,
  changes: Partial<ProjectionRow> = {},
  rest: Partial<ProjectionMessage> = {},
): ProjectionMessage {
  const uuid = uuidOf(tenant, number, changes.createdAtMs);
  return {
    intentVersion: 1,
    bookVolume: 0,
    paidAtMs: changes.status === 'succeeded' ? (changes.endedAtMs ?? 1_000 * number) : null,
    sealedDetails: null,
    searchKeys: [],
    receiptKeys: [],
    events: [],
    refunds: [],
    ...rest,
    row: {
      ...tenant,
      uuid,
      number,
      uniqueId: `order-${number}`,
      kind: 'hosted',
      status: 'open',
      failureReason: null,
      late: false,
      amountMinor: 100,
      commissionMinor: 0,
      commissionPaidByCustomer: false,
      currency: 'ETB',
      method: null,
      unresolvedAttempts: 0,
      anomalies: 0,
      proposedAttempts: 0,
      concernedAttempts: [],
      createdAtMs: 1_000 * number,
      updatedAtMs: 1_000 * number,
      endedAtMs: changes.status !== undefined && hasEnded(changes.status) ? 1_000 * number : null,
      transactionId: null,
      refundedMinor: 0,
      openRefunds: 0,
      attempts: [],
      ...changes,
    },
  };
}

/** Event `number` of a tenant's payment of the same number, delivered unless changed. */
export function projectedEvent(
  tenant: Tenant,
  number: number,
  changes: Partial<ProjectedEvent> = {},
): ProjectedEvent {
  return {
    eventId: eventIdOf(tenant, number),
    sequence: 3,
    position: 0,
    type: 'payment_succeeded',
    revision: 1,
    createdAtMs: 1_000 * number,
    deliveryStatus: 'delivered',
    dueAtMs: null,
    tries: 0,
    lastTryAtMs: null,
    lastHttpStatus: null,
    lastError: null,
    lastDurationMs: null,
    endpointId: null,
    destinationOrigin: null,
    ...changes,
  };
}

/** A refund of 1.00 that has succeeded, unless changed. */
export function projectedRefund(changes: Partial<ProjectedRefund> = {}): ProjectedRefund {
  return {
    id: 'refund-1',
    status: 'succeeded',
    amountMinor: 100,
    commissionReturnedMinor: 0,
    returnedMinor: 100,
    reference: 'R-1',
    railReference: null,
    failureReason: null,
    actionReason: null,
    late: false,
    method: 'TELE_BIRR',
    transactionId: 'T-1',
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    ...changes,
  };
}

export function eventIdOf(tenant: Tenant, number: number): string {
  return `evt_${uuidOf(tenant, number).replaceAll('-', '')}`;
}

/**
 * To the tenants' books, within each object: many messages take no calls. One after the other, because
 * a book of a new isolate asks D1 for its jurisdiction, and all that come before the answer ask as well.
 */
export async function applyAll(messages: readonly ProjectionMessage[]): Promise<void> {
  const ofBook = Map.groupBy(messages, ({ row, bookVolume }) => bookName(row, bookVolume));
  for (const [name, own] of ofBook) {
    const stub = env.MERCHANT_BOOK.get(env.MERCHANT_BOOK.idFromName(name));
    await runInDurableObject(stub, async (book) => {
      for (const message of own) {
        await book.apply(message);
      }
    });
  }
}
