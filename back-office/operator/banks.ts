import * as v from 'valibot';
import { prepare, type SqlStatement } from '../../src/database.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { booleanField } from '../../src/http/fields.ts';
import { found } from '../../src/http/problem.ts';
import { changeAudited, changedResponse } from './audited.ts';
import type { OperatorCall } from './call.ts';
import { operatorProblem } from './problems.ts';
import { body, lineField, patternField, readBody } from './schema.ts';

/** Short and plain, because merchants put it into every split payment and it never changes. */
const CODE = /^[A-Z0-9_]{1,32}$/;
const BANK_NAME_CHARACTERS_MAX = 200;

interface BankRow {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: number;
}

/** GET …/banks, by code. */
export async function listBanks(call: OperatorCall): Promise<Response> {
  const sql =
    'SELECT code, name, supports_withdrawal AS supportsWithdrawal FROM banks ORDER BY code';
  const { results } = await prepare(call.env.DB, { sql, params: [] }).all<BankRow>();
  return successResponse('Banks', results.map(bankOf));
}

const addition = body({
  code: patternField(CODE, 'Must be 1 to 32 capital letters, digits and underscores.'),
  name: lineField(BANK_NAME_CHARACTERS_MAX),
  supportsWithdrawal: booleanField,
});

/** POST …/banks. Merchants can use the bank in splits within a minute. */
export async function addBank(call: OperatorCall): Promise<Response> {
  const bank = await readBody(call.request, addition);
  const insert = {
    sql: `INSERT INTO banks (code, name, supports_withdrawal) VALUES (?1, ?2, ?3)
      ON CONFLICT (code) DO NOTHING`,
    params: [bank.code, bank.name, bank.supportsWithdrawal ? 1 : 0],
  };
  if (!(await changed(call, insert, bank.code, bank))) {
    throw operatorProblem('bank_exists', { code: bank.code });
  }
  return successResponse('Bank added', bank);
}

const change = body({
  name: v.optional(lineField(BANK_NAME_CHARACTERS_MAX)),
  supportsWithdrawal: v.optional(booleanField),
});

/** POST …/banks/{code}: changes the given fields, but never the code, which payments store. */
export async function changeBank(call: OperatorCall): Promise<Response> {
  const { name, supportsWithdrawal } = await readBody(call.request, change);
  const code = call.params.code ?? '';
  if (name === undefined && supportsWithdrawal === undefined) {
    throw operatorProblem('bank_unchanged');
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
  return changedResponse(isChanged, bankOf(bank));
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

function bankOf({ supportsWithdrawal, ...bank }: BankRow) {
  return { ...bank, supportsWithdrawal: supportsWithdrawal === 1 };
}
