import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Preview, ProviderFile } from '../../src/control/rpc/operator.ts';
import { send } from './client.ts';
import { FoundError, type Gateway, type Given, UsageError } from './command.ts';

/** Sends the operator's files to the gateway. */

/** As much as one request of a preview takes. */
const PREVIEW_BYTES = 32 * 1024;
const ASK_AGAIN_MS = 1_000;

function pathOf(noun: string, given: Given, rest = ''): string {
  const parts = [given.at('ENVIRONMENT'), given.at('METHOD')].map(encodeURIComponent);
  return `/${noun}/${parts.join('/')}${rest}`;
}

export async function* storeProfile(gateway: Gateway, given: Given): AsyncGenerator<unknown> {
  const name = given.option('from') ?? '';
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(await readFile(name, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? new UsageError(`${name} is not JSON`) : error;
  }
  yield await send(gateway, { path: pathOf('provider-profiles', given), body });
}

export async function* previewFile(gateway: Gateway, given: Given): AsyncGenerator<Preview> {
  const file = await open(given.option('file') ?? '');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PREVIEW_BYTES), 0, PREVIEW_BYTES, 0);
    const base64 = buffer.subarray(0, bytesRead).toString('base64');
    const body = { profile: given.option('profile'), base64 };
    const preview = await send(gateway, {
      path: pathOf('provider-files', given, '/preview'),
      body,
    });
    yield preview as Preview;
  } finally {
    await file.close();
  }
}

/** Yields the file whenever it has come further. Throws FoundError when the gateway refuses it. */
export async function* uploadFile(gateway: Gateway, given: Given): AsyncGenerator<ProviderFile> {
  const name = given.option('file') ?? '';
  const bytes = await readFile(name);
  const path = pathOf('provider-files', given);
  const body = { name: basename(name), profile: given.option('profile') };
  const begun = (await send(gateway, { path, body })) as { fileId: string; pieceBytes: number };
  for (let number = 0; number * begun.pieceBytes < bytes.length; number += 1) {
    const piece = bytes.subarray(number * begun.pieceBytes, (number + 1) * begun.pieceBytes);
    const base64 = piece.toString('base64');
    await send(gateway, { path: `${path}/${begun.fileId}/pieces`, body: { number, base64 } });
  }
  await send(gateway, { path: `${path}/${begun.fileId}/finish`, body: {} });
  for (let before = ''; ; ) {
    const file = (await send(gateway, { path: `${path}/${begun.fileId}` })) as ProviderFile;
    const text = JSON.stringify(file);
    if (file.problem !== null) {
      throw new FoundError(`${name} is refused, and nothing was changed. ${file.problem.text}`);
    }
    if (text !== before) {
      yield file;
    }
    if (file.status === 'done') {
      return;
    }
    before = text;
    await wait(ASK_AGAIN_MS);
  }
}
