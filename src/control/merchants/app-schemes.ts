import { prepare, type SqlStatement } from '../../kit/platform/database.ts';

/** The schemes of a merchant's apps, to which customers may return (docs/decisions.md#20). */

/** Enough for an app and its test builds on two systems; also bounds an error's text. */
export const APP_SCHEMES_MAX = 10;

/** Replaces the schemes, for new payments within 10 s. Changes no row if they are the same. */
export function setAppSchemes(merchantId: string, schemes: readonly string[]): SqlStatement {
  return {
    sql: 'UPDATE merchants SET app_schemes = ?2 WHERE id = ?1 AND app_schemes <> ?2',
    params: [merchantId, JSON.stringify(schemes)],
  };
}

export async function appSchemesOf(db: D1Database, merchantId: string): Promise<readonly string[]> {
  const sql = 'SELECT app_schemes FROM merchants WHERE id = ?1';
  const text = await prepare(db, { sql, params: [merchantId] }).first<string>('app_schemes');
  return JSON.parse(text ?? '[]') as readonly string[];
}
