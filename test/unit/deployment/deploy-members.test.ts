import { describe, expect, test } from 'vitest';
import { missingMembers } from '../../../lab/compatibility/compare.ts';
import type { Assignment } from '../../../lab/compatibility/host/choose.ts';
import type { Crossing } from '../../../lab/compatibility/host/record.ts';
import { allOf } from '../../../lab/compatibility/run.ts';

/**
 * Goal: the test of mixed versions allows exactly the three releases of docs/changing.md, "Change an
 * RPC or a queue message". Method: what one version's sender says to its own receiver, it says to the
 * other version's, too.
 */

const MESSAGE = 'PaymentIntent.create request';

function sent(...members: readonly string[]): readonly Crossing[] {
  return [{ from: 'worker', to: 'intent', message: MESSAGE, members }];
}

/** What is missing in both directions of a mix. */
function faults(old: readonly string[], current: readonly string[]): readonly string[] {
  const own = { old: sent(...old), new: sent(...current) };
  const withOldSender: Assignment = { ...allOf('new'), worker: 'old' };
  const withNewSender: Assignment = { ...allOf('old'), worker: 'new' };
  return [
    ...missingMembers(own.old, withOldSender, own),
    ...missingMembers(own.new, withNewSender, own),
  ];
}

const OLD = ['.: object', '.amount: number'];
const BOTH = [...OLD, '.amountMinor: number'];
const NEW = ['.: object', '.amountMinor: number'];

describe('a member of a message', () => {
  test('may be added, when the sender goes on with all others', () => {
    expect(faults(OLD, BOTH)).toEqual([]);
    expect(faults(OLD, [...OLD, '.terms: object', '.terms.amountMinor: number'])).toEqual([]);
  });

  test('may be used, when both versions send it', () => {
    expect(faults(BOTH, BOTH)).toEqual([]);
  });

  test('may not be removed, when the other version still gets it from its own sender', () => {
    expect(faults(BOTH, NEW)).toEqual([
      `${MESSAGE}, worker (new) to intent (old): no .amount that is a number`,
    ]);
  });

  test('may not be renamed in one release, in either direction', () => {
    expect(faults(OLD, NEW)).toEqual([
      `${MESSAGE}, worker (old) to intent (new): no .amountMinor that is a number`,
      `${MESSAGE}, worker (new) to intent (old): no .amount that is a number`,
    ]);
  });

  test('may not get another type', () => {
    expect(faults(OLD, ['.: object', '.amount: string'])).toHaveLength(2);
  });

  test('is missing, when the version that has it does not send it to the other one', () => {
    const own = { old: sent(...BOTH), new: sent(...BOTH) };
    const mixed = missingMembers(sent(...OLD), { ...allOf('new'), worker: 'old' }, own);
    expect(mixed).toHaveLength(1);
  });
});
