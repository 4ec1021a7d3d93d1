import type { SqlStatement } from '../../database.ts';
import type { Role } from '../permissions.ts';

/** The members of merchants, as rows. */

export interface NewMember {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
}

export function insertMember(member: NewMember): SqlStatement {
  return {
    sql: `INSERT INTO members (id, merchant_id, name, role, created_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5)`,
    params: [member.id, member.merchantId, member.name, member.role, member.createdAtMs],
  };
}
