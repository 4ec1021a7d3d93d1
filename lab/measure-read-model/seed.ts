import { createHash } from 'node:crypto';
import type { LocalDatabase } from '../../scripts/dev/d1.ts';
import { runBatch } from '../../scripts/dev/d1.ts';
import { attemptReferenceFrom } from '../../src/domain/identifiers.ts';
import type { IntentStatus } from '../../src/domain/intent.ts';
import { METHODS } from '../../src/domain/method.ts';
import { idSearchKey, phoneSearchKey, receiptSearchKey } from '../../src/domain/search-key.ts';
import type {
  DeliveryStatus,
  ProjectedEvent,
  ProjectionMessage,
} from '../../src/intent/protocol.ts';
import { upsertStatements } from '../../src/read-model/upsert.ts';
import { childrenOf, treeCpuTimeMs } from '../harness/cpu.ts';

/** Plausible payments. The same index gives the same payment, so that runs are repeatable. */

export const MERCHANTS = 50;
const DAYS = 400;
const DAY_MS = 86_400_000;
/** The newest payment's time: 1 November 2026. */
export const NEWEST_MS = Date.UTC(2026, 10, 1);
/** The `max_batch_size` of the projections' consumer in wrangler.toml. */
export const BATCH_PAYMENTS = 100;
/** Customers return: the number of phones in total, and of payment links per merchant. */
const PHONES = 200_000;
const LINKS = 100;

const STATUSES: Readonly<Partial<Record<IntentStatus, number>>> = {
  succeeded: 70,
  expired: 13,
  failed: 12,
  canceled: 3,
  processing: 1,
  open: 1,
};
const DELIVERIES: Readonly<Partial<Record<DeliveryStatus, number>>> = {
  delivered: 970,
  dead: 15,
  undeliverable: 5,
  waiting: 10,
};
const REASONS = ['declined', 'insufficient_funds', 'abandoned', 'wrong_pin'] as const;

/** A number in [0, 1) that depends only on the arguments. */
export function chance(purpose: string, index: number): number {
  return digest(purpose, index).readUInt32BE(0) / 2 ** 32;
}

function digest(purpose: string, index: number): Buffer {
  return createHash('sha256').update(`${purpose}/${index}`).digest();
}

export function merchantName(rank: number): string {
  return `mer_${String(rank).padStart(2, '0')}`;
}

/** The merchant of rank r has 1/r of the largest one's payments: a few are big, most are small. */
const MERCHANT_WEIGHTS = Object.fromEntries(
  Array.from({ length: MERCHANTS }, (_, rank) => [merchantName(rank), 1 / (rank + 1)]),
);

/** One of these, as often as its weight says. */
function weighted<Name extends string>(
  purpose: string,
  index: number,
  weights: Readonly<Partial<Record<Name, number>>>,
): Name {
  const entries = Object.entries<number | undefined>(weights) as [Name, number][];
  let left = chance(purpose, index) * entries.reduce((sum, [, weight]) => sum + weight, 0);
  const found = entries.find(([, weight]) => {
    left -= weight;
    return left < 0;
  });
  return (found ?? entries[0])?.[0] as Name;
}

/** 32 hexadecimal digits that carry the time like `uuidV7` and `newEventId`. */
function timedHex(purpose: string, index: number, createdAtMs: number): string {
  const time = createdAtMs.toString(16).padStart(12, '0');
  return `${time}7000a${digest(purpose, index).toString('hex')}`.slice(0, 32);
}

/** A phone number, a receipt, a name and a description, sealed. */
const SEALED_LENGTH = 250;

/** Payment `index` of `payments`, oldest first, as its object would project it. */
export function messageOf(index: number, payments: number): ProjectionMessage {
  const createdAtMs = Math.floor(NEWEST_MS - DAYS * DAY_MS * (1 - index / payments));
  const status = weighted('status', index, STATUSES);
  const hasEnded = status !== 'open' && status !== 'processing';
  const wasTried = status !== 'open' && (status !== 'expired' || chance('tried', index) < 0.3);
  const method = wasTried ? (METHODS[Math.floor(chance('method', index) ** 2 * 6)] ?? null) : null;
  const amountMinor = 100 + Math.floor(chance('amount', index) ** 4 * 5_000_000);
  const endedAtMs = hasEnded ? createdAtMs + 90_000 : null;
  return {
    objectId: String(index),
    version: 3,
    intentVersion: 2,
    bookVolume: 0,
    needsConfirmation: false,
    paidAtMs: status === 'succeeded' ? endedAtMs : null,
    receiptKeys: [],
    row: {
      uuid: timedHex('uuid', index, createdAtMs).replace(
        /(.{8})(.{4})(.{4})(.{4})/,
        '$1-$2-$3-$4-',
      ),
      environment: 'production',
      merchantId: weighted('merchant', index, MERCHANT_WEIGHTS),
      number: 1 + digest('number', index).readUIntBE(0, 6),
      uniqueId: `order-${index}`,
      kind: chance('kind', index) < 0.8 ? 'hosted' : 'express',
      status,
      failureReason: status === 'failed' ? (REASONS[index % REASONS.length] ?? null) : null,
      late: chance('late', index) < 0.0005,
      amountMinor,
      commissionMinor: method === null ? 0 : Math.round(amountMinor / 100),
      commissionPaidByCustomer: false,
      currency: chance('currency', index) < 0.95 ? 'ETB' : 'USD',
      method,
      unresolvedAttempts: chance('unresolved', index) < 0.0005 ? 1 : 0,
      anomalies: chance('anomaly', index) < 0.0002 ? 1 : 0,
      proposedAttempts: 0,
      createdAtMs,
      updatedAtMs: endedAtMs ?? createdAtMs,
      endedAtMs,
      transactionId: wasTried ? referenceOf(index, createdAtMs) : null,
      refundedMinor: 0,
      openRefunds: 0,
      attempts:
        method === null || !hasEnded || status === 'succeeded'
          ? []
          : [{ method, ended: 1, succeeded: 0 }],
    },
    sealedDetails: wasTried ? `k1.${'x'.repeat(SEALED_LENGTH)}` : null,
    searchKeys: searchKeysOf(index, createdAtMs, wasTried),
    refunds: [],
    events: endedAtMs !== null && status !== 'canceled' ? [eventOf(index, status, endedAtMs)] : [],
  };
}

export function referenceOf(index: number, createdAtMs: number): string {
  return attemptReferenceFrom(createdAtMs, digest('reference', index));
}

export function phoneKeyOf(index: number): string {
  const phone = Math.floor(chance('phone', index) * PHONES);
  return phoneSearchKey(digest('phone digest', phone).toString('base64url').slice(0, 22));
}

export function linkOf(index: number): string {
  return `link-${Math.floor(chance('link', index) * LINKS)}`;
}

export function eventIdOf(index: number, createdAtMs: number): string {
  return `evt_${timedHex('event', index, createdAtMs)}`;
}

function searchKeysOf(index: number, createdAtMs: number, wasTried: boolean): string[] {
  const receipt = `RCPT${digest('receipt', index).toString('hex').slice(0, 8).toUpperCase()}`;
  const rail = digest('rail', index).toString('hex').slice(0, 24);
  return [
    ...(wasTried ? [referenceOf(index, createdAtMs), rail].map(idSearchKey) : []),
    ...(wasTried ? [receiptSearchKey(receipt)] : []),
    ...(index % 10 === 0 ? [idSearchKey(linkOf(index))] : []),
    ...(index % 5 < 3 ? [phoneKeyOf(index)] : []),
  ];
}

/** An event of a payment that ended at this time. */
function eventOf(index: number, status: string, createdAtMs: number): ProjectedEvent {
  const deliveryStatus = weighted('delivery', index, DELIVERIES);
  return {
    eventId: eventIdOf(index, createdAtMs),
    sequence: 3,
    position: 0,
    type: `payment_${status}`,
    revision: 1,
    createdAtMs,
    deliveryStatus,
    dueAtMs: deliveryStatus === 'waiting' ? createdAtMs + 30_000 : null,
    tries: deliveryStatus === 'delivered' ? 0 : 3,
    lastTryAtMs: createdAtMs + 100,
    lastHttpStatus: deliveryStatus === 'delivered' ? 200 : 503,
    lastError: null,
    lastDurationMs: 80,
    endpointId: null,
    destinationOrigin: 'https://shop.example.com',
  };
}

/** What a batch cost D1. */
export interface SeededBatch {
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** Of workerd, exact to 10 ms. */
  readonly cpuMs: number;
}

/**
 * Writes payments with the statements of the read model's consumer, so that triggers run, in its
 * batches.
 */
export async function seed(
  database: LocalDatabase,
  payments: number,
  onProgress: (done: number) => void,
): Promise<readonly SeededBatch[]> {
  const batches: SeededBatch[] = [];
  await runBatch(
    database,
    Array.from({ length: MERCHANTS }, (_, rank) => ({
      sql: 'INSERT INTO merchants (id, number, name, created_at_ms) VALUES (?1, ?2, ?1, ?3)',
      params: [merchantName(rank), rank + 1, NEWEST_MS],
    })),
  );
  const servers = await childrenOf('self');
  let cpuBeforeMs = await treeCpuTimeMs(servers);
  for (let first = 0; first < payments; first += BATCH_PAYMENTS) {
    const length = Math.min(BATCH_PAYMENTS, payments - first);
    const messages = Array.from({ length }, (_, offset) => messageOf(first + offset, payments));
    const results = await runBatch(database, upsertStatements(messages));
    const cpuAfterMs = await treeCpuTimeMs(servers);
    batches.push({
      rowsRead: results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
      rowsWritten: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
      cpuMs: cpuAfterMs - cpuBeforeMs,
    });
    cpuBeforeMs = cpuAfterMs;
    onProgress(first + length);
  }
  return batches;
}
