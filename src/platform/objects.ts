import type { Placement } from '../domain/placement.ts';
import { prepare, type SqlStatement } from './database.ts';

/** Makes the ids and stubs of all objects. */
export function objectsIn<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  { jurisdiction, locationHint }: Placement,
) {
  const objects = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction);
  return {
    idFromName: (name: string) => objects.idFromName(name),
    idFromString: (id: string) => objects.idFromString(id),
    get: (id: DurableObjectId) =>
      locationHint === null ? objects.get(id) : objects.get(id, { locationHint }),
  };
}

/** OBJECT_JURISDICTION is not the one with which the gateway began: it would see empty objects. */
export class WrongJurisdiction extends Error {
  override readonly name = 'WrongJurisdiction';
}

/** What D1 stores for no jurisdiction. */
const NONE = 'none';

/** Part of the batch that creates a merchant: the first one fixes the jurisdiction. */
export function rememberJurisdiction({ jurisdiction }: Placement): SqlStatement {
  return {
    sql: `UPDATE gateway_settings SET object_jurisdiction = ?1
      WHERE object_jurisdiction IS NULL`,
    params: [jurisdiction ?? NONE],
  };
}

/** Compares what D1 remembers, null before the first merchant. Throws WrongJurisdiction. */
export function compareJurisdiction(stored: string | null, { jurisdiction }: Placement): void {
  const wanted = jurisdiction ?? NONE;
  if (stored !== null && stored !== wanted) {
    throw new WrongJurisdiction(
      `OBJECT_JURISDICTION is ${wanted}, but this gateway's objects were made with ${stored}`,
    );
  }
}

/** Databases whose jurisdiction this isolate has compared. */
const compared = new WeakSet<D1Database>();

/** The same by a query of D1, once in an isolate. While D1 fails, this compares nothing. */
export async function checkJurisdiction(db: D1Database, placement: Placement): Promise<void> {
  if (compared.has(db)) {
    return;
  }
  const known = await readJurisdiction(db).catch(() => null);
  if (known !== null) {
    compareJurisdiction(known.stored, placement);
    compared.add(db);
  }
}

async function readJurisdiction(db: D1Database) {
  const sql = 'SELECT object_jurisdiction AS stored FROM gateway_settings';
  return { stored: await prepare(db, { sql, params: [] }).first<string>('stored') };
}
