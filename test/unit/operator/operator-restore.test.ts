import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Given } from '../../../scripts/operator/command.ts';
import { restoreGateway } from '../../../scripts/operator/restore-gateway.ts';
import { type RestoreShown, restoreLines } from '../../../scripts/operator/restore-lines.ts';

/** Goal: the command that restores a gateway uploads no copy that it does not need, and prints what is new. */

const GATEWAY = { origin: 'http://localhost:8787', headers: {} };
const RUN = '20261127T013700Z';
const directory = mkdtempSync(join(tmpdir(), 'kefel-restore-'));
mkdirSync(join(directory, 'runs'));
writeFileSync(join(directory, 'runs', RUN), 'sealed');
mkdirSync(join(directory, 'registers'));
writeFileSync(join(directory, 'registers', 'refunds-1'), 'sealed');

afterEach(() => vi.restoreAllMocks());

async function restored(run: string, answers: readonly object[]) {
  const paths: string[] = [];
  const bodies: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    paths.push(new URL(String(url)).pathname);
    bodies.push(JSON.parse(String(init?.body)));
    const answer = answers[paths.length - 1];
    return answer instanceof Response
      ? answer
      : Response.json({ status: 200, message: 'ok', content: answer });
  });
  const options = new Map([
    ['run', [run]],
    ['from', [directory]],
  ]);
  const shown: unknown[] = [];
  try {
    for await (const step of restoreGateway(GATEWAY, new Given(new Map(), options))) {
      shown.push(step);
    }
    return { paths, bodies, shown, error: null };
  } catch (error) {
    return { paths, bodies, shown, error: String(error) };
  }
}

test('refuses a run that the folder does not have, before it uploads anything', async () => {
  const { paths, error } = await restored('20260101T013700Z', []);
  expect(error).toContain(`has no backup 20260101T013700Z, but ${RUN}`);
  expect(paths).toEqual([]);
});

test('prints a step that found nothing new only once', async () => {
  const step = { phase: 'tables', rows: 1, payments: 0, proof: null };
  const last = { ...step, phase: 'done', proof: { differences: [] } };
  const { paths, shown, error } = await restored(RUN, [{}, {}, step, step, last]);
  expect(error).toBeNull();
  expect(paths).toHaveLength(5);
  const upload = { phase: 'upload', of: 2, unread: [] };
  expect(shown).toEqual([{ ...upload, parts: 1 }, { ...upload, parts: 2 }, step, last]);
});

const unreadable = () =>
  Response.json(
    { status: 409, code: 'backup_unreadable', message: 'A part cannot be opened' },
    { status: 409 },
  );
const PROOF = {
  ...{ lines: [], differences: ['part 2 is missing'], missing: '3f9a01bc', closedAtMs: null },
  ...{ linesOfPayments: 1, restored: 1, kept: 0 },
};

test('passes over a part of the copy that does not open, and tells the gateway of it', async () => {
  const open = { phase: 'proof', rows: 1, payments: 0, proof: PROOF };
  const step = { ...open, proof: null };
  const { bodies, shown, error } = await restored(RUN, [unreadable(), {}, step, open]);
  const name = 'registers/refunds-1';
  expect(bodies.slice(2)).toEqual([
    { run: RUN, again: true, unread: [name] },
    { run: RUN, again: false, unread: [] },
  ]);
  expect(restoreLines(shown[1] as RestoreShown)).toEqual([
    '1 of 2 parts are in the bucket',
    `${name} cannot be opened, and was passed over`,
  ]);
  expect(error).toContain('part 2 is missing');
  expect(error).toContain(`restore close --run ${RUN} --without 3f9a01bc`);
});

test.each([
  [[unreadable(), unreadable()], 'not made with the same recovery file'],
  [[{}, unreadable()], 'take it from another copy'],
])('restores nothing without the manifest: %j', async (answers, text) => {
  const { paths, error } = await restored(RUN, answers);
  expect(error).toContain(text);
  expect(paths).toHaveLength(2);
});

test('says of a closed restore without what it was closed, and offers nothing more', async () => {
  const proof = { ...PROOF, closedAtMs: Date.UTC(2026, 10, 28) };
  const { shown, error } = await restored(RUN, [
    {},
    {},
    { phase: 'finished', rows: 1, payments: 0, proof },
  ]);
  const [, , last] = shown as readonly RestoreShown[];
  expect(last && restoreLines(last).at(-1)).toContain('closed on 2026-11-28');
  expect(error).toContain('closed on 2026-11-28T00:00:00.000Z, and takes nothing more');
  expect(error).toContain('part 2 is missing');
  expect(error).not.toContain('restore close');
});
