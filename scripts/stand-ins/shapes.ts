/** What a rail requires of a value: a text that is this one or matches, or an object. */
export type Form = string | RegExp | Shape;

/** The members of an object; `name?` may be missing, and no others are allowed. */
export interface Shape {
  readonly [name: string]: Form;
}

/** The name of the first member that is missing, wrong or unknown; null when there is none. */
export function faultOf(value: unknown, form: Form, path = 'body'): string | null {
  if (typeof form === 'string') {
    return value === form ? null : path;
  }
  if (form instanceof RegExp) {
    return typeof value === 'string' && form.test(value) ? null : path;
  }
  if (typeof value !== 'object' || value === null) {
    return path;
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const [entry, inner] of Object.entries(form)) {
    const name = entry.replace('?', '');
    const isLeftOut = entry !== name && !members.has(name);
    const fault = isLeftOut ? null : faultOf(members.get(name), inner, name);
    if (fault !== null) {
      return fault;
    }
    members.delete(name);
  }
  return members.keys().next().value ?? null;
}

/** The value in a JSON text; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function minorOf(amountText: string): number {
  return Math.round(Number(amountText) * 100);
}
