import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const REFERENCE = join(import.meta.dirname, '..', '..', 'docs', 'reference.md');

/**
 * The fields, in order, of the table under a heading of docs/reference.md: those of the object
 * itself, or with a path such as `items[].` those below it.
 */
export function documentedFields(heading: string, path = ''): string[] {
  const [, section = ''] = readFileSync(REFERENCE, 'utf8').split(`${heading}\n`);
  const [text = ''] = section.split(/^#/m);
  const [, table = ''] = text.split('| Field |');
  return [...table.matchAll(/^\| `([^`]+)`/gm)]
    .map(([, field]) => field ?? '')
    .filter((field) => field.startsWith(path))
    .map((field) => field.slice(path.length))
    .filter((field) => /^\w+$/.test(field));
}
