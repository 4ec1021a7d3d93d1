import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { partsIn } from '../../scripts/operator/copy-folder.ts';
import { keyRing } from '../../src/engine/config.ts';
import { openPart, sealPart } from '../../src/recovery/backup/part.ts';

/** What else happens to a copy of a backup, and to the books. */

const OTHER_KEY = `other:${btoa('k'.repeat(32))}`;
const MISSING = /^payments\/production\//;
const DAMAGED = /^databases\/back-office\/.*\/members-/;

/** The copy as that of a gateway with another recovery file. */
export async function sealUnderOtherKey(copy: string, folder: string): Promise<void> {
  const [own, other] = [(await localSecrets()).BACKUP_KEYS, OTHER_KEY].map((ring) =>
    keyRing('BACKUP_KEYS', ring),
  ) as [ReturnType<typeof keyRing>, ReturnType<typeof keyRing>];
  for (const name of await partsIn(copy)) {
    const lines = await openPart(own, name, new Uint8Array(await readFile(join(copy, name))));
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), await sealPart(other, name, lines));
  }
}

/** Takes a part with payments out of the copy, and alters that of the members. Returns what undoes it. */
export async function spoil(copy: string): Promise<() => Promise<unknown>> {
  const names = await partsIn(copy);
  const [missing = '', damaged = ''] = [MISSING, DAMAGED].map((pattern) =>
    join(copy, names.find((name) => pattern.test(name)) ?? 'no such part'),
  );
  const [payments, members] = await Promise.all([missing, damaged].map((file) => readFile(file)));
  await rm(missing);
  await writeFile(damaged, members?.map((byte, index) => byte ^ Number(index === 99)) ?? '');
  return () => Promise.all([writeFile(missing, payments ?? ''), writeFile(damaged, members ?? '')]);
}

/** Deletes the storage of every book; the gateway must not run. */
export async function loseBooks(stateDirectory: string): Promise<void> {
  const objects = join(stateDirectory, 'v3', 'do');
  const files = await readdir(objects, { recursive: true });
  const books = files.filter((file) => /MerchantBook\/[^/]+\.sqlite/.test(file));
  if (books.length === 0) {
    throw new Error('no book has stored anything');
  }
  await Promise.all(books.map((file) => rm(join(objects, file))));
}
