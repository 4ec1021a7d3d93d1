import { open } from 'node:fs/promises';
import type { Fields } from '../../back-office/operator/actions/action.ts';
import type { ExportedRows, ExportFile } from '../../back-office/operator/exports.ts';
import { send } from './client.ts';
import type { ApiRequest, Gateway } from './command.ts';
import { type Given, UsageError } from './command.ts';

/** Only the operator may read the file. */
const FILE_MODE = 0o600;

/** A new file that only the operator can read. Replaces none. */
export function openNew(path: string) {
  return open(path, 'wx', FILE_MODE).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'EEXIST'
        ? `${path} is there already, and is not replaced: name another file with --to`
        : `--to: ${error.message}`,
    );
  });
}

export interface WrittenFile {
  readonly file: string;
  /** Without those that name what is missing. */
  readonly rows: number;
  /** How many merchants the file has no rows of, because their books did not answer. */
  readonly missing: number;
}

/** Writes an export, from page to page, as one CSV file. */
export async function* writeExport(
  gateway: Gateway,
  given: Given,
  { linesOf }: ExportFile,
  { path, body }: ApiRequest,
): AsyncGenerator<WrittenFile> {
  const name = given.option('to') ?? '';
  const fields = (body ?? {}) as Fields;
  const { head, lineOf } = linesOf(fields);
  // Opened first, because an export has its entry in the audit log even if it cannot be stored.
  const file = await openNew(name);
  try {
    await file.write(head);
    let [rows, missing] = [0, 0];
    for (let after: string | null | undefined; after !== null; ) {
      const asked = after === undefined ? fields : { ...fields, after };
      const page = (await send(gateway, { path, body: asked })) as ExportedRows;
      await file.write(page.rows.map(lineOf).join(''));
      const found = page.rows.filter((row: { type?: string }) => row.type !== 'incomplete');
      const absent = found.filter((row: { type?: string }) => row.type === 'missing');
      rows += found.length - absent.length;
      missing += absent.length;
      after = page.next;
      if (after !== null) {
        console.error(`${rows} rows so far`);
      }
    }
    yield { file: name, rows, missing };
  } finally {
    await file.close();
  }
}
