import * as v from 'valibot';
import type { AuditEntry } from '../../kit/audit/log.ts';
import { booleanField } from '../../kit/http/fields.ts';
import { found } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { type ActionCall, action, changeAudited, type Gateway } from '../operator/call.ts';
import { BANK_NAME_CHARACTERS_MAX, lineField, patternField } from '../operator/fields.ts';
import { operationProblem } from '../operator/problems.ts';

/** Short and plain, because merchants put it into every split payment and it never changes. */
const CODE = /^[A-Z0-9_]{1,32}$/;

interface BankRow {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: number;
}

export interface Bank extends Omit<BankRow, 'supportsWithdrawal'> {
  readonly supportsWithdrawal: boolean;
}

const COLUMNS = 'code, name, supports_withdrawal AS supportsWithdrawal';

/** Ordered by code. */
export async function listBanks({ env }: Gateway): Promise<readonly Bank[]> {
  const sql = `SELECT ${COLUMNS} FROM banks ORDER BY code`;
  const { results } = await prepare(env.DB, { sql, params: [] }).all<BankRow>();
  return results.map(bankOf);
}

/** Merchants can use the bank in splits within a minute. */
export const addBank = action(
  body({
    code: patternField(CODE, 'Must be 1 to 32 capital letters, digits and underscores.'),
    name: lineField(BANK_NAME_CHARACTERS_MAX),
    supportsWithdrawal: booleanField,
  }),
  async (call, _target, bank): Promise<Bank> => {
    const insert = {
      sql: `INSERT INTO banks (code, name, supports_withdrawal) VALUES (?1, ?2, ?3)
        ON CONFLICT (code) DO NOTHING`,
      params: [bank.code, bank.name, bank.supportsWithdrawal ? 1 : 0],
    };
    if (!(await changed(call, insert, bank.code, bank))) {
      throw operationProblem('bank_exists', { code: bank.code });
    }
    return bank;
  },
);

/** Changes the given fields, but never the code, which payments store. */
export const changeBank = action(
  body({
    name: v.optional(lineField(BANK_NAME_CHARACTERS_MAX)),
    supportsWithdrawal: v.optional(booleanField),
  }),
  async (call, { code = '' }, detail) => {
    const { name = null, supportsWithdrawal } = detail;
    if (detail.name === undefined && supportsWithdrawal === undefined) {
      throw operationProblem('bank_unchanged');
    }
    const withdrawal = supportsWithdrawal === undefined ? null : Number(supportsWithdrawal);
    const update = {
      sql: `UPDATE banks SET name = coalesce(?2, name),
          supports_withdrawal = coalesce(?3, supports_withdrawal)
        WHERE code = ?1
          AND (name <> coalesce(?2, name)
            OR supports_withdrawal <> coalesce(?3, supports_withdrawal))`,
      params: [code, name, withdrawal],
    };
    const isChanged = await changed(call, update, code, detail);
    const sql = `SELECT ${COLUMNS} FROM banks WHERE code = ?1`;
    const bank = await prepare(call.env.DB, { sql, params: [code] }).first<BankRow>();
    return { isChanged, content: bankOf(found(bank)) };
  },
);

function changed(
  call: ActionCall,
  statement: SqlStatement,
  code: string,
  detail: NonNullable<AuditEntry['detail']>,
): Promise<boolean> {
  return changeAudited(call, statement, {
    merchantId: null,
    environment: null,
    action: 'bank.changed',
    target: code,
    detail,
  });
}

function bankOf({ supportsWithdrawal, ...bank }: BankRow): Bank {
  return { ...bank, supportsWithdrawal: supportsWithdrawal === 1 };
}
