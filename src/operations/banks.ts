import * as v from 'valibot';
import { booleanField } from '../http/fields.ts';
import { found } from '../http/problem.ts';
import { body } from '../http/strict-body.ts';
import { prepare, type SqlStatement } from '../platform/database.ts';
import { changeAudited, type OperatorCall, type Target } from './call.ts';
import { lineField, patternField } from './fields.ts';
import { operationProblem } from './problems.ts';

/** Short and plain, because merchants put it into every split payment and it never changes. */
const CODE = /^[A-Z0-9_]{1,32}$/;
const BANK_NAME_CHARACTERS_MAX = 200;

interface BankRow {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: number;
}

export interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

/** Ordered by code. */
export async function listBanks({ env }: Pick<OperatorCall, 'env'>): Promise<readonly Bank[]> {
  const sql =
    'SELECT code, name, supports_withdrawal AS supportsWithdrawal FROM banks ORDER BY code';
  const { results } = await prepare(env.DB, { sql, params: [] }).all<BankRow>();
  return results.map(bankOf);
}

export const bankFields = body({
  code: patternField(CODE, 'Must be 1 to 32 capital letters, digits and underscores.'),
  name: lineField(BANK_NAME_CHARACTERS_MAX),
  supportsWithdrawal: booleanField,
});

/** Merchants can use the bank in splits within a minute. */
export async function addBank(
  call: OperatorCall,
  _target: Target,
  bank: v.InferOutput<typeof bankFields>,
): Promise<Bank> {
  const insert = {
    sql: `INSERT INTO banks (code, name, supports_withdrawal) VALUES (?1, ?2, ?3)
      ON CONFLICT (code) DO NOTHING`,
    params: [bank.code, bank.name, bank.supportsWithdrawal ? 1 : 0],
  };
  if (!(await changed(call, insert, bank.code, bank))) {
    throw operationProblem('bank_exists', { code: bank.code });
  }
  return bank;
}

export const bankChangeFields = body({
  name: v.optional(lineField(BANK_NAME_CHARACTERS_MAX)),
  supportsWithdrawal: v.optional(booleanField),
});

/** Changes the given fields, but never the code, which payments store. */
export async function changeBank(
  call: OperatorCall,
  target: Target,
  { name, supportsWithdrawal }: v.InferOutput<typeof bankChangeFields>,
): Promise<{ readonly isChanged: boolean; readonly content: Bank }> {
  const code = target.code ?? '';
  if (name === undefined && supportsWithdrawal === undefined) {
    throw operationProblem('bank_unchanged');
  }
  const withdrawal = supportsWithdrawal === undefined ? null : Number(supportsWithdrawal);
  const update = {
    sql: `UPDATE banks SET name = coalesce(?2, name),
        supports_withdrawal = coalesce(?3, supports_withdrawal)
      WHERE code = ?1
        AND (name <> coalesce(?2, name)
          OR supports_withdrawal <> coalesce(?3, supports_withdrawal))`,
    params: [code, name ?? null, withdrawal],
  };
  const detail = {
    ...(name === undefined ? {} : { name }),
    ...(supportsWithdrawal === undefined ? {} : { supportsWithdrawal }),
  };
  const isChanged = await changed(call, update, code, detail);
  const sql = `SELECT code, name, supports_withdrawal AS supportsWithdrawal FROM banks
    WHERE code = ?1`;
  const bank = found(await prepare(call.env.DB, { sql, params: [code] }).first<BankRow>());
  return { isChanged, content: bankOf(bank) };
}

function changed(
  call: OperatorCall,
  statement: SqlStatement,
  code: string,
  detail: Readonly<Record<string, string | boolean>>,
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
