import { attemptReferenceFrom } from '../../src/engine/domain/identifiers.ts';
import type { IntentStatus } from '../../src/engine/domain/intent.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import {
  digestSearchKey,
  idSearchKey,
  receiptSearchKey,
} from '../../src/engine/domain/search-key.ts';
import type { ProjectedEvent, ProjectionMessage } from '../../src/engine/intent/book-message.ts';
import type { DeliveryStatus } from '../../src/engine/intent/protocol.ts';
import type { Tenant } from '../../src/kit/tenant.ts';

/** Plausible payments. The same index gives the same payment, so that runs are repeatable. */

const DAYS = 400;
const DAY_MS = 86_400_000;
/** The newest payment's time: 1 November 2026. */
export const NEWEST_MS = Date.UTC(2026, 10, 1);
/** Customers return: the number of their phones and names, and of payment links. */
const PHONES = 200_000;
/** Four digits. */
const PHONE_ENDS = 10_000;
const NAMES = 5_000;
const LINKS = 100;

const STATUSES: Readonly<Partial<Record<IntentStatus, number>>> = {
  succeeded: 70,
  expired: 13,
  failed: 12,
  canceled: 3,
  processing: 0.01,
  open: 0.02,
};
const DELIVERIES: Readonly<Partial<Record<DeliveryStatus, number>>> = {
  delivered: 970,
  dead: 15,
  undeliverable: 5,
  waiting: 10,
};
const REASONS = ['declined', 'insufficient_funds', 'abandoned', 'wrong_pin'] as const;

/** A number in [0, 1) that depends only on the arguments: a cheap hash, because a run needs millions. */
export function chance(purpose: string, index: number): number {
  return word(purpose, index) / 2 ** 32;
}

function word(purpose: string, index: number): number {
  let hash = 0x81_1c_9d_c5 ^ index;
  for (let at = 0; at < purpose.length; at += 1) {
    hash = Math.imul(hash ^ purpose.charCodeAt(at), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hexOf(purpose: string, index: number, length: number): string {
  const words = Array.from({ length: Math.ceil(length / 8) }, (_, part) =>
    word(`${purpose}.${part}`, index).toString(16).padStart(8, '0'),
  );
  return words.join('').slice(0, length);
}

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
  return `${time}7${hexOf(purpose, index, 3)}a${hexOf(`${purpose} end`, index, 15)}`;
}

/** A phone number, a receipt, a name and a description, sealed. */
const SEALED_LENGTH = 250;

/** Where a message belongs, and how many payments its tenant has. */
export interface Filling extends Tenant {
  readonly payments: number;
  readonly bookVolume: number;
  /** Days that the payments are spread over, without what finds them and their events; 400 with both. */
  readonly days?: number;
  /** Sealed. One of them has a share of each paid payment. */
  readonly beneficiaries?: readonly string[];
}

/** Payment `index` of all payments, oldest first, as its object would send it after everything. */
export function messageOf(index: number, filling: Filling): ProjectionMessage {
  const { payments, bookVolume, environment, merchantId, days = DAYS } = filling;
  const createdAtMs = Math.floor(NEWEST_MS - days * DAY_MS * (1 - index / payments));
  const status = weighted('status', index, STATUSES);
  const hasEnded = status !== 'open' && status !== 'processing';
  const wasTried = status !== 'open' && (status !== 'expired' || chance('tried', index) < 0.3);
  const method = wasTried ? (METHODS[Math.floor(chance('method', index) ** 2 * 6)] ?? null) : null;
  const amountMinor = 100 + Math.floor(chance('amount', index) ** 4 * 5_000_000);
  // One in fifty lives for an hour, so the order of ends is not the order of creation.
  const livedMs = chance('lived', index) < 0.02 ? 3_600_000 : 90_000;
  const endedAtMs = hasEnded ? createdAtMs + livedMs : null;
  const uuid = timedHex('uuid', index, createdAtMs);
  const beneficiary = filling.beneficiaries?.[index % filling.beneficiaries.length];
  const shareMinor = Math.floor(amountMinor / 2);
  return {
    intentVersion: 2,
    bookVolume,
    paidAtMs: status === 'succeeded' ? endedAtMs : null,
    receiptKeys: [],
    row: {
      uuid: uuid.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      environment,
      merchantId,
      number: 1 + word('number', index) * 2 ** 16 + (word('number end', index) & 0xff_ff),
      uniqueId: `order-${index}`,
      kind: chance('kind', index) < 0.8 ? 'hosted' : 'express',
      status,
      failureReason: status === 'failed' ? (REASONS[index % REASONS.length] ?? null) : null,
      late: false,
      amountMinor,
      commissionMinor: method === null ? 0 : Math.round(amountMinor / 100),
      commissionPaidByCustomer: false,
      currency: chance('currency', index) < 0.95 ? 'ETB' : 'USD',
      method,
      unresolvedAttempts: 0,
      anomalies: 0,
      proposedAttempts: 0,
      concernedAttempts: [],
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
    sealedDetails: wasTried && days === DAYS ? `k1.${'x'.repeat(SEALED_LENGTH)}` : null,
    searchKeys: days === DAYS ? searchKeysOf(index, createdAtMs, wasTried) : [],
    refunds: [],
    ...(beneficiary && status === 'succeeded' && { shares: [{ beneficiary, shareMinor }] }),
    events:
      endedAtMs !== null && status !== 'canceled' && days === DAYS
        ? [eventOf(index, status, endedAtMs)]
        : [],
  };
}

function referenceOf(index: number, createdAtMs: number): string {
  const bytes = hexOf('reference', index, 64).match(/../g) ?? [];
  const random = Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16));
  return attemptReferenceFrom(createdAtMs, 1, random);
}

/** What the provider calls the payment. */
export function railReferenceOf(index: number): string {
  return hexOf('rail', index, 24);
}

export function phoneKeyOf(index: number): string {
  return digestSearchKey('phone', hexOf('phone digest', phoneOf(index), 22));
}

export function phoneEndKeyOf(index: number): string {
  return digestSearchKey('phoneEnd', hexOf('phone end', phoneOf(index) % PHONE_ENDS, 22));
}

function phoneOf(index: number): number {
  return Math.floor(chance('phone', index) * PHONES);
}

export function nameKeysOf(index: number): readonly string[] {
  return ['first name', 'last name'].map((name) =>
    digestSearchKey('name', hexOf('name', Math.floor(chance(name, index) * NAMES), 22)),
  );
}

function searchKeysOf(index: number, createdAtMs: number, wasTried: boolean): string[] {
  const receipt = `RCPT${hexOf('receipt', index, 8).toUpperCase()}`;
  const ids = [referenceOf(index, createdAtMs), railReferenceOf(index)];
  return [
    ...(wasTried ? [...ids.map(idSearchKey), receiptSearchKey(receipt)] : []),
    ...(index % 10 === 0 ? [idSearchKey(`link-${Math.floor(chance('link', index) * LINKS)}`)] : []),
    phoneKeyOf(index),
    phoneEndKeyOf(index),
    ...nameKeysOf(index),
  ];
}

/** An event of a payment that ended at this time. */
function eventOf(index: number, status: string, createdAtMs: number): ProjectedEvent {
  const deliveryStatus = weighted('delivery', index, DELIVERIES);
  return {
    eventId: `evt_${timedHex('event', index, createdAtMs)}`,
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

/** The three messages of a hosted paid payment: created, ended with its event untried, delivered. */
export const STEPS = ['created', 'ended', 'delivered'] as const;
export type Step = (typeof STEPS)[number];

export function stepOf(
  step: Step,
  index: number,
  tenant: Tenant,
  createdAtMs: number,
  paidAtMs: number,
): ProjectionMessage {
  const filling = { ...tenant, payments: 1, bookVolume: 0 };
  const known = messageOf(index, filling);
  const hasEnded = step !== 'created';
  const endedAtMs = hasEnded ? paidAtMs : null;
  const uuid = timedHex('uuid', index, createdAtMs);
  const method = hasEnded ? METHODS[0] : null;
  const event = eventOf(index, 'succeeded', paidAtMs);
  const tried = { ...event, revision: 2, deliveryStatus: 'delivered', tries: 1 } as const;
  const untried = {
    ...event,
    ...{ deliveryStatus: 'queued', dueAtMs: paidAtMs, tries: 0 },
    ...{ lastTryAtMs: null, lastHttpStatus: null, lastDurationMs: null },
  } as ProjectedEvent;
  return {
    ...known,
    intentVersion: hasEnded ? 3 : 1,
    paidAtMs: endedAtMs,
    sealedDetails: `k1.${'x'.repeat(SEALED_LENGTH)}`,
    row: {
      ...known.row,
      ...{ uuid: uuid.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), kind: 'hosted' },
      ...{ status: hasEnded ? 'succeeded' : 'open', failureReason: null, attempts: [] },
      ...{ method, createdAtMs, updatedAtMs: endedAtMs ?? createdAtMs, endedAtMs },
      transactionId: hasEnded ? referenceOf(index, createdAtMs) : null,
    },
    searchKeys: searchKeysOf(index, createdAtMs, hasEnded),
    events: step === 'created' ? [] : [step === 'ended' ? untried : tried],
  };
}
