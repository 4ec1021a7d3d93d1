/** Inserts a value for `{name}` into a text of the page. */
export function fill(template: string | undefined, name: string, value: string | number): string {
  // Not `replace`, which would interpret a `$` in a price.
  return (template ?? '').split(`{${name}}`).join(String(value));
}
