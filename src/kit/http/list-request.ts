import * as v from 'valibot';
import { timeMsOf } from '../ethiopian-time.ts';
import { parseCursor } from '../platform/paging.ts';
import { intactText } from '../text.ts';
import { type FieldError, type FieldErrors, fieldError } from './field-error.ts';
import { stringField } from './fields.ts';
import { validationProblem } from './problem.ts';
import { checked } from './strict-body.ts';

/** The requests for a page of a list (docs/lists.md#lists). Their parameters arrive as texts. */

export const ROWS_MAX = 100;
const ROWS = /^[1-9]\d{0,2}$/;

/** RFC 3339. A `+` that was not escaped in a query arrives as a space. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+ -]\d\d:\d\d)$/i;

/** A text that `parse` reads; null: it cannot. */
export function parsed<Value>(
  parse: (text: string) => Value | null,
  error: FieldError,
  jsonSchema: Readonly<Record<string, unknown>> = {},
) {
  return v.pipe(
    stringField,
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      const value = parse(dataset.value);
      if (value === null) {
        addIssue({ message: error });
        return NEVER;
      }
      return value;
    }),
    v.metadata(jsonSchema),
  );
}

/** A time with its zone, as milliseconds since 1970. */
export const timeField = parsed(
  timeFrom,
  fieldError('invalid_format', 'Must be a time such as 2026-11-22T08:00:00Z.'),
  { format: 'date-time' },
);

function timeFrom(text: string): number | null {
  return TIME.test(text) ? timeMsOf(text.toUpperCase().replace(' ', '+')) : null;
}

export const cursorField = parsed(
  parseCursor,
  fieldError('invalid_format', 'Is not the nextCursor of a page.'),
);

/** The parameters that all lists share. */
export function pageEntries(rowsDefault: number) {
  return {
    limit: v.optional(
      parsed(
        (text) => (ROWS.test(text) && Number(text) <= ROWS_MAX ? Number(text) : null),
        fieldError('invalid_format', `Must be a whole number from 1 to ${ROWS_MAX}.`),
        { type: 'integer', minimum: 1, maximum: ROWS_MAX },
      ),
      String(rowsDefault),
    ),
    cursor: v.optional(cursorField),
  };
}

/** `metadata[KEY]`, a filter by one entry. */
const METADATA = /^metadata\[(.*)\]$/s;

/**
 * The validated query of a list. Problem 400 for a failing, unknown or repeated parameter and for a
 * range without an inside: to ignore a misspelled filter would answer with rows that the caller did
 * not mean.
 */
export function readListQuery<Entries extends v.ObjectEntries>(
  request: Request,
  schema: v.ObjectSchema<Entries, undefined>,
): v.InferOutput<typeof schema> {
  const errors = new Map<string, FieldError>();
  const values = new Map<string, string>();
  const metadata = new Map<string, string>();
  for (const [name, text] of new URL(request.url).searchParams) {
    const key = Object.hasOwn(schema.entries, 'metadata') ? METADATA.exec(name)?.[1] : undefined;
    const [group, member] = key === undefined ? [values, name] : [metadata, key];
    if (group.has(member)) {
      errors.set(intactText(name), fieldError('duplicate', 'Must not be given twice.'));
    } else if (key === undefined && !isParameter(schema.entries, name)) {
      errors.set(intactText(name), fieldError('unknown_field', 'There is no such parameter.'));
    }
    group.set(member, text);
  }
  refuse(Object.fromEntries(errors));
  const filters = metadata.size === 0 ? {} : { metadata: Object.fromEntries(metadata) };
  const query = checked(schema, { ...Object.fromEntries(values), ...filters });
  refuse(rangeErrors(query));
  return query;
}

function isParameter(entries: v.ObjectEntries, name: string): boolean {
  return name !== 'metadata' && Object.hasOwn(entries, name);
}

/** The errors of ranges that contain nothing, such as `createdFrom` and `createdTo`, on their end. */
function rangeErrors(query: Readonly<Record<string, unknown>>): FieldErrors {
  const ends = Object.keys(query).filter((name) => {
    const [from, to] = [query[name.replace(/To$/, 'From')], query[name]];
    return name.endsWith('To') && typeof from === 'number' && typeof to === 'number' && from >= to;
  });
  return Object.fromEntries(
    ends.map((name) => [
      name,
      fieldError('mismatch', `Must be later than ${name.replace(/To$/, 'From')}.`),
    ]),
  );
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) {
    throw validationProblem(errors);
  }
}

export interface PageContent<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** One page of a list in the API. */
export function pageContent<Row, Item>(
  { rows, nextCursor }: { readonly rows: readonly Row[]; readonly nextCursor: string | null },
  contentOf: (row: Row) => Item,
): PageContent<Item> {
  return { data: rows.map(contentOf), hasMore: nextCursor !== null, nextCursor };
}
