import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/**
 * Goal: a cron can tell "nothing" (0), "something needs a person" (1) and "could not ask" (2) apart,
 * and `--quiet` prints only what needs a person. Method: the script, against a server that plays the
 * gateway's answers in turn.
 */

type Answer = readonly [status: number, content: unknown];

let server: Server;
let answers: Answer[];

beforeEach(async () => {
  server = createServer((_request, response) => {
    const [status, content] = answers.shift() ?? [500, null];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status, message: 'Answered', content }));
  });
  await once(server.listen(0, 'localhost'), 'listening');
});

afterEach(async () => {
  await once(server.close(), 'close');
});

const LETTER = { id: 'letter-1', queue: 'kefel-webhooks', payment: null };
const REASONS = [{ reason: 'dead_message', what: 'It failed.', todo: 'Retry it.' }];
const ITEM = { type: 'dead_letter', letter: LETTER, atMs: 0, reasons: REASONS };

function page(items: readonly unknown[], nextCursor: string | null = null): Answer {
  return [200, { items, nextCursor }];
}

function checked(...states: readonly string[]): Answer {
  const checks = states.map((state) => ({ name: 'payment', state, detail: 'So', remedy: null }));
  return [200, { checks, startedAt: 'now', finishedAt: 'now' }];
}

function verified(...problems: readonly string[]): Answer {
  return [200, { parts: 1, lines: 5, problems, next: null }];
}

function told(open: readonly string[], error: string | null = null): Answer {
  const channel = { name: 'webhook', isSetUp: true, problem: null, waiting: 0, sentAtMs: 0, error };
  const heartbeat = { isSetUp: false, problem: null };
  const subjects = open.map((subject) => ({ subject, count: 1, sinceAtMs: 0 }));
  return [200, { open: subjects, channels: [channel], heartbeat, lookedAtMs: 0, beatAtMs: null }];
}

function tested(isSent: boolean): Answer {
  const error = isSent ? null : 'Telegram answered 401';
  return [200, { channel: 'telegram', isSent, error }];
}

const NOTHING = /^$/;

test.each<[args: string, exitCode: number, given: readonly Answer[], output: RegExp]>([
  ['attention', 0, [page([])], /^Nothing needs attention\.$/m],
  ['attention --quiet', 0, [page([])], NOTHING],
  ['attention --all --quiet', 1, [page([ITEM]), page([])], /letter-1/],
  ['attention --all --quiet', 1, [page([ITEM], 'c'), page([])], /To do: Retry it\.\s+$/],
  ['attention --all', 2, [page([ITEM], 'c'), [503, null]], /letter-1/],
  ['attention', 2, [[401, null]], NOTHING],
  ['attention --url http://localhost:1', 2, [], NOTHING],
  ['attention --nope', 2, [], NOTHING],
  ['check', 0, [checked('ok')], /^ok /],
  ['check --quiet', 0, [checked('ok')], NOTHING],
  ['check --quiet', 1, [checked('ok', 'wrong')], /^wrong /m],
  ['check', 2, [[500, null]], NOTHING],
  ['backup verify --run R', 0, [verified()], /Problems +0/],
  ['backup verify --run R', 1, [verified('payments/x is missing')], /Problems +1/],
  ['alerts --quiet', 0, [told([])], NOTHING],
  ['alerts --quiet', 1, [told(['dead_letters'])], /^dead_letters +1/m],
  ['alerts --quiet', 1, [told([], 'timeout')], /webhook.*timeout/],
  ['alert test telegram', 0, [tested(true)], /^Sent a test message by telegram\.$/m],
  ['alert test telegram', 1, [tested(false)], /Telegram answered 401/],
  ['merchant list', 0, [page([])], /None/],
  ['merchant list --quiet', 2, [], NOTHING],
])('%s ends with %i', async (args, exitCode, given, output) => {
  answers = [...given];
  const { port } = server.address() as AddressInfo;
  const ran = await runScript(args.split(' '), `http://localhost:${port}`);
  expect(ran.output).toMatch(output);
  expect(ran.exitCode).toBe(exitCode);
  expect(ran.hasErrors).toBe(exitCode === 2 || (args.startsWith('backup') && exitCode === 1));
});

const STATEMENT = {
  type: 'statement',
  merchantId: 'abebe',
  merchantName: 'Abebe',
  currency: 'ETB',
  method: 'CBE',
  paid: 1,
  paidMinor: 4_000,
  borneCommissionMinor: 40,
  customersCommissionMinor: 0,
  refundedMinor: 0,
  returnedCommissionMinor: 0,
};
const MISSING = { type: 'missing', merchantId: 'sara', merchantName: 'Sara' };
const INCOMPLETE = { type: 'incomplete', missing: 1 };

test.each<[name: string, exitCode: number, rows: readonly unknown[], output: RegExp]>([
  ['whole', 0, [STATEMENT], /^1 row is in \S+\n$/],
  [
    'without a merchant',
    1,
    [STATEMENT, MISSING, INCOMPLETE],
    /^1 row is in \S+\nINCOMPLETE: .*: 1\n$/,
  ],
])('a file of statements that is %s ends with %i', async (name, exitCode, rows, output) => {
  answers = [[200, { rows, next: null }]];
  const directory = await mkdtemp(join(tmpdir(), 'kefel-statements-'));
  const to = join(directory, `${name}.csv`.replaceAll(' ', '-'));
  try {
    const { port } = server.address() as AddressInfo;
    const args = ['statement', 'export', '--period', '2026-11', '--environment', 'production'];
    const ran = await runScript([...args, '--to', to], `http://localhost:${port}`);
    expect(ran.output).toMatch(output);
    expect([ran.exitCode, ran.hasErrors]).toEqual([exitCode, false]);
    const lines = (await readFile(to, 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + rows.length);
    expect(lines.at(-1)?.includes('INCOMPLETE')).toBe(exitCode === 1);
  } finally {
    await rm(directory, { recursive: true });
  }
});

function runScript(args: readonly string[], url: string) {
  const secrets = { KEFEL_URL: url, KEFEL_OPERATOR_SECRET: 'kfl_op_x', KEFEL_ENV: undefined };
  const options = { cwd: PROJECT_DIRECTORY, env: { ...process.env, ...secrets } };
  // See script-help.long.test.ts for the option.
  const words = ['--no-maglev', 'scripts/operator.ts', ...args];
  return new Promise<{ exitCode: number; output: string; hasErrors: boolean }>((resolve) => {
    execFile('node', words, options, (error, output, errors) => {
      resolve({ exitCode: Number(error?.code ?? 0), output, hasErrors: errors !== '' });
    });
  });
}
