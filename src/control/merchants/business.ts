import { contactLink } from '../../engine/config.ts';
import {
  BUSINESS_FIELDS,
  type Business,
  type BusinessField,
} from '../../engine/domain/merchant.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { type Changing, entryOf, runAudited } from '../../kit/audit/log.ts';
import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { isPrintable } from '../../kit/text.ts';

/** The merchant's details on receipts. */

const NOTHING: Business = {
  legalName: null,
  tin: null,
  vatNumber: null,
  address: null,
  contact: null,
};

/** Every payment keeps a copy, and the receipt prints it on one page. The table has these limits too. */
const LEGAL_NAME_LENGTH_MAX = 200;
const ADDRESS_LENGTH_MAX = 300;
const CONTACT_LENGTH_MAX = 100;

const TIN = /^[0-9]{10}$/;
/** Numbers of VAT certificates have no common form. */
const VAT_NUMBER = /^[0-9A-Za-z/-]{1,20}$/;

/** Fields whose digits are not a telephone number. */
const NUMBERS: ReadonlySet<BusinessField> = new Set(['tin', 'vatNumber']);

/** Whether a field takes the text. */
const TAKES: Readonly<Record<BusinessField, (text: string) => boolean>> = {
  legalName: (text) => text.length <= LEGAL_NAME_LENGTH_MAX && isPrintable(text),
  tin: (text) => TIN.test(text),
  vatNumber: (text) => VAT_NUMBER.test(text),
  address: (text) => text.length <= ADDRESS_LENGTH_MAX && isPrintable(text),
  contact: (text) => text.length <= CONTACT_LENGTH_MAX && contactLink(text) !== null,
};

/** What receipts of new payments show. Throws when D1 does not answer. */
export async function merchantBusiness(db: D1Database, merchantId: string): Promise<Business> {
  const sql = `SELECT legal_name AS legalName, tin, vat_number AS vatNumber, address, contact
    FROM merchant_business WHERE merchant_id = ?1`;
  return (await prepare(db, { sql, params: [merchantId] }).first<Business>()) ?? NOTHING;
}

/**
 * Replaces all details, with an audit entry for a difference; an empty text removes one. Returns the
 * fields that are invalid; then nothing changes. Applies to new payments within 10 s.
 */
export async function changeBusiness(
  by: Changing,
  typed: Readonly<Record<BusinessField, string>>,
): Promise<readonly BusinessField[]> {
  const entries = BUSINESS_FIELDS.map((field) => [field, typed[field].trim() || null] as const);
  const wrong = entries.filter(([field, text]) => text !== null && !TAKES[field](text));
  if (wrong.length > 0) {
    return wrong.map(([field]) => field);
  }
  const { merchantId } = by.tenant;
  const known = await merchantBusiness(by.env.DB, merchantId);
  const changed = entries.filter(([field, text]) => text !== known[field]);
  if (changed.length > 0) {
    const detail = Object.fromEntries(
      // A merchant's number may be a person's, and the audit log stays for years.
      changed.map(([field, text]) => [
        field,
        text === null || NUMBERS.has(field) ? text : withoutPhoneNumbers(text),
      ]),
    );
    const entry = entryOf(by, { action: 'business.changed', target: null, detail });
    const change = replacement(
      merchantId,
      entries.map(([, text]) => text),
    );
    // The details are those of both environments.
    await runAudited(by.env.DB, [change], { ...entry, environment: null });
  }
  return [];
}

function replacement(merchantId: string, values: readonly (string | null)[]): SqlStatement {
  return values.every((value) => value === null)
    ? { sql: 'DELETE FROM merchant_business WHERE merchant_id = ?1', params: [merchantId] }
    : {
        sql: `INSERT OR REPLACE INTO merchant_business
          (merchant_id, legal_name, tin, vat_number, address, contact)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
        params: [merchantId, ...values],
      };
}
