import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BACK_OFFICE_TABLES } from '../../back-office/backup.ts';
import { ENVIRONMENTS, type Environment } from '../../src/kit/tenant.ts';
import { PAYMENTS_TABLES } from '../../src/recovery/backup/tables.ts';
import type { Caller } from '../chaos/caller.ts';
import type { Member } from '../chaos/member.ts';
import type { ShownPayment } from '../harness/shown.ts';
import { forEachOf } from '../harness/workers.ts';

/** All that the drill compares before the disaster and after the restore. */
export interface Observed {
  /** The status call's answers, by environment and unique id. */
  readonly payments: ReadonlyMap<string, ShownPayment>;
  /** Rows of the API's lists and of the dashboard's tables, by their names. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Rows of both databases, by the names of the tables. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

const READERS = 8;
const LISTS = ['intents', 'refunds', 'events'] as const;
const PAGES = ['sandbox/payments', 'production/payments', 'sandbox/refunds'] as const;

/** What every use writes, so that it differs by the observation itself. */
const USED = ['last_used_at_ms', 'counter'];
/** The new gateway has a mode of its own, and counts failures of endpoints from the beginning. */
const OWN_TABLES = ['gateway_settings', 'failing_endpoints'];

export async function observePayments(
  caller: Caller,
  names: readonly { readonly environment: Environment; readonly uniqueId: string }[],
): Promise<Observed['payments']> {
  const payments = new Map<string, ShownPayment>();
  await forEachOf(names, READERS, async ({ environment, uniqueId }) => {
    const read = caller.api(environment).get(`intent/${uniqueId}`);
    payments.set(`${environment} ${uniqueId}`, await caller.content<ShownPayment>(read));
  });
  return payments;
}

export async function observeLists(caller: Caller, member: Member): Promise<Observed['lists']> {
  const lists: Record<string, readonly string[]> = {};
  for (const environment of ENVIRONMENTS) {
    for (const name of LISTS) {
      lists[`${environment} ${name}`] = await listOf(caller, environment, name);
    }
  }
  for (const path of PAGES) {
    lists[`dashboard ${path}`] = tableRowsIn((await member.read(path)).body);
  }
  return lists;
}

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor: string | null;
}

export async function listOf(caller: Caller, environment: Environment, name: string) {
  const rows: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `${name}?limit=100${query}`;
    const page: Page = await caller.content<Page>(caller.api(environment).get(path));
    // Deliveries go on: that each event arrives is checked by itself.
    rows.push(...page.data.map(({ deliveries: _, ...row }) => JSON.stringify(row)));
    cursor = page.nextCursor;
  }
  return rows;
}

/** Ends of payments and refunds whose events the lists do not show yet: lists hide young ones. */
export function unlistedEnds({ payments, lists }: Pick<Observed, 'payments' | 'lists'>): number {
  const rows = ENVIRONMENTS.flatMap((environment) => lists[`${environment} events`] ?? []);
  const shown = Map.groupBy(rows, (row) => JSON.parse(row).paymentIntentUniqueId);
  return [...payments.values()]
    .map(({ uniqueId, status, refunds }) => {
      const ends = [status, ...refunds.map((refund) => refund.status)];
      const announced = ends.filter((end) => ['SUCCESS', 'FAILED', 'EXPIRED'].includes(end));
      return Math.max(0, announced.length - (shown.get(uniqueId)?.length ?? 0));
    })
    .reduce((sum, missing) => sum + missing, 0);
}

/** Events that no endpoint has accepted yet. */
export async function undelivered(caller: Caller): Promise<readonly unknown[]> {
  const pages = ENVIRONMENTS.map((environment) =>
    caller.content<Page>(caller.api(environment).get('events?limit=100&deliveryState=waiting')),
  );
  return (await Promise.all(pages)).flatMap(({ data }) => data);
}

/** The texts of a page's table rows. */
function tableRowsIn(html: string): readonly string[] {
  const rows = html.match(/<tr[\s>].*?<\/tr>/gs) ?? [];
  return rows.map((row) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

/** The gateway must not run, because its processes hold the files. */
export async function observeRows(stateDirectory: string): Promise<Observed['rows']> {
  const directory = join(stateDirectory, 'v3', 'd1', 'miniflare-D1DatabaseObject');
  const rows: Record<string, readonly string[]> = {};
  for (const file of await readdir(directory)) {
    if (!file.endsWith('.sqlite') || file === 'metadata.sqlite') {
      continue;
    }
    const database = new DatabaseSync(join(directory, file));
    const has = (table: string) =>
      database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(table).length > 0;
    const plane = has('members') ? 'back office' : 'payments';
    const tables = has('members') ? BACK_OFFICE_TABLES : has('merchants') ? PAYMENTS_TABLES : [];
    for (const { table } of tables.filter(({ table: name }) => !OWN_TABLES.includes(name))) {
      const found = database.prepare(`SELECT * FROM ${table}`).all();
      rows[`${plane}: ${table}`] = found.map(textOf).sort();
    }
    database.close();
  }
  return rows;
}

function textOf(row: object): string {
  const kept = Object.entries(row).filter(([column]) => !USED.includes(column));
  return JSON.stringify(Object.fromEntries(kept));
}
