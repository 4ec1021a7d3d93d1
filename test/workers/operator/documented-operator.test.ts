import { createExecutionContext, createMessageBatch } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../scripts/operator/commands.ts';
import type { View } from '../../../scripts/operator/text.ts';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import worker from '../../support/gateway.ts';
import { signedIn } from '../dashboard/support.ts';
import {
  attemptNow,
  CARDS,
  configureRails,
  PRODUCTION,
  payExpress,
  railServer,
  run,
} from '../rails/support.ts';
import { recordMigrations } from '../support/backup.ts';
import {
  ALPHA,
  advance,
  consumeAll,
  createHosted,
  execute,
  intentOf,
  MINUTE_MS,
  merchantServer,
  payHosted,
  startRedirect,
  useGateway,
} from '../support.ts';
import { content, operateApi, PERSONAL_SECRETS, refundByHand } from './support.ts';

/**
 * Goal: each `npm run operator` command of the documents does what its page says. Method: the
 * requests that the command line sends for them, to a gateway on which they are due. The documents'
 * ids become those of the test, and their production the sandbox, which has the same rules; except
 * for a repeat of a refund, which the simulator does not offer.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: { ...CARDS, refundRepeats: true } });

const caught = useGateway();

/** Brings the gateway into the state that a command is for; returns the ids of the documents there. */
type Preparation = () => Promise<Readonly<Record<string, string>>>;

const paid: Preparation = async () => {
  merchantServer();
  await payHosted();
  await consumeAll(caught);
  return { 'order-2001': 'order-1', PAYMENT: 'order-1' };
};

const held: Preparation = async () => {
  const ids = await paid();
  await operateApi(`/payments/sandbox/${ALPHA.id}/order-1/hold`, { reason: 'Court order' });
  return ids;
};

const unresolved: Preparation = async () => {
  await createHosted();
  const { attempts } = await execute(startRedirect('a1'));
  advance(30 * MINUTE_MS);
  expect((await intentOf()).attempts[0]?.status).toBe('unresolved');
  return { 'order-2001': 'order-1', '6B02FB044VDH21991KSC': attempts[0]?.reference ?? '' };
};

const refundOfAPerson: Preparation = async () => {
  await refundByHand();
  return { 'refund-1': 'r1' };
};

/** A refund whose provider call the process did not survive. */
const unresolvedRefund: Preparation = async () => {
  railServer(async () => Response.json({ errorCode: 0 }));
  await payExpress({ method: 'ETS_SWITCH', returnUrl: 'https://shop.example.com/done' });
  const { id: attemptId } = await attemptNow();
  const accepted = { redirectUrl: 'https://cards.rail.test/pay', railReference: 'md-order' };
  await run({ type: 'accept_attempt', attemptId, ...accepted });
  const outcome = { type: 'succeeded', receipt: 'RRN-1' } as const;
  await run({ type: 'resolve_attempt', attemptId, outcome });
  await requestRefund(env, PRODUCTION, {
    paymentUniqueId: 'order-1',
    refundUniqueId: 'r1',
    transactionId: null,
    amountMinor: 4_000,
    reason: null,
    requester: { type: 'operator', operator: 'Hana', isProved: true },
    idempotency: null,
  });
  const deadlineAtMs = Date.now() + MINUTE_MS;
  await run({ type: 'claim_refund', refundId: 'r1', claimId: 'c1', deadlineAtMs });
  await run({
    type: 'resolve_refund',
    refundId: 'r1',
    outcome: { type: 'unknown', checkAtMs: null },
  });
  advance(2 * MINUTE_MS);
  return { sandbox: 'production', 'refund-1': 'r1' };
};

/** The one rail of this gateway. */
const providerAnswers: Preparation = async () => {
  railServer(async () => Response.json({ errorCode: '6' }));
  return { M_PESA: 'ETS_SWITCH' };
};

const deadLetter: Preparation = async () => {
  const body = { objectName: 'a'.repeat(64), sequence: 2 };
  const letter = { id: 'letter', timestamp: new Date(), attempts: 1, body };
  const batch = createMessageBatch('kefel-webhooks-dead', [letter]);
  await worker.queue(batch, env, createExecutionContext());
  return { ID: 'letter' };
};

const backedUp: Preparation = async () => {
  await recordMigrations();
  const { run } = await content<{ run: string }>(operateApi('/backups', {}));
  return { RUN: run, '20261127T013700Z': run };
};

const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  'backup fetch': backedUp,
  'backup list': backedUp,
  'backup now': async () => {
    await recordMigrations();
    return {};
  },
  'backup verify': backedUp,
  'payment show': paid,
  'payment review': paid,
  'payment hold': paid,
  'payment release': held,
  'payment resolve': unresolved,
  'refund request': paid,
  'refund resolve': refundOfAPerson,
  'refund send-again': unresolvedRefund,
  'rail probe': providerAnswers,
  'dead-letter show': deadLetter,
  'dead-letter retry': deadLetter,
  'dead-letter discard': deadLetter,
  'member recover': async () => ({ MEMBER: (await signedIn('viewer')).memberId }),
};

const MERCHANT_NAMES = /\b(?:abebe|MERCHANT|YOUR_ID)\b/;

const REQUESTS = env.TEST_DOCUMENTED_REQUESTS;

type Request = (typeof REQUESTS)[number];

/** What the gateway answers with ids of the test in place of the documents', which is printed. */
async function answerTo(
  { command, path, body, refusal }: Request,
  ids: Readonly<Record<string, string>>,
) {
  if (refusal !== null) {
    return refusal;
  }
  const filled = path
    .replace('/payments/production/', '/payments/sandbox/')
    .replace(MERCHANT_NAMES, ALPHA.id)
    .split('/')
    .map((word) => ids[word] ?? word)
    .join('/');
  const sent: unknown =
    body === null
      ? undefined
      : JSON.parse(body, (_name, value: unknown) =>
          typeof value === 'string' ? (ids[value] ?? value) : value,
        );
  const authorization = `Bearer ${PERSONAL_SECRETS.Hana}`;
  const { status, text, envelope } = await operateApi(filled, sent, { authorization });
  const { shown, pages } = COMMANDS.find(({ name }) => name === command) ?? {};
  if (status !== 200 || shown === undefined) {
    return text;
  }
  const { content } = envelope as { content: { items: unknown } };
  const printed = pages === 'nextCursor' ? content.items : content;
  const absent = typeof shown === 'function' ? [] : absentFrom(printed, shown);
  return absent.length === 0 ? 'done' : `the answer has no ${absent}`;
}

/** The names that the command line would print and the answer does not have. */
function absentFrom(content: unknown, [names, parts = {}]: View): string[] {
  return [content]
    .flat()
    .flatMap((item) => [
      ...`${names} ${Object.keys(parts).join(' ')}`
        .split(' ')
        .filter((name) => !['', '*'].includes(name) && !(name in Object(item))),
      ...Object.entries(parts).flatMap(([name, part]) =>
        Object(item)[name] === null ? [] : absentFrom(Object(item)[name], part),
      ),
    ]);
}

test('the documents have commands of the operator', () => {
  expect(REQUESTS.length).toBeGreaterThan(20);
});

/** Many requests, and what only Cloudflare's runtime can do. */
const ELSEWHERE = ['rebuild namespace', 'restore book', 'restore payment', 'restore gateway'];

test('commands that need no state are done, one after the other', async () => {
  const outcomes: string[] = [];
  const isHere = ({ command }: Request) => !PREPARATIONS[command] && !ELSEWHERE.includes(command);
  for (const request of REQUESTS.filter(isHere)) {
    outcomes.push(`${request.place} ${request.command}: ${await answerTo(request, {})}`);
  }
  expect(outcomes.filter((outcome) => !outcome.endsWith(': done'))).toEqual([]);
});

test.each(REQUESTS.filter(({ command }) => PREPARATIONS[command]))(
  '$place $command is done where it is due',
  async (request) => {
    const ids = await PREPARATIONS[request.command]?.();
    expect(await answerTo(request, ids ?? {})).toBe('done');
  },
);
