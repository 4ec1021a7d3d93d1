import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { type Changing, entryOf, runAudited } from '../../kit/audit/log.ts';
import { sha256Hex } from '../../kit/crypto/encoding.ts';
import { prepare } from '../../kit/platform/database.ts';
import { type BankCode, type BankCodeFault, isNameOf, readBankCode } from './bank-code.ts';
import { merchantBusiness } from './business.ts';

/**
 * The national QR text on a merchant's signs (docs/links.md#sign). Its money goes to the account that
 * it names, past the gateway, so a member sees the name in it before it is stored.
 */

/** The stored text as it is printed, and what it says; null: none. */
export type StoredBankCode = { readonly text: string; readonly code: BankCode } | null;

export async function merchantBankCode(
  db: D1Database,
  merchantId: string,
): Promise<StoredBankCode> {
  const sql = 'SELECT bank_code AS text FROM merchant_branding WHERE merchant_id = ?1';
  const text = await prepare(db, { sql, params: [merchantId] }).first<string | null>('text');
  const code = text === null ? null : readBankCode(text);
  return text === null || code === null || 'kind' in code ? null : { text, code };
}

export type BankCodeChange =
  | { readonly type: 'changed' }
  | { readonly type: 'wrong'; readonly fault: BankCodeFault }
  /** The member must confirm the name. `isOwnName`: the merchant has it. */
  | { readonly type: 'unconfirmed'; readonly code: BankCode; readonly isOwnName: boolean };

/**
 * Stores the text, with an audit entry for a difference, if `confirmedName` is the name in it. An empty
 * text removes it.
 */
export async function changeBankCode(
  by: Changing,
  typed: string,
  confirmedName: string | null,
): Promise<BankCodeChange> {
  const text = typed.trim();
  if (text === '') {
    return store(by, null, { name: null });
  }
  const code = readBankCode(text);
  if ('kind' in code) {
    return { type: 'wrong', fault: code };
  }
  if (code.name !== confirmedName) {
    return { type: 'unconfirmed', code, isOwnName: isNameOf(code, await ownNames(by)) };
  }
  const detail = { name: withoutPhoneNumbers(code.name), sha256: await sha256Hex(text) };
  return store(by, text, detail);
}

async function ownNames({ env, tenant: { merchantId } }: Changing) {
  const sql = 'SELECT name FROM merchants WHERE id = ?1';
  const name = await prepare(env.DB, { sql, params: [merchantId] }).first<string>('name');
  return [name, (await merchantBusiness(env.DB, merchantId)).legalName];
}

async function store(
  by: Changing,
  text: string | null,
  detail: Readonly<Record<string, string | null>>,
): Promise<BankCodeChange> {
  const change = {
    sql: `INSERT INTO merchant_branding (merchant_id, bank_code) VALUES (?1, ?2)
      ON CONFLICT (merchant_id) DO UPDATE SET bank_code = excluded.bank_code
      WHERE bank_code IS NOT excluded.bank_code`,
    params: [by.tenant.merchantId, text],
  };
  const entry = entryOf(by, { action: 'bank_code.changed', target: null, detail });
  // Signs of production alone carry it, but it belongs to the merchant as its branding does.
  await runAudited(by.env.DB, [change], { ...entry, environment: null });
  return { type: 'changed' };
}
