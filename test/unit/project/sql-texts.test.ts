import { expect, test } from 'vitest';
import { SqlTexts, valuesInSql } from '../../support/sql-texts.ts';

/**
 * Goal: no value of a caller becomes a part of a statement (docs/decisions.md#53). Method: each
 * expression within a text of SQL must consist of constants of the code, or be named here.
 */

/** These texts have `@{` where a template has its brace, so that they are no templates here. */
function sampleOf(text: string): string {
  return text.replaceAll('@{', '${');
}

/** What the rule cannot follow, by file. Each was read: it is a fragment, a name or a number of ours. */
const REVIEWED: Readonly<Record<string, readonly string[]>> = {
  // Conditions and lists that take their values as parameters.
  'back-office/members/challenge.ts': ['length + 1', 'length + 2', 'required.sql'],
  'src/engine/register/volumes.ts': ['condition'],
  'src/recovery/backup/runs.ts': ['wanted'],
  'src/control/provider-files/file-table.ts': ['condition'],
  'src/control/provider-files/line-table.ts': ['condition'],
  'src/lists/book/attention-items.ts': ['limit'],
  'src/lists/book/queries/deliveries.ts': ['condition', 'within'],
  'src/lists/book/queries/ended-payments.ts': [
    'andAll(conditions)',
    'column',
    "conditions.length === 0 ? 'doc' : `(@{row})`",
    'sql',
  ],
  'src/lists/book/queries/link-payments.ts': ["hasKeys('?3')", 'isPaid'],
  'src/lists/book/queries/payment-source.ts': ["hasKeys('?4')", 'wanted'],
  'src/lists/book/queries/place-range.ts': ['id', 'time'],
  'src/lists/book/queries/refunds.ts': ['condition', 'index', 'place.condition'],
  'src/lists/book/queries/search.ts': ['condition', "hasKeys('one.value')", 'prefix'],
  // A payment's place, and the tables of months.
  'src/lists/book/receipts.ts': ['source'],
  'src/lists/receipt-index/open-index.ts': ['table'],
  'src/kit/platform/paging.ts': [
    "all.map(({ sql }) => sql).join(' AND ') || 'TRUE'",
    'columns',
    'idColumn',
    'index',
    'sql',
    'table',
    'timeColumn',
  ],
  'src/engine/webhooks/failing-endpoints.ts': ['sql'],
  // Names of tables and columns of ours.
  'back-office/operator/restore.ts': ['table'],
  'src/recovery/backup/pages.ts': [
    'columns',
    "conditions.join(' AND ')",
    'pageRows',
    'table',
    'where',
  ],
  'src/lists/book/apply.ts': [
    'assignments',
    'column',
    "columns.join(', ')",
    "conditions.join(' AND ')",
  ],
  'src/lists/book/day-totals.ts': ['table'],
  'src/control/dead-letters/store.ts': ['kind', 'waitsMs'],
  'src/control/merchants/keys.ts': ['column'],
  'src/recovery/backup/actions.ts': ['database', "lastOf('back-office')", "lastOf('payments')"],
  // A backup's names of tables and columns, of which `columnsOf` refuses any other form.
  'src/recovery/restore/proof.ts': ['table'],
  'src/recovery/restore/rows.ts': [
    "columns.join(', ')",
    "columns.map(isSame).join(' AND ')",
    "columns.map(memberOf).join(', ')",
    'condition',
    // PARENTS is a constant.
    "given.map((one) => `@{one} IS NOT NULL`).join(' AND ')",
    "into.join(', ')",
    "into.map(memberOf).join(', ')",
    'isFree',
    'isSame',
    // The keys are a constant.
    "key.map(isSame).join(' AND ')",
    "matches.join(' AND ')",
    "memberOf('at_ms')",
    "memberOf('id')",
    'missing',
    'parent',
    'table',
  ],
};

test('statements consist of constants of the code, and take everything else as parameters', () => {
  const found: Record<string, readonly string[]> = {};
  for (const [file, expressions] of valuesInSql()) {
    found[file] = [...new Set(expressions.map((one) => one.replaceAll('${', '@{')))].sort();
  }
  expect(found).toEqual(REVIEWED);
});

test.each([
  ['a parameter', "export function f(status) { return `SELECT 1 WHERE a = '@{status}'`; }"],
  ['a member', 'export const f = (a) => `DELETE FROM t WHERE id = @{a.id}`;'],
  ['a concatenation', "export function f(id) { return 'SELECT 1 FROM t WHERE id = ' + id; }"],
  ['one branch', "export function f(id) { return `SELECT @{id ? id : 'NULL'} FROM t`; }"],
  [
    'a value in a list of constants',
    "const ALL = ['a']; export function f({ status }) { const parts = (status === undefined ? ALL : [status]).map((one) => `WHERE a = '@{one}'`); return parts.join(); }",
  ],
  [
    'a value through a function',
    "function is(one) { return `method = '@{one}' AND TRUE`; } export function f(method) { return is(method); }",
  ],
  ['a call', 'export const f = (a) => `SELECT 1 LIMIT @{Number(a)}`;'],
])('finds %s in a text of SQL', (_name, source) => {
  expect(new SqlTexts(sampleOf(source), 'ts').found()).toHaveLength(1);
});

test.each([
  "const A = ['x']; const SQL = `SELECT 1 WHERE a IN (@{A.map((one) => `'@{one}'`).join()})`;",
  "export const f = (isUp) => `SELECT 1 FROM t ORDER BY a @{isUp ? 'ASC' : 'DESC'}`;",
  "export const f = (ids) => `SELECT 1 WHERE a IN (@{ids.map(() => '?').join()})`;",
  "function order(isUp) { return isUp ? 'ASC' : 'DESC'; } export const f = (up) => `ORDER BY a @{order(up)}`;",
  'export const f = (name) => `The payment @{name} is not paid`;',
])('takes constants of the code: %s', (source) => {
  expect(new SqlTexts(sampleOf(source), 'ts').found()).toEqual([]);
});
