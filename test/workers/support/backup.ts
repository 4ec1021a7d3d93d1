import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import { allNames, readPart } from '../../../src/recovery/backup/bucket.ts';
import type { PaymentLine } from '../../../src/recovery/backup/manifest.ts';

/** The bucket of backups, and failures of it. */

export async function partNames(prefix = ''): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of allNames(env, prefix)) {
    names.push(key);
  }
  return names;
}

export async function linesOf<Line = PaymentLine>(name: string): Promise<readonly Line[]> {
  return (await readPart<Line>(env, name))?.lines ?? [];
}

/** All lines of payments, by the parts that have them. */
export async function paymentLines(): Promise<Record<string, string[]>> {
  const entries: [string, string[]][] = [];
  for (const name of await partNames('payments/')) {
    entries.push([name, (await linesOf(name)).map(({ uniqueId }) => uniqueId)]);
  }
  return Object.fromEntries(entries);
}

/** Every object has bindings of its own, which share this prototype. */
const prototype = Object.getPrototypeOf(env.BACKUPS) as R2Bucket;

/** Runs `instead` in place of the next writes of the bucket; it may call the real one. */
export function replacePut(
  instead: (put: () => Promise<R2Object>, name: string) => Promise<R2Object>,
) {
  const { put } = prototype;
  const spy = vi.spyOn(prototype, 'put').mockImplementation(function (
    this: R2Bucket,
    ...args: Parameters<R2Bucket['put']>
  ) {
    return instead(() => put.apply(this, args) as Promise<R2Object>, args[0]);
  } as never);
  return { calls: spy.mock.calls, repair: () => spy.mockRestore() };
}

/** The tables in which wrangler records the migrations that it has applied. */
export async function recordMigrations(): Promise<void> {
  for (const [db, migrations] of [
    [env.DB, env.TEST_MIGRATIONS],
    [env.BACK_OFFICE_DB, env.TEST_BACK_OFFICE_MIGRATIONS],
  ] as const) {
    await db.batch([
      db.prepare('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)'),
      ...migrations.map(({ name }) =>
        db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
      ),
    ]);
  }
}
