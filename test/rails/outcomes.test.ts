import { expect, test } from 'vitest';
import { receiptAmong } from '../../src/engine/rails/outcomes.ts';
import { simulator } from '../../src/engine/rails/simulator/rail.ts';
import { orderFor } from '../support/rails/order.ts';

/** The ids of an answer: the provider's receipt and the id that each of its answers has. */
test.each([
  ['has the receipt', null, true, ['T', 'P'], 'T'],
  ['lacks it', null, true, [null, 'P'], 'P'],
  ['has it at last', 'P', true, ['T', 'P'], 'P'],
  ['lacks the one that an earlier answer proved', 'T', true, [null, 'P'], 'T'],
  ['lacks the one that an operator recorded', 'T', false, [null, 'P'], 'P'],
  ['has another one: a second payment', 'T', true, ['U', 'P'], 'U'],
  ['has none', null, true, [null, null], null],
] as const)('the receipt of an answer that %s', (_name, receipt, isProved, ids, expected) => {
  const order = orderFor(simulator, 'TELE_BIRR', { attempt: { receipt, isProved } });
  expect(receiptAmong(ids, order)).toBe(expected);
});
