import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CheckReport } from '../../../back-office/operator/check.ts';
import { runCheck } from '../../../scripts/operator/check.ts';

/**
 * Goal: `npm run operator -- check` ends with the check. Method: the answers of a gateway, one after
 * the other.
 */

const GATEWAY = { origin: 'https://pay.example.com', headers: {} };

function report(state: CheckReport['checks'][number]['state']): CheckReport {
  const isOver = state !== 'waiting';
  return {
    checks: [{ name: 'payment', state, detail: '', remedy: null }],
    startedAt: '2026-11-27T01:20:35.000Z',
    finishedAt: isOver ? '2026-11-27T01:20:37.000Z' : null,
  };
}

const WAITING = [200, report('waiting')] as const;

/** Answers each request in turn. Returns the methods of the requests. */
function gateway(answers: readonly (readonly [status: number, content: unknown])[]): string[] {
  const methods: string[] = [];
  vi.stubGlobal('fetch', async (_url: string, { method }: RequestInit) => {
    const [status, content] = answers[methods.length] ?? [500, null];
    methods.push(method ?? 'GET');
    return Response.json({ status, message: 'Too many requests', content }, { status });
  });
  return methods;
}

async function run(): Promise<CheckReport[]> {
  const reports: CheckReport[] = [];
  for await (const one of runCheck(GATEWAY)) {
    reports.push(one);
  }
  return reports;
}

beforeEach(() => {
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void) => run()) as never);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('starts a check, and asks until it has ended', async () => {
  const methods = gateway([WAITING, WAITING, [200, report('ok')]]);
  expect(await run()).toEqual([report('ok')]);
  expect(methods).toEqual(['POST', 'GET', 'GET']);
});

test('joins a check that began less than a minute ago', async () => {
  const methods = gateway([[429, null], WAITING, [200, report('ok')]]);
  expect(await run()).toEqual([report('ok')]);
  expect(methods).toEqual(['POST', 'GET', 'GET']);
});

test('fails when the gateway refuses it for another reason', async () => {
  gateway([[401, null]]);
  await expect(run()).rejects.toThrow('401');
});
