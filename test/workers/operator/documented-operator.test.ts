import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { ACTIONS } from '../../../back-office/operator/actions/all.ts';
import { COMMANDS } from '../../../scripts/operator/commands.ts';
import type { View } from '../../../scripts/operator/text.ts';
import { ALPHA, type Body, useGateway } from '../support.ts';
import { operationOf, prepare, send, useOperations } from './operations.ts';
import { content } from './support.ts';

/**
 * Goal: each `npm run operator` command of the documents does what its page says. Method: the
 * requests that the command line sends for them, to a gateway on which they are due. The documents'
 * ids become those of the test, and their production the sandbox, which has the same rules.
 */

useOperations();
const caught = useGateway();

/** Commands that are about something and no action: the action in whose state it exists. */
const OTHERS: Readonly<Record<string, string>> = {
  'payment show': '/payments/:environment/:merchantId/:uniqueId/review',
  'dead-letter show': '/dead-letters/discard',
  'backup now': '/backups',
  'backup fetch': '/backups',
  'backup list': '/backups',
  'backup verify': '/backups',
};

const REQUESTS = env.TEST_DOCUMENTED_REQUESTS;

type Request = (typeof REQUESTS)[number];

/** The path of the action that the command stands for, or in whose state it finds something. */
function actionOf({ command }: Request): string | undefined {
  const action = ACTIONS.find(({ commands }) => commands.some(({ name }) => name === command));
  return action?.path ?? OTHERS[command];
}

/** Names of the documents' readers. Methods, currencies and channels stay as documented. */
const NAMES = [
  ...['merchantId', 'environment', 'uniqueId', 'attemptId', 'refundId', 'memberId'],
  'invitationId',
];

/** The documented path with the names that exist here. */
function filled(path: string, action: string, values: Readonly<Record<string, string>>): string {
  const parts = action.split('/').map((part) => part.replace(/^:/, ''));
  const word = (text: string, index: number) => {
    const name = parts[index] ?? '';
    return (NAMES.includes(name) ? values[name] : undefined) ?? values[text] ?? text;
  };
  return path.split('/').map(word).join('/');
}

/** The backup that the command is about, which the action behind it makes. */
async function backupsOf(request: Request): Promise<Readonly<Record<string, string>>> {
  if (actionOf(request) !== '/backups' || request.command === 'backup now') {
    return {};
  }
  const { run } = await content<{ run: string }>(send('/backups', {}));
  return { RUN: run, '20261127T013700Z': run };
}

/** Sends the request where it is due. Answers what the command line would miss, or `done`. */
async function answerTo(request: Request): Promise<string> {
  const { command, path, body, refusal } = request;
  if (refusal !== null) {
    return refusal;
  }
  const action = actionOf(request);
  const due = action === undefined ? null : await prepare(action, caught);
  const ids = { abebe: ALPHA.id, ID: 'l1', ...(await backupsOf(request)), ...due?.values };
  const sent: Body | undefined = body === null ? undefined : JSON.parse(body);
  const items = sent?.ids === undefined ? {} : { ids: due?.body.ids };
  const answer = await send(filled(path, action ?? '', ids), sent && { ...sent, ...items });
  const { status, text, envelope } = answer;
  const { shown, pages } = COMMANDS.find(({ name }) => name === command) ?? {};
  if (status !== 200 || shown === undefined) {
    return text;
  }
  const { content: shownContent } = envelope as { content: { items: unknown } };
  const printed = pages === 'nextCursor' ? shownContent.items : shownContent;
  const absent = typeof shown === 'function' ? [] : absentFrom(printed, shown);
  return absent.length === 0 ? 'done' : `the answer has no ${absent}`;
}

/** The names that the command line would print and the answer does not have. */
function absentFrom(content: unknown, [names, parts = {}]: View): string[] {
  return [content].flat().flatMap((item) => [
    ...`${names} ${Object.keys(parts).join(' ')}`
      .split(' ')
      // Only the answer to a decision of two operators has it.
      .filter((name) => !['', '*', 'agreed'].includes(name) && !(name in Object(item))),
    ...Object.entries(parts).flatMap(([name, part]) =>
      (Object(item)[name] ?? null) === null ? [] : absentFrom(Object(item)[name], part),
    ),
  ]);
}

test('the documents have commands of the operator', () => {
  expect(REQUESTS.length).toBeGreaterThan(20);
});

/** Many requests, and what only Cloudflare's runtime can do. */
const ELSEWHERE = [
  ...['rebuild namespace', 'restore book', 'restore payment'],
  ...['restore gateway', 'restore close'],
  // Asks no gateway: test/unit/documents/documented-commands.test.ts runs it.
  'rail check',
  // They send a file, or name a line of one: provider-files.test.ts does what they do.
  ...['provider-profile store', 'provider-file preview', 'provider-file upload'],
  'provider-file decide',
];

/** What only lists, shows or changes something that every gateway has. */
function needsNoState(request: Request): boolean {
  const action = actionOf(request);
  if (action === undefined) {
    return true;
  }
  const { scene, values } = operationOf(action);
  return scene === undefined && values === undefined;
}

const HERE = REQUESTS.filter(({ command }) => !ELSEWHERE.includes(command));

test('commands that need no state are done, one after the other', async () => {
  const outcomes: string[] = [];
  for (const request of HERE.filter(needsNoState)) {
    outcomes.push(`${request.place} ${request.command}: ${await answerTo(request)}`);
  }
  expect(outcomes.filter((outcome) => !outcome.endsWith(': done'))).toEqual([]);
});

test.each(HERE.filter((request) => !needsNoState(request)))(
  '$place $command is done where it is due',
  async (request) => {
    expect(await answerTo(request)).toBe('done');
  },
);
