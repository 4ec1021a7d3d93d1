import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { invitationPath, newInvitation } from '../../back-office/members/invitations.ts';
import type { SqlStatement } from '../../src/kit/platform/database.ts';
import type { DemoMerchant } from './demo-merchant.ts';

/** The inviter on pages and in the audit log. */
const INVITED_BY = { kind: 'operator', id: 'npm-run-dev', name: 'npm run dev' } as const;
const NAME = 'Demo Owner';

/**
 * Creates a link by which its first user becomes an owner of the demo merchant, and revokes the
 * links of earlier starts. Writes to the database's file directly, in milliseconds, because a
 * start of workerd would delay each `npm run dev` by a second or two. Throws when the merchant is
 * missing.
 */
export async function demoInvitation(
  stateDirectory: string,
  { baseUrl, merchantId }: DemoMerchant,
): Promise<string> {
  const nowMs = Date.now();
  const invitation = await newInvitation({
    merchantId,
    name: NAME,
    role: 'owner',
    memberId: null,
    invitedBy: INVITED_BY,
    nowMs,
  });
  const earlier: SqlStatement = {
    sql: `UPDATE invitations SET revoked_at_ms = ?3 WHERE merchant_id = ?1 AND invited_by_id = ?2
      AND used_at_ms IS NULL AND revoked_at_ms IS NULL`,
    params: [merchantId, INVITED_BY.id, nowMs],
  };
  const database = await openDatabase(stateDirectory);
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const { sql, params } of [earlier, invitation.statement]) {
      database.prepare(sql).run(...params);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
  return `${baseUrl}${invitationPath(invitation.token)}`;
}

/** The database with invitations among those that miniflare keeps, whose files have hashes as names. */
async function openDatabase(stateDirectory: string): Promise<DatabaseSync> {
  const directory = join(stateDirectory, 'v3', 'd1', 'miniflare-D1DatabaseObject');
  const files = await readdir(directory);
  for (const file of files.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))) {
    const database = new DatabaseSync(join(directory, file));
    const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'invitations'";
    if (database.prepare(table).get() !== undefined) {
      return database;
    }
    database.close();
  }
  throw new Error(`There is no database with invitations in ${directory}.`);
}
