import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { GatewayError, send } from './client.ts';
import type { Gateway } from './command.ts';
import { FoundError, type Given } from './command.ts';

/** Commands about backups, which take many requests. */

/** A request that died keeps the next ones waiting for half a minute. */
const AGAIN_MS = 2_000;

export interface Begun {
  readonly run: string | null;
  readonly isFinished: boolean;
  readonly booksLeft: number;
  /** Whether the back office has exported its database since the command began. */
  readonly hasMembers: boolean;
}

/** Yields what is new, until the backup is finished. */
export async function* backUpNow(gateway: Gateway): AsyncGenerator<Begun> {
  let body = {};
  let before = '';
  for (;;) {
    const begun = (await send(gateway, { path: '/backups', body })) as Begun;
    const text = JSON.stringify(begun);
    if (text !== before) {
      yield begun;
    }
    before = text;
    if (begun.isFinished) {
      return;
    }
    body = { continues: true, hasMembers: begun.hasMembers };
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

interface Verified {
  readonly parts: number;
  readonly lines: number;
  readonly problems: readonly string[];
  readonly next: string | null;
}

/** Verifies a backup, by default the newest. Throws FoundError with what is wrong. */
export async function* verifyBackup(gateway: Gateway, given: Given): AsyncGenerator<object> {
  const run = given.option('run') ?? (await newestRun(gateway));
  const total = { run, parts: 0, lines: 0, problems: 0 };
  const problems: string[] = [];
  for await (const page of pages<Verified>(gateway, `/backups/${run}/verify`)) {
    total.parts += page.parts;
    total.lines += page.lines;
    problems.push(...page.problems);
  }
  yield { ...total, problems: problems.length };
  if (problems.length > 0) {
    throw new FoundError(problems.join('\n'));
  }
}

interface Parts {
  readonly parts: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly etag: string;
  }[];
  readonly next: string | null;
  /** With it, fetching a part is no audit entry of its own. */
  readonly reading: string;
}

/** Copies the sealed parts of a run into a folder. What is there already is not copied again. */
export async function* fetchBackup(gateway: Gateway, given: Given): AsyncGenerator<object> {
  const folder = resolve(given.option('to') ?? '.');
  const run = given.at('RUN');
  const total = { run, parts: 0, copied: 0, bytes: 0 };
  for await (const { parts, reading } of pages<Parts>(gateway, `/backups/${run}/parts`)) {
    for (const { name, bytes, etag } of parts) {
      const file = fileOf(folder, name);
      total.parts += 1;
      total.bytes += bytes;
      if ((await md5Of(file)) !== etag) {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, await partOf(gateway, name, reading));
        total.copied += 1;
      }
    }
  }
  yield total;
}

/** Names come from the gateway, so none may lead out of the folder. */
function fileOf(folder: string, name: string): string {
  const file = join(folder, name);
  if (!file.startsWith(folder + sep)) {
    throw new GatewayError(`not the name of a part: ${name}`);
  }
  return file;
}

async function partOf(gateway: Gateway, name: string, reading: string): Promise<Buffer> {
  const path = `/backup-part?${new URLSearchParams({ name, reading })}`;
  const { base64 } = (await send(gateway, { path })) as { readonly base64: string };
  return Buffer.from(base64, 'base64');
}

async function md5Of(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch(() => null);
  return bytes && createHash('md5').update(bytes).digest('hex');
}

async function newestRun(gateway: Gateway): Promise<string> {
  const [newest] = (await send(gateway, { path: '/backups' })) as readonly { run: string }[];
  if (newest === undefined) {
    throw new GatewayError(
      'there is no backup yet: make one with `npm run operator -- backup now`',
    );
  }
  return newest.run;
}

async function* pages<Page extends { readonly next: string | null }>(
  gateway: Gateway,
  path: string,
): AsyncGenerator<Page> {
  for (let after: string | null = ''; after !== null; ) {
    const query: string = after === '' ? '' : `?${new URLSearchParams({ after })}`;
    const page = (await send(gateway, { path: `${path}${query}` })) as Page;
    yield page;
    after = page.next;
  }
}
