import * as v from 'valibot';
import { type FieldError, fieldError } from './field-error.ts';
import { errorOf, objectField, PARSING, pathOf, REQUIRED } from './fields.ts';
import { validationProblem } from './problem.ts';

/**
 * A JSON object with only these fields, so that a misspelled field is an error. `hints`: the error
 * of a field that callers mistake for one of these.
 */
export function body<const Entries extends v.ObjectEntries>(
  entries: Entries,
  hints: ReadonlyMap<string, string> = new Map(),
) {
  return v.pipe(
    objectField,
    v.strictObject(entries, (issue) =>
      issue.expected === 'never'
        ? fieldError('unknown_field', hints.get(pathOf(issue)) ?? 'There is no such field.')
        : REQUIRED,
    ),
  );
}

/** The validated value. Problem 400 with every failing field. */
export function checked<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, PARSING);
  if (result.success) {
    return result.output;
  }
  // A map, because a field may be named `constructor`.
  const errors = new Map<string, FieldError>();
  for (const issue of result.issues) {
    const path = pathOf(issue);
    errors.set(path, errors.get(path) ?? errorOf(issue));
  }
  throw validationProblem(Object.fromEntries(errors));
}
