/** Puts a value for `{name}` into a text of the page. */
export function fill(template: string | undefined, name: string, value: string | number): string {
  // Not `replace`, which would give a `$` in a price a meaning.
  return (template ?? '').split(`{${name}}`).join(String(value));
}
