import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Given } from '../../scripts/operator/command.ts';
import { restoreGateway } from '../../scripts/operator/restore-gateway.ts';

/** Goal: the command that restores a gateway uploads no copy in vain, and prints what is new. */

const GATEWAY = { origin: 'http://localhost:8787', headers: {} };
const RUN = '20261127T013700Z';
const directory = mkdtempSync(join(tmpdir(), 'kefel-restore-'));
mkdirSync(join(directory, 'runs'));
writeFileSync(join(directory, 'runs', RUN), 'sealed');

afterEach(() => vi.restoreAllMocks());

async function restored(run: string, answers: readonly object[]) {
  const paths: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    paths.push(new URL(String(url)).pathname);
    return Response.json({ status: 200, message: 'ok', content: answers[paths.length - 1] });
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
    return { paths, shown, error: null };
  } catch (error) {
    return { paths, shown, error: String(error) };
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
  const { paths, shown, error } = await restored(RUN, [{}, step, step, last]);
  expect(error).toBeNull();
  expect(paths).toHaveLength(4);
  expect(shown).toEqual([{ phase: 'upload', parts: 1, of: 1 }, step, last]);
});
