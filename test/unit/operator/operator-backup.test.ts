import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { backUpNow, fetchBackup, verifyBackup } from '../../../scripts/operator/backup.ts';
import type { Gateway } from '../../../scripts/operator/command.ts';
import { Given } from '../../../scripts/operator/command.ts';

/** Goal: the commands about backups take all pages, and write nothing outside their folder. */

const GATEWAY: Gateway = { origin: 'https://pay.example.com', headers: {} };
const RUN = '20261127T013700Z';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kefel-backup-'));
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

/** Answers each path of the operator's API in turn, and returns the paths that were asked. */
function gatewayWith(answers: Readonly<Record<string, unknown>>): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    const path = decodeURIComponent(url.split('/operator/v1')[1] ?? '');
    asked.push(path);
    return Response.json({ message: '', content: answers[path] });
  });
  return asked;
}

function given(options: Readonly<Record<string, string>> = {}): Given {
  const values = Object.entries(options).map(([name, value]) => [name, [value]] as const);
  return new Given(new Map([['RUN', [RUN]]]), new Map(values));
}

async function lastOf<Item>(items: AsyncGenerator<Item>): Promise<Item | undefined> {
  let last: Item | undefined;
  for await (const item of items) {
    last = item;
  }
  return last;
}

function part(name: string, text: string) {
  const etag = createHash('md5').update(text).digest('hex');
  return { name, bytes: text.length, etag };
}

const base64 = (text: string) => ({ base64: Buffer.from(text).toString('base64') });

test('fetches every page of parts once, and later only what has changed', async () => {
  const runs = `runs/${RUN}`;
  const payments = 'payments/production/abebe/0/g/00000001-1-2';
  const answers = {
    [`/backups/${RUN}/parts`]: { parts: [part(runs, 'manifest')], next: '1:', reading: 'r' },
    [`/backups/${RUN}/parts?after=1:`]: {
      parts: [part(payments, 'sealed')],
      next: null,
      reading: 'r',
    },
    [`/backup-part?name=${runs}&reading=r`]: base64('manifest'),
    [`/backup-part?name=${payments}&reading=r`]: base64('sealed'),
  };
  gatewayWith(answers);
  const fetched = { run: RUN, parts: 2, bytes: 14 };
  const fetchIt = () => lastOf(fetchBackup(GATEWAY, given({ to: folder })));
  expect(await fetchIt()).toEqual({ ...fetched, copied: 2 });
  expect(await readFile(join(folder, payments), 'utf8')).toBe('sealed');
  expect(await fetchIt()).toEqual({ ...fetched, copied: 0 });
  // An interrupted copy, and an erasure that rewrote the part.
  await writeFile(join(folder, payments), 'sea');
  expect(await fetchIt()).toEqual({ ...fetched, copied: 1 });
});

test('refuses a part whose name leads out of the folder', async () => {
  gatewayWith({
    [`/backups/${RUN}/parts`]: { parts: [part('../outside', 'x')], next: null, reading: 'r' },
    '/backup-part?name=../outside&reading=r': base64('x'),
  });
  const fetching = lastOf(fetchBackup(GATEWAY, given({ to: join(folder, 'inside') })));
  await expect(fetching).rejects.toThrow('not the name of a part');
  expect(existsSync(join(folder, 'outside'))).toBe(false);
});

test('verifies all pages of the newest backup, and fails with what is wrong', async () => {
  const page = { parts: 1, lines: 5, problems: [] };
  const answers = {
    '/backups': [{ run: RUN }],
    [`/backups/${RUN}/verify`]: { ...page, next: 'books:0' },
    [`/backups/${RUN}/verify?after=books:0`]: { ...page, next: null },
  };
  gatewayWith(answers);
  const total = { run: RUN, parts: 2, lines: 10, problems: 0 };
  expect(await lastOf(verifyBackup(GATEWAY, given()))).toEqual(total);
  const last = { ...page, problems: ['payments/x is missing'], next: null };
  gatewayWith({ ...answers, [`/backups/${RUN}/verify?after=books:0`]: last });
  await expect(lastOf(verifyBackup(GATEWAY, given()))).rejects.toThrow('payments/x is missing');
});

test('asks again until a backup is finished', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const bodies: string[] = [];
  vi.stubGlobal('fetch', async (_url: string, { body }: { readonly body: string }) => {
    bodies.push(body);
    const isFinished = bodies.length === 3;
    const content = { run: RUN, isFinished, booksLeft: 0, hasMembers: bodies.length > 1 };
    return Response.json({ message: '', content });
  });
  const finished = lastOf(backUpNow(GATEWAY));
  while (bodies.length < 3) {
    await vi.advanceTimersToNextTimerAsync();
  }
  expect(await finished).toMatchObject({ run: RUN, isFinished: true });
  expect(bodies).toEqual([
    '{}',
    '{"continues":true,"hasMembers":false}',
    '{"continues":true,"hasMembers":true}',
  ]);
});
