import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import {
  advance,
  answerOf,
  booksAreFed,
  call,
  clientOf,
  consumeAll,
  createHosted,
  execute,
  intentOf,
  MINUTE_MS,
  merchantServer,
  objectSql,
  startRedirect,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: a manual resolution reaches the merchant and the book once, as a provider's answer
 * would, and the history names the operator. `test/unit/domain/manual-resolution.test.ts` has the rules.
 */

const caught = useGateway();

const PAID: Command = {
  type: 'resolve_manually',
  attemptId: 'a0',
  resolutionId: 'hand-succeeded',
  outcome: { type: 'succeeded', receipt: 'HAND-1' },
  operator: 'Hana',
  isVerified: true,
  secondOperatorAboveMinor: null,
  checkAtMs: null,
  note: 'Seen in the statement; the customer called from 0911234567.',
};
const NOTE = 'Seen in the statement; the customer called from ….';

/** In flight after its window, at a provider without a status query. */
async function unresolved(): Promise<void> {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(30 * MINUTE_MS);
  expect((await intentOf()).attempts[0]?.status).toBe('unresolved');
  await consumeAll(caught);
}

test('resolved as paid: one event, one row of the book, one entry of history', async () => {
  const arrivals = merchantServer();
  await unresolved();
  const before = await clientOf().history();
  await execute(PAID);

  expect(await booksAreFed(caught)).toMatchObject([
    { row: { status: 'succeeded', unresolvedAttempts: 0 } },
  ]);
  expect(caught.webhooks).toHaveLength(1);
  await consumeAll(caught);
  expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual(['PAYMENT_SUCCESS']);

  const rows = await clientOf().history();
  expect(rows).toHaveLength(before.length + 1);
  expect(rows.at(-1)).toMatchObject({
    command: 'resolve_manually',
    fromStatus: 'processing',
    toStatus: 'succeeded',
    detail: {
      actor: 'operator',
      attemptIndex: 0,
      outcome: 'succeeded',
      receipt: 'HAND-1',
      operator: 'Hana',
      operatorProved: true,
      note: NOTE,
    },
  });
});

test('the provider’s code and the operator’s note stay internal', async () => {
  await unresolved();
  await execute({
    type: 'resolve_attempt',
    attemptId: 'a0',
    outcome: { type: 'unknown', checkAtMs: null, providerCode: 'WAIT_PAY' },
  });
  const queried = await intentOf();
  expect(queried.attempts[0]?.providerCode).toBe('WAIT_PAY');
  await execute(PAID);
  const { text } = await answerOf(call(statusPath('order-1')));
  const [event] = await objectSql<{ body: string }>(
    "SELECT content ->> '$.firstEvent.body' AS body FROM record",
  );
  for (const word of ['WAIT_PAY', 'Hana', 'statement', 'hand-succeeded']) {
    expect(text).not.toContain(word);
    expect(event?.body).not.toContain(word);
  }
});
