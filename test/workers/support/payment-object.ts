import { evictAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import type { Command } from '../../../src/engine/domain/command.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { type IntentClient, intentByName } from '../../../src/engine/intent/client.ts';
import type { EventSummary } from '../../../src/engine/intent/protocol.ts';
import type { StoredIntent } from '../../../src/engine/intent/store.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { startAttempt } from '../../support/intents.ts';
import { MINUTE_MS } from './clock.ts';
import { abortObjects } from './gateway.ts';
import { ALPHA, tenantOf } from './merchants.ts';

/** The name of a payment's object, computed at once and independently of the gateway. */
function nameOf(uniqueId: string, { environment, merchantId }: Tenant): string {
  return createHash('sha256').update(`${environment}/${merchantId}/${uniqueId}`).digest('hex');
}

export function clientOf(uniqueId = 'order-1', tenant: Tenant = tenantOf(ALPHA)): IntentClient {
  return intentByName(env, nameOf(uniqueId, tenant));
}

export function stubOf(uniqueId = 'order-1', tenant: Tenant = tenantOf(ALPHA)) {
  const { objectName } = clientOf(uniqueId, tenant);
  return env.PAYMENT_INTENT.get(env.PAYMENT_INTENT.idFromName(objectName));
}

/** The payment as `read` shows it: due transitions are applied. */
export async function intentOf(uniqueId = 'order-1'): Promise<Intent> {
  const intent = await clientOf(uniqueId).read();
  if (intent === null) {
    throw new Error(`${uniqueId} does not exist`);
  }
  return intent;
}

/** Runs commands that must be accepted. */
export async function execute(...commands: Command[]): Promise<Intent> {
  const result = await clientOf().execute(commands);
  if (result.type === 'not_found' || result.rejection !== null) {
    throw new Error(`refused: ${JSON.stringify(result)}`);
  }
  return result.intent;
}

/** A redirect attempt as the simulator plans it, but whose window closes without finality. */
export function startRedirect(id: string, deadlineAtMs = Date.now() + 30 * MINUTE_MS): Command {
  return startAttempt(id, { deadlineAtMs });
}

export function resolveAttempt(attemptId: string, type: 'succeeded' | 'failed'): Command {
  return {
    type: 'resolve_attempt',
    attemptId,
    outcome: type === 'succeeded' ? { type, receipt: null } : { type, reason: 'declined' },
  };
}

/** The one event of the payment, or the last of several. */
export async function lastEvent(uniqueId = 'order-1'): Promise<EventSummary> {
  const event = (await clientOf(uniqueId).events()).at(-1);
  if (event === undefined) {
    throw new Error(`${uniqueId} has no event`);
  }
  return event;
}

/** Fires the object's alarm now. False when none is set. */
export function fireAlarm(uniqueId = 'order-1'): Promise<boolean> {
  return runDurableObjectAlarm(stubOf(uniqueId));
}

export function alarmOf(uniqueId = 'order-1'): Promise<number | null> {
  return runInDurableObject(stubOf(uniqueId), (_instance, state) => state.storage.getAlarm());
}

export function loseAlarm(uniqueId = 'order-1'): Promise<void> {
  return runInDurableObject(stubOf(uniqueId), (_instance, state) => state.storage.deleteAlarm());
}

/** Runs SQL inside the object that none of our code would run. */
export function objectSql<Row extends Record<string, SqlStorageValue>>(
  sql: string,
  uniqueId = 'order-1',
): Promise<Row[]> {
  return runInDurableObject(stubOf(uniqueId), (_instance, state) =>
    state.storage.sql.exec<Row>(sql).toArray(),
  );
}

/** The stored payment. */
export async function storedPayment(uniqueId = 'order-1'): Promise<StoredIntent> {
  const sql = 'SELECT content FROM record WHERE id = 0';
  const [row] = await objectSql<{ content: string }>(sql, uniqueId);
  return JSON.parse(row?.content ?? 'null');
}

/** Every row of an object, in the order of its tables, to compare after a rollback. */
export async function allRows(uniqueId = 'order-1'): Promise<Record<string, unknown[]>> {
  return runInDurableObject(stubOf(uniqueId), (_instance, { storage }) => {
    const names = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
      )
      .toArray()
      .map(({ name }) => name);
    return Object.fromEntries(
      names.map((name) => [name, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]),
    );
  });
}

/** Ways in which an object can lose its memory between two steps. */
export const INTERRUPTIONS = {
  'no interruption': async () => undefined,
  eviction: () => evictAllDurableObjects(),
  abort: abortObjects,
} as const;
