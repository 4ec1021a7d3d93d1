import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { registerOf } from '../../../src/engine/register/client.ts';
import { uuidV7 } from '../../../src/kit/crypto/uuid-v7.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import type {
  DatabaseExport,
  Manifest,
  PaymentLine,
  RefundLine,
  RowLine,
} from '../../../src/recovery/backup/manifest.ts';
import {
  type DatabaseName,
  databasePartName,
  manifestName,
  paymentsPartName,
  registerPartName,
} from '../../../src/recovery/backup/names.ts';
import { digestOf, sealPart } from '../../../src/recovery/backup/part.ts';
import { someTerms, startAttempt } from '../../support/intents.ts';
import { content, operateApi } from '../operator/support.ts';
import { bookSql } from '../support/book.ts';
import { forgetEverything } from '../support/gateway.ts';
import { prepareSchemas } from '../support/merchants.ts';
import { registerRows } from '../support/register.ts';
import { ALPHA, advance, BETA, clientOf, MINUTE_MS, stubOf, tenantOf } from '../support.ts';

/** Backups made by hand, in the format of src/recovery/backup, and their restore. */

export const RUN = '20900301T011700Z';
export const GENERATION = '01900000-0000-7000-8000-000000000001';
/** When the books of a backup had nothing left. */
export const BACKED_UP_AT_MS = Date.UTC(2090, 2, 1, 1, 17);

/** Sealed parts by their names. */
export type Bucket = Map<string, Uint8Array<ArrayBuffer>>;

export interface PaymentName {
  readonly tenant: Tenant;
  readonly uniqueId: string;
}

export const SANDBOX = tenantOf(ALPHA);
export const PRODUCTION = tenantOf(BETA, 'production');

export async function create(
  uniqueId: string,
  commands: readonly Command[] = [],
  tenant: Tenant = SANDBOX,
): Promise<PaymentName> {
  const createdAtMs = Date.now();
  const terms = someTerms({
    ...{ ...tenant, uniqueId, uuid: uuidV7(createdAtMs), callbackUrl: null, createdAtMs },
    expiresAtMs: createdAtMs + 60 * MINUTE_MS,
  });
  const request = { terms, idempotency: null, attempt: null, answerWithinMs: 0, answer: null };
  await clientOf(uniqueId, tenant).create(request);
  const result = await clientOf(uniqueId, tenant).execute(commands);
  expect(result).toMatchObject({ type: 'done', rejection: null });
  advance(1);
  return { tenant, uniqueId };
}

export const started = (changes = {}) =>
  startAttempt('second', { deadlineAtMs: Date.now() + 10 * MINUTE_MS, ...changes });
/** A receipt of its own: a conflict would change the payments. */
export const paid = (receipt = 'R-1'): Command => ({
  ...{ type: 'resolve_attempt', attemptId: 'second' },
  outcome: { type: 'succeeded', receipt },
});

export async function read({ tenant, uniqueId }: PaymentName): Promise<Intent> {
  const intent = await clientOf(uniqueId, tenant).read();
  if (intent === null) {
    throw new Error(`${uniqueId} is missing`);
  }
  return intent;
}

/** The payment as its object has it now. */
export async function lineOf({ tenant, uniqueId }: PaymentName): Promise<PaymentLine> {
  const records = await runInDurableObject(stubOf(uniqueId, tenant), (_payment, { storage }) =>
    storage.sql
      .exec<{ id: number; content: string }>('SELECT id, content FROM record ORDER BY id')
      .toArray(),
  );
  const sql = `SELECT id FROM payment WHERE unique_id = '${uniqueId}'`;
  const [row] = await bookSql<{ id: number }>(sql, tenant);
  return { id: row?.id ?? 0, uniqueId, records };
}

export async function seal(bucket: Bucket, name: string, lines: readonly unknown[]) {
  bucket.set(name, await sealPart(configOf(env).backupKeys, name, lines));
  return { name, rows: lines.length, sha256: await digestOf(lines) };
}

/** Children before the tables that they refer to. */
const TABLES: Readonly<Record<DatabaseName, readonly string[]>> = {
  payments: [
    ...['merchant_branding', 'merchant_logos', 'merchant_limits', 'merchant_methods'],
    ...['webhook_endpoints', 'webhook_secrets', 'api_keys', 'book_volumes', 'dead_letters'],
    ...['payment_reviews', 'gateway_settings', 'banks', 'merchants', 'audit_log'],
  ],
  'back-office': ['passkeys', 'members', 'audit_log'],
};

interface Backed {
  readonly migrations?: readonly string[];
  readonly secrets?: Manifest['secrets'];
}

/** A whole backup of what the gateway has, with the payments' lines in the parts of one generation. */
export async function backUp(
  tenants: readonly Tenant[],
  parts: readonly (readonly PaymentName[])[],
  { migrations = [], secrets = {} }: Backed = {},
): Promise<Bucket> {
  const bucket: Bucket = new Map();
  const ofTenant = (tenant: Tenant) => (name: PaymentName) =>
    name.tenant.merchantId === tenant.merchantId && name.tenant.environment === tenant.environment;
  const books: Manifest['books'][number][] = [];
  const registers: Manifest['registers'][number][] = [];
  const links: Manifest['registers'][number][] = [];
  for (const tenant of tenants) {
    const own = parts
      .map((part) => part.filter(ofTenant(tenant)))
      .filter((part) => part.length > 0);
    for (const [index, names] of own.entries()) {
      const lines = await Promise.all(names.map(lineOf));
      const book = { ...tenant, volume: 0, generation: GENERATION, sequence: index + 1 };
      await seal(bucket, paymentsPartName({ ...book, fromId: 1, toId: 2 }), lines);
    }
    books.push({
      ...{ ...tenant, volume: 0, generation: GENERATION, atMs: BACKED_UP_AT_MS },
      ...{ firstSequence: 1, lastSequence: own.length },
      payments: new Set(own.flat().map(({ uniqueId }) => uniqueId)).size,
    });
    const refunds = (await registerRows('refunds', tenant)) as readonly RefundLine[];
    const part = await seal(bucket, registerPartName(tenant, RUN, 'refunds', 1), refunds);
    registers.push({ ...tenant, rows: refunds.length, parts: [part] });
    const ofLinks = await registerOf(env, tenant).exportLinks('', 10);
    if (ofLinks.length > 0) {
      const linksPart = await seal(bucket, registerPartName(tenant, RUN, 'links', 1), ofLinks);
      links.push({ ...tenant, rows: ofLinks.length, parts: [linksPart] });
    }
  }
  const manifest: Manifest = {
    ...{ run: RUN, startedAtMs: BACKED_UP_AT_MS, finishedAtMs: BACKED_UP_AT_MS + 1 },
    databases: {
      payments: { ...(await exported(bucket, 'payments', env.DB)), migrations },
      'back-office': await exported(bucket, 'back-office', env.BACK_OFFICE_DB),
    },
    ...{ books, registers, links, secrets },
  };
  await seal(bucket, manifestName(RUN), [manifest]);
  return bucket;
}

async function exported(
  bucket: Bucket,
  database: DatabaseName,
  db: D1Database,
): Promise<DatabaseExport> {
  const tables: DatabaseExport['tables'][number][] = [];
  for (const table of TABLES[database]) {
    const { results } = await db.prepare(`SELECT * FROM ${table}`).all<RowLine>();
    // Two parts, so that a restore stops between them.
    const half = Math.ceil(results.length / 2);
    const halves = [results.slice(0, half), results.slice(half)].filter((rows) => rows.length > 0);
    const parts: Awaited<ReturnType<typeof seal>>[] = [];
    for (const [index, rows] of halves.entries()) {
      parts.push(await seal(bucket, databasePartName(database, RUN, table, index + 1), rows));
    }
    tables.push({ table, rows: results.length, parts });
  }
  return { database, run: RUN, finishedAtMs: BACKED_UP_AT_MS, migrations: [], tables };
}

/** Point-in-time recovery of a payment's object, which the local runtime lacks. */
export async function withRecovery(uniqueId: string): Promise<string[]> {
  const restored: string[] = [];
  await runInDurableObject(stubOf(uniqueId), (_payment, { storage }) => {
    storage.getBookmarkForTime = async (time) => `at ${Number(time)}`;
    storage.onNextSessionRestoreBookmark = async (bookmark) => {
      restored.push(bookmark);
      return 'undo';
    };
  });
  return restored;
}

/** A new gateway with empty databases and objects, and the parts in its bucket. */
export async function loseGateway(bucket: Bucket): Promise<void> {
  await forgetEverything();
  await prepareSchemas();
  await Promise.all([...bucket].map(([name, bytes]) => env.BACKUPS.put(name, bytes)));
}

export interface Step {
  readonly phase: string;
  readonly rows: number;
  readonly payments: number;
  readonly proof: {
    readonly lines: readonly { readonly what: string; readonly inGateway: number }[];
    readonly differences: readonly string[];
    readonly linesOfPayments: number;
    readonly restored: number;
    readonly kept: number;
    readonly missing: string | null;
    readonly closedAtMs: number | null;
  } | null;
}

/** Takes steps until the proof, as the command does; `between` runs after each. */
export async function restore(run = RUN, between: (step: Step) => unknown = () => undefined) {
  for (let steps = 0; steps < 500; steps += 1) {
    const first = steps === 0 ? { again: true } : {};
    const step = await content<Step>(operateApi('/restore', { run, ...first }));
    await between(step);
    if (step.proof !== null) {
      return step.proof;
    }
  }
  throw new Error('the restore does not end');
}
