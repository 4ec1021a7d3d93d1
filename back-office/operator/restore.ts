import type { RestoreProgress, RestoreProof } from '../../src/control/rpc/operator.ts';
import { prepare, runBatch } from '../../src/kit/platform/database.ts';
import type { Fields, Outcome } from './actions/action.ts';
import type { OperatorCall } from './call.ts';

/** The back office's half of restoring a gateway: the rows of its own database. */

/** One step. A repeated one inserts no row twice. */
export async function restoreGateway(call: OperatorCall, fields: Fields): Promise<Outcome> {
  const { payments, actor, env } = call;
  const { operator } = payments;
  const memberRows = await countOf(env.BACK_OFFICE_DB, 'members');
  const step: RestoreProgress = await operator.restoreStep(actor, {}, { ...fields, memberRows });
  if (step.members !== null) {
    const [{ countOthers, insertStatements, withParents }, { BACK_OFFICE_TABLES }] =
      await Promise.all([import('../../src/recovery/restore/rows.ts'), import('../backup.ts')]);
    const { place, round, table, rows: given } = step.members;
    const { rows, orphans } = await withParents(env.BACK_OFFICE_DB, table, given);
    const others = await countOthers(env.BACK_OFFICE_DB, BACK_OFFICE_TABLES, table, rows);
    const statements = insertStatements(table, rows);
    if (statements.length > 0) {
      await runBatch(env.BACK_OFFICE_DB, statements);
    }
    const {
      members: _,
      counts: __,
      ...progress
    } = await operator.confirmRestoredMembers(
      actor,
      {},
      {
        ...{ run: fields.run, round, table: place.table, part: place.part },
        ...{ rows: given.length, orphans, others },
      },
    );
    return { message: 'Under way', content: { ...progress, proof: null } };
  }
  const { members: _, counts, ...progress } = step;
  const isOver = step.phase === 'proof' || step.phase === 'finished';
  const proof = isOver ? await proofOf(call, { run: fields.run }, counts) : null;
  return { message: isOver ? 'Compared' : 'Under way', content: { ...progress, proof } };
}

/** Closes the restore without what its proof has named. */
export async function closeRestore(call: OperatorCall, fields: Fields): Promise<Outcome> {
  const { BACK_OFFICE_TABLES } = await import('../backup.ts');
  const tables = BACK_OFFICE_TABLES.map(({ table }) => table);
  return { message: 'Closed', content: await proofOf(call, fields, tables) };
}

async function proofOf(
  { payments, actor, env }: OperatorCall,
  fields: Fields,
  tables: readonly string[],
): Promise<RestoreProof> {
  const counted = await Promise.all(
    tables.map(async (table) => [table, await countOf(env.BACK_OFFICE_DB, table)] as const),
  );
  const memberRows = Object.fromEntries(counted);
  return payments.operator.proveRestore(actor, {}, { ...fields, memberRows });
}

async function countOf(db: D1Database, table: string): Promise<number> {
  const sql = `SELECT count(*) AS count FROM ${table}`;
  return (await prepare(db, { sql, params: [] }).first<number>('count')) ?? 0;
}
