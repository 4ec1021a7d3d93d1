import type { Tenant } from '../../kit/tenant.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';

/**
 * The names of parts in the bucket. Environments, merchant ids, generations and runs contain no
 * slash, so two tenants never share a name. Names sort in the order in which parts are written.
 */

/** The databases of a daily run: that of payments, and that of the back office. */
export const DATABASES = ['payments', 'back-office'] as const;
export type DatabaseName = (typeof DATABASES)[number];

export interface BookName extends Tenant {
  readonly volume: number;
}

/** A part with payments of one book. */
export interface PaymentsPart extends BookName {
  /** A UUIDv7, made when a book begins to back up. */
  readonly generation: string;
  /** Counts from 1 without gaps in each generation. */
  readonly sequence: number;
  /** The first and last row of the book's table `payment` that the part may have, both inclusive. */
  readonly fromId: number;
  readonly toId: number;
}

const SEQUENCE_DIGITS = 8;
/** The ids of an audit log. */
const AUDIT_DIGITS = 12;

export const PAYMENTS_PREFIX = 'payments/';

/** All parts of a book, or those of one of its generations. */
export function paymentsPrefix(book: BookName, generation?: string): string {
  const { environment, merchantId, volume } = book;
  const prefix = `${PAYMENTS_PREFIX}${environment}/${merchantId}/${volume}/`;
  return generation === undefined ? prefix : `${prefix}${generation}/`;
}

/** The part of one sequence, or none. */
export function sequencePrefix(part: Omit<PaymentsPart, 'fromId' | 'toId'>): string {
  const sequence = String(part.sequence).padStart(SEQUENCE_DIGITS, '0');
  return `${paymentsPrefix(part, part.generation)}${sequence}-`;
}

export function paymentsPartName(part: PaymentsPart): string {
  return `${sequencePrefix(part)}${part.fromId}-${part.toId}`;
}

const PAYMENTS_PART = /^payments\/([a-z]+)\/([^/]+)\/(\d+)\/([0-9a-f-]{36})\/(\d{8,})-(\d+)-(\d+)$/;

/** What the name of a payments' part says; null for any other name. */
export function parsePaymentsPart(name: string): PaymentsPart | null {
  const [, place, merchantId, volume, generation, sequence, fromId, toId] =
    PAYMENTS_PART.exec(name) ?? [];
  const environment = ENVIRONMENTS.find((known) => known === place);
  return environment === undefined || merchantId === undefined || generation === undefined
    ? null
    : {
        environment,
        merchantId,
        volume: Number(volume),
        generation,
        sequence: Number(sequence),
        fromId: Number(fromId),
        toId: Number(toId),
      };
}

/** `number` counts a table's parts from 1. */
export function databasePartName(
  database: DatabaseName,
  run: string,
  table: string,
  number: number,
): string {
  return `databases/${database}/${run}/${table}-${number}`;
}

/** Entries of an audit log never change, so each is exported once, and belongs to no run. */
export function auditPartName(database: DatabaseName, fromId: number, toId: number): string {
  const [from, to] = [fromId, toId].map((id) => String(id).padStart(AUDIT_DIGITS, '0'));
  return `${auditPrefix(database)}${from}-${to}`;
}

export function auditPrefix(database: DatabaseName): string {
  return `databases/${database}/audit_log/`;
}

/** What a register's part has. */
export type RegisterPart = 'refunds' | 'links';

export function registerPartName(
  tenant: { readonly environment: Environment; readonly merchantId: string },
  run: string,
  kind: RegisterPart,
  number: number,
): string {
  return `registers/${tenant.environment}/${tenant.merchantId}/${run}/${kind}-${number}`;
}

export function isRegisterPart(name: string, kind: RegisterPart): boolean {
  return name.slice(name.lastIndexOf('/') + 1).startsWith(`${kind}-`);
}

export const MANIFESTS_PREFIX = 'runs/';

export function manifestName(run: string): string {
  return `${MANIFESTS_PREFIX}${run}`;
}

/** The name of a run that begins at this time, such as `20261127T011700Z`. */
export function runAt(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

const RUN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** When a run began; null for a text that is not the name of a run. */
export function runTimeMs(run: string): number | null {
  const [, ...parts] = RUN.exec(run) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? null : atMs;
}

/** The run in the name of a part that belongs to one; null for others. */
export function runOfPart(name: string): string | null {
  return name.split('/').find((part, index) => index > 0 && runTimeMs(part) !== null) ?? null;
}
