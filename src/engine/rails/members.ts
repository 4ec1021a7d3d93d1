import { minorFromMajor } from '../../kit/money.ts';
import { repeatedNames } from '../../kit/platform/repeated-names.ts';
import { isIntact } from '../../kit/text.ts';

/** Readers of what providers send. Null for a value that is missing or of another form. */

export type Members = Readonly<Record<string, unknown>>;

const TEXT_CHARACTERS_MAX = 200;

/** The members of a JSON object. */
export function membersOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : null;
}

/**
 * The JSON object in `text`. Null if an object in it has one name twice: the parser keeps the last of
 * two values, and the provider may mean the first.
 */
export function jsonObject(text: string): Members | null {
  try {
    const members = membersOf(JSON.parse(text));
    return repeatedNames(text).next().done === true ? members : null;
  } catch {
    return null;
  }
}

/** The fields of a form. Null if one has a name twice, for the same reason. */
export function formFields(text: string): Readonly<Record<string, string>> | null {
  const entries = [...new URLSearchParams(text)];
  const fields = new Map(entries);
  return fields.size === entries.length ? Object.fromEntries(fields) : null;
}

/** A string short enough to be an id or a state. */
export function textOf(value: unknown, charactersMax = TEXT_CHARACTERS_MAX): string | null {
  const isOne = typeof value === 'string' && value !== '' && value.length <= charactersMax;
  return isOne && isIntact(value) ? value : null;
}

/** A string of this form, such as an id that we store and show. */
export function matching(value: unknown, form: RegExp): string | null {
  return typeof value === 'string' && form.test(value) ? value : null;
}

/** A plain value as text: a provider may write the same code as a string or as a number. */
export function scalarOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return null;
  }
}

/** Codes and states as one text, for the log and the operator. */
export function codesOf(...values: readonly unknown[]): string | null {
  const codes = values.map(scalarOf).filter((code) => code !== null);
  return codes.length === 0 ? null : [...new Set(codes)].join(' ');
}

/** An integer, as a JSON number or a string of digits. */
export function integerOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? value : null;
  }
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Minor units of an amount in major units, as a JSON number or a decimal string. */
export function minorOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return minorFromMajor(value);
  }
  return typeof value === 'string' && /^\d{1,12}(?:\.\d{1,2}0{0,4})?$/.test(value)
    ? minorFromMajor(Number(value))
    : null;
}

/** A missing member; providers also write null. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Versions of a provider differ in the members that they echo. One that is there must match. */
export function isAbsentOr(value: unknown, expected: string): boolean {
  return isAbsent(value) || scalarOf(value) === expected;
}
