import type * as v from 'valibot';
import { type FieldError, fieldError } from '../../http/field-error.ts';
import { validationProblem } from '../../http/problem.ts';
import { checked } from '../../http/strict-body.ts';

/** `metadata[KEY]`, a filter by one entry. */
const METADATA = /^metadata\[(.*)\]$/s;

/**
 * The validated query of a list. Problem 400 for a failing, unknown or repeated parameter: to ignore
 * a misspelled filter would answer with payments that the caller did not mean.
 */
export function readQuery<Entries extends v.ObjectEntries>(
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
      errors.set(name, fieldError('duplicate', 'Must not be given twice.'));
    } else if (key === undefined && !isParameter(schema.entries, name)) {
      errors.set(name, fieldError('unknown_field', 'There is no such parameter.'));
    }
    group.set(member, text);
  }
  if (errors.size > 0) {
    throw validationProblem(Object.fromEntries(errors));
  }
  const filters = metadata.size === 0 ? {} : { metadata: Object.fromEntries(metadata) };
  return checked(schema, { ...Object.fromEntries(values), ...filters });
}

function isParameter(entries: v.ObjectEntries, name: string): boolean {
  return name !== 'metadata' && Object.hasOwn(entries, name);
}
