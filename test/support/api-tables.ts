import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const API_DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'api.md');

/** The field names in the first column of the table under an anchor of docs/api.md, in order. */
export function documentedFields(anchor: string): string[] {
  const [, section = ''] = readFileSync(API_DOCUMENT, 'utf8').split(`<a id="${anchor}"></a>\n`);
  const [table = ''] = section.split(/^#/m);
  const rows = [...table.matchAll(/^\| (`[^|]*`) +\|/gm)].map(([, cell]) => cell ?? '');
  return rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, field]) => field ?? ''));
}
