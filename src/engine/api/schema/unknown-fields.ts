import { isRecord, pathText } from '../../../kit/http/fields.ts';
import type { IntentKind } from '../../domain/terms.ts';

/** The most fields that one answer names: answers are stored, and a body holds thousands. */
const WARNINGS_MAX = 20;

/** Longer names are shortened in a warning. */
const NAME_CHARACTERS_SHOWN = 60;

/** Longer names are compared with no known field, which bounds the work on a hostile body. */
const NAME_CHARACTERS_COMPARED = 40;

/** Up to this length, a known name must be within one edit; longer ones within two. */
const SHORT_NAME_CHARACTERS = 5;

/** The parts of a Valibot schema that lead to the fields of objects. */
interface SchemaNode {
  readonly type: string;
  readonly pipe?: readonly SchemaNode[];
  readonly wrapped?: SchemaNode;
  readonly item?: SchemaNode;
  readonly entries?: Readonly<Record<string, SchemaNode>>;
}

/**
 * Warnings about the fields of a body that the schema does not know, at every depth, with the known
 * field that was probably meant. Empty for a body without such fields. Takes linear time.
 */
export function unknownFieldWarnings(
  schema: SchemaNode,
  body: unknown,
  others: OtherFields | null = null,
): readonly string[] {
  const found: UnknownFields = { warnings: [], count: 0, path: [], others };
  findUnknown(schema, body, found);
  const { warnings, count } = found;
  return count > WARNINGS_MAX
    ? [...warnings, `${count - WARNINGS_MAX} more unknown fields were ignored.`]
    : warnings;
}

/** Fields that a request does not have, and another kind of request has. */
export interface OtherFields {
  readonly kind: IntentKind;
  readonly paths: readonly string[];
}

interface UnknownFields {
  readonly others: OtherFields | null;
  /** At most WARNINGS_MAX. */
  readonly warnings: string[];
  count: number;
  /** Where the search is now: names of fields and indexes of entries. */
  readonly path: (string | number)[];
}

function findUnknown(schema: SchemaNode, value: unknown, found: UnknownFields): void {
  if (schema.pipe !== undefined) {
    for (const part of schema.pipe) {
      findUnknown(part, value, found);
    }
  } else if (schema.wrapped !== undefined) {
    findUnknown(schema.wrapped, value, found);
  } else if (schema.item !== undefined && Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      found.path.push(index);
      findUnknown(schema.item, value[index], found);
      found.path.pop();
    }
  } else if (schema.entries !== undefined && isRecord(value)) {
    findUnknownIn(schema.entries, value, found);
  }
}

function findUnknownIn(
  entries: Readonly<Record<string, SchemaNode>>,
  value: Readonly<Record<string, unknown>>,
  found: UnknownFields,
): void {
  for (const name of Object.keys(value)) {
    const schema = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (schema !== undefined) {
      found.path.push(name);
      findUnknown(schema, value[name], found);
      found.path.pop();
      continue;
    }
    found.count += 1;
    if (found.count <= WARNINGS_MAX) {
      const path = found.path.length === 0 ? '' : `${pathText(found.path)}.`;
      found.warnings.push(warningOf(path, name, Object.keys(entries), found.others));
    }
  }
}

function warningOf(
  path: string,
  name: string,
  known: readonly string[],
  others: OtherFields | null,
): string {
  const isLong = name.length > NAME_CHARACTERS_SHOWN;
  const shown = pathText([isLong ? `${name.slice(0, NAME_CHARACTERS_SHOWN)}…` : name]);
  const meant = name.length > NAME_CHARACTERS_COMPARED ? undefined : nearest(name, known);
  const question = meant === undefined ? '' : ` Did you mean ${path}${meant}?`;
  const what = others?.paths.includes(`${path}${name}`)
    ? `for ${others.kind} payments only`
    : 'not a known field';
  return `${path}${shown} is ${what} and was ignored.${question}`;
}

/** The known name that differs only in case and separators, or else in one or two letters. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const given = lettersOf(name);
  return (
    known.find((candidate) => lettersOf(candidate) === given) ??
    known.find((candidate) =>
      isWithinEdits(given, lettersOf(candidate), candidate.length <= SHORT_NAME_CHARACTERS ? 1 : 2),
    )
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Whether so many insertions, deletions and replacements turn one text into the other. */
function isWithinEdits(one: string, other: string, edits: number): boolean {
  if (one === other) {
    return true;
  }
  if (edits === 0) {
    return false;
  }
  let start = 0;
  while (one[start] === other[start]) {
    start += 1;
  }
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  return (
    isWithinEdits(rest.slice(1), otherRest, edits - 1) ||
    isWithinEdits(rest, otherRest.slice(1), edits - 1) ||
    isWithinEdits(rest.slice(1), otherRest.slice(1), edits - 1)
  );
}
