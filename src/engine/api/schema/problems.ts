import * as v from 'valibot';
import type { FieldError, FieldErrors } from '../../../kit/http/field-error.ts';
import { errorOf, isRecord, PARSING, pathOf } from '../../../kit/http/fields.ts';

/** What the rules have found so far: errors, and warnings that refuse nothing. */
export class Problems {
  /** The first one of each path, which is the most specific. */
  readonly #errors = new Map<string, FieldError>();
  /** Sentences. Each begins with the path of its field. */
  readonly warnings: string[] = [];

  add(path: string, error: FieldError): void {
    if (!this.#errors.has(path)) {
      this.#errors.set(path, error);
    }
  }

  /** Warns about a field without refusing the payment. */
  warn(path: string, predicate: string): void {
    this.warnings.push(`${path} ${predicate}`);
  }

  /** The validated output of all fields, or undefined when a field is invalid. */
  check<Schema extends v.GenericSchema>(
    schema: Schema,
    body: unknown,
  ): v.InferOutput<Schema> | undefined {
    const result = v.safeParse(schema, body, PARSING);
    for (const issue of result.issues ?? []) {
      this.add(pathOf(issue), errorOf(issue));
    }
    return result.success ? result.output : undefined;
  }

  get found(): boolean {
    return this.#errors.size > 0;
  }

  toErrors(): FieldErrors {
    return Object.fromEntries(this.#errors);
  }
}

/** Values by field; undefined for an invalid field. (An absent field is null or empty.) */
export type Parts<Entries extends v.ObjectEntries> = {
  readonly [Key in keyof Entries]?: v.InferOutput<Entries[Key]> | undefined;
};

/**
 * The valid fields of an invalid body, so that one answer can also report the rules across fields
 * (docs/decisions.md#10). Valibot skips its own `check` when any field fails, and runs its
 * `partialCheck` even on a field that failed a range.
 */
export function validParts<const Entries extends v.ObjectEntries>(
  entries: Entries,
  body: unknown,
): Parts<Entries> {
  const parts: Record<string, unknown> = {};
  if (isRecord(body)) {
    for (const [key, schema] of Object.entries(entries)) {
      const result = v.safeParse(schema, body[key], PARSING);
      if (result.success) {
        parts[key] = result.output;
      }
    }
  }
  return parts as Parts<Entries>;
}
