import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  createRecoveryKey,
  derivedKey,
  formatRecoveryKey,
  type RecoveryKey,
} from '../../../scripts/deployment/recovery-key.ts';
import { FoundError, Given, UsageError } from '../../../scripts/operator/command.ts';
import { verifyCopy } from '../../../scripts/operator/verify-copy.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { digestOf, sealPart } from '../../../src/recovery/backup/part.ts';

/** Goal: an operator verifies a fetched copy with the recovery file, and without a gateway. */

const RUN = '20261127T013700Z';
const MANIFEST = `runs/${RUN}`;
const MERCHANTS = `databases/payments/${RUN}/merchants-1`;
const MEMBERS = 'databases/back-office/20261127T013200Z/members-1';
const REFUNDS = `registers/production/abebe/${RUN}/refunds-1`;
const GENERATION = '01930000-0000-7000-8000-000000000000';
const BOOK = { environment: 'production', merchantId: 'abebe', volume: 0 };
const partOf = (sequence: number) =>
  `payments/production/abebe/0/${GENERATION}/0000000${sequence}-1-2`;
const RECORDS = [{ id: 1, content: '{}' }];

const LINES: Readonly<Record<string, readonly unknown[]>> = {
  [MERCHANTS]: [{ id: 'abebe' }, { id: 'selam' }],
  [MEMBERS]: [{ id: 'mem_1' }],
  [REFUNDS]: [{ refund_unique_id: 'refund-1' }],
  ...Object.fromEntries(
    [1, 2, 3].map((number) => [partOf(number), [{ id: 1, uniqueId: 'order-1', records: RECORDS }]]),
  ),
};

const recoveryKey = createRecoveryKey();
let folder = '';
let recovery = '';

beforeEach(async () => {
  const place = await mkdtemp(join(tmpdir(), 'kefel-copy-'));
  onTestFinished(() => rm(place, { recursive: true }));
  folder = join(place, 'copy');
  recovery = join(place, 'recovery.txt');
  await writeFile(recovery, formatRecoveryKey(recoveryKey));
  for (const [name, lines] of Object.entries(LINES)) {
    await seal(name, lines);
  }
  await seal(MANIFEST, [await manifest()]);
  // What a copy of an older run has left, and what an operator has put there.
  await seal('databases/payments/20261126T013700Z/merchants-1', []);
  await writeFile(join(folder, 'README.txt'), 'The weekly copy.');
});

async function seal(name: string, lines: readonly unknown[], key: RecoveryKey = recoveryKey) {
  const ring = keyRing('BACKUP_KEYS', `k1:${derivedKey(key, 'BACKUP_KEYS', 'k1')}`);
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await sealPart(ring, name, lines));
}

async function manifest() {
  const part = async (name: string) => {
    const lines = LINES[name] ?? [];
    return [{ name, rows: lines.length, sha256: await digestOf(lines) }];
  };
  const table = async (name: string) => ({
    ...{ run: name.split('/')[2], migrations: [], finishedAtMs: 0 },
    tables: [{ table: 'rows', rows: 2, parts: await part(name) }],
  });
  return {
    ...{ run: RUN, startedAtMs: Date.parse('2026-11-27T01:37:00Z'), secrets: {} },
    databases: { payments: await table(MERCHANTS), 'back-office': await table(MEMBERS) },
    books: [{ ...BOOK, generation: GENERATION, firstSequence: 1, lastSequence: 3, payments: 1 }],
    registers: [{ environment: 'production', merchantId: 'abebe', parts: await part(REFUNDS) }],
  };
}

const file = (name: string) => join(folder, name);

async function verified(
  options: Readonly<Record<string, string>> = {},
): Promise<readonly object[]> {
  const all = { from: folder, recovery, ...options };
  const values = Object.entries(all).map(([name, value]) => [name, [value]] as const);
  const found: object[] = [];
  for await (const one of verifyCopy(new Given(new Map(), new Map(values)), undefined)) {
    found.push(one);
  }
  return found;
}

test('a whole copy is counted, by default its newest run', async () => {
  const total = { run: RUN, parts: 6, lines: 7, problems: 0 };
  expect(await verified()).toEqual([total]);
  expect(await verified({ run: RUN })).toEqual([total]);
});

const OTHER = `databases/payments/${RUN}/merchants-2`;

test.each<[string, () => Promise<unknown>, string]>([
  ['a missing table', () => rm(file(MERCHANTS)), `${MERCHANTS} is missing`],
  ['a missing register', () => rm(file(REFUNDS)), `${REFUNDS} is missing`],
  ['members of other lines', () => seal(MEMBERS, []), `${MEMBERS} has 0 lines`],
  [
    'a table with one changed row',
    () => seal(MERCHANTS, [{ id: 'abebe' }, { id: 'other' }]),
    `${MERCHANTS} has another digest`,
  ],
  [
    'one changed bit',
    async () => {
      const bytes = await readFile(file(partOf(2)));
      await writeFile(file(partOf(2)), bytes.fill((bytes[60] ?? 0) ^ 1, 60, 61));
    },
    `${partOf(2)} was damaged`,
  ],
  ['an empty file', () => writeFile(file(partOf(1)), ''), `${partOf(1)} is not a part`],
  [
    'a part of another gateway',
    () => seal(MERCHANTS, LINES[MERCHANTS] ?? [], createRecoveryKey()),
    `${MERCHANTS} was damaged or renamed`,
  ],
  [
    'a renamed part',
    () => rename(file(partOf(1)), file(partOf(2))),
    `${partOf(2)} was damaged or renamed`,
  ],
  ['a gap among payments', () => rm(file(partOf(2))), 'parts are missing between'],
  ['a missing end', () => rm(file(partOf(3))), '/00000003-… is missing'],
  ['a missing beginning', () => rm(file(partOf(1))), `parts before ${partOf(2)} are missing`],
  ['a table that the run lacks', () => seal(OTHER, []), `the manifest does not name ${OTHER}`],
  [
    'another merchant’s book',
    () => seal(partOf(1).replace('abebe', 'other'), []),
    'the manifest does not name the book payments/production/other/0/',
  ],
  [
    'a file among the payments that is no part',
    () => writeFile(file('payments/notes.txt'), 'x'),
    'payments/notes.txt is not the name of a part',
  ],
  ['a damaged manifest', () => writeFile(file(MANIFEST), 'x'), `${MANIFEST} is not a part`],
])('names %s', async (_case, damage, problem) => {
  await damage();
  await expect(verified()).rejects.toThrow(FoundError);
  await expect(verified()).rejects.toThrow(problem);
});

test('parts that the book has deleted since are not missing, if a later run says so', async () => {
  await rm(file(partOf(1)));
  const later = await manifest();
  const books = later.books.map((book) => ({ ...book, firstSequence: 2 }));
  await seal('runs/20261128T013700Z', [{ ...later, books }]);
  expect(await verified({ run: RUN })).toMatchObject([{ problems: 0 }]);
});

test('says that the recovery file may be another one', async () => {
  await writeFile(recovery, formatRecoveryKey(createRecoveryKey()));
  await expect(verified()).rejects.toThrow('recovery file is another gateway');
});

test.each([
  ['no folder', { from: '/nowhere' }],
  ['another run', { run: '20261101T013700Z' }],
])('refuses %s', async (_case, options) => {
  await expect(verified(options)).rejects.toThrow(UsageError);
});

test('the command needs no gateway, and its exit code tells what it found', async () => {
  const words = ['backup', 'verify', '--from', folder, '--recovery', recovery];
  const start = () =>
    promisify(execFile)('node', ['--no-maglev', 'scripts/operator.ts', ...words], {
      cwd: PROJECT_DIRECTORY,
      env: { PATH: process.env.PATH, KEFEL_URL: 'https://nowhere.invalid' },
    });
  expect((await start()).stdout).toContain(RUN);
  await rm(file(MERCHANTS));
  const stderr = `${MERCHANTS} is missing\n`;
  await expect(start()).rejects.toMatchObject({ code: 1, stderr });
});
