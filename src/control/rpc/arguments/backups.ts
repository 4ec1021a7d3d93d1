import * as v from 'valibot';
import { booleanField, listOf, wholeNumber } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { patternField } from '../../operator/fields.ts';
import { type AreaArguments, countField, shortField } from './fields.ts';

/** More than the back office has, so that an intruder there cannot fill the bucket or the database. */
const TABLES_MAX = 50;
const MIGRATIONS_MAX = 500;
const PARTS_MAX = 10_000;
const ROWS_MAX = 2_000;
const COLUMNS_MAX = 100;
const KEY_COLUMNS_MAX = 10;
const PAGE_CHARACTERS_MAX = 4_000_000;

const table = patternField(/^[a-z][a-z_]{0,63}$/, 'Must be the name of a table.');
const part = wholeNumber(1, PARTS_MAX);
const value = v.union([v.string(), v.number(), v.null()]);

const facts = body({
  migrations: listOf(shortField, MIGRATIONS_MAX),
  tables: v.pipe(
    listOf(table, TABLES_MAX),
    v.check((names) => new Set(names).size === names.length),
  ),
  auditToId: countField,
});

const place = body({
  table,
  part,
  after: v.nullable(listOf(v.union([v.string(), v.number()]), KEY_COLUMNS_MAX)),
});

const page = v.pipe(
  body({
    table,
    part,
    rows: listOf(v.pipe(v.record(shortField, value), v.maxEntries(COLUMNS_MAX)), ROWS_MAX),
    next: v.nullable(place),
  }),
  v.check(({ rows, next }) => JSON.stringify([rows, next]).length <= PAGE_CHARACTERS_MAX),
);

export const BACKUPS: AreaArguments<'backups'> = {
  takeRun: [facts, booleanField],
  storePage: [body({ run: shortField, lease: countField }), page],
};
