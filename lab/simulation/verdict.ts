import type { Intent } from '../../src/domain/intent.ts';
import { intentByUniqueId } from '../../src/intent/client.ts';
import type { HistoryEntry } from '../../src/intent/protocol.ts';
import type { StoredEvent } from '../../src/intent/store.ts';
import { checkAmounts } from './check-amounts.ts';
import { checkAnswers } from './check-answers.ts';
import { checkEvents, checkHistory, checkReceipts } from './check-events.ts';
import { checkMoney, checkProvider } from './check-money.ts';
import { checkDailyLimit, checkRefunds } from './check-refunds.ts';
import { checkRows } from './check-rows.ts';
import type { World } from './history.ts';
import type { Plan, PlannedPayment } from './plan.ts';

/** A promise of docs/promises.md that a history broke. */
export interface Violation {
  /** Its number, and one or two words. */
  readonly promise: string;
  readonly what: string;
}

/** Records a violation unless the promise is kept. */
export type Expect = (isKept: boolean, promise: string, what: () => string) => void;

/** Compares what is shown with what it must be, member by member. */
export function same(
  expect: Expect,
  promise: string,
  where: string,
  shown: object | undefined,
  wanted: object,
): void {
  for (const [name, value] of Object.entries(wanted)) {
    const found: unknown = Object(shown)[name];
    expect(
      found === value,
      promise,
      () => `${name} of ${where} is ${String(found)}, and must be ${String(value)}`,
    );
  }
}

/** A payment at the end, as it is stored. */
export interface Ended {
  readonly payment: PlannedPayment;
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
  readonly events: readonly StoredEvent[];
}

/** Checks every promise from outside, after all faults are over and everything has settled. */
export function verdictOn(world: World, plan: Plan): readonly Violation[] {
  const violations: Violation[] = [];
  const expect: Expect = (isKept, promise, what) => {
    if (!isKept) {
      violations.push({ promise, what: what() });
    }
  };
  const ended = endedPayments(world, plan);
  checkAnswers(expect, world, ended);
  checkReceipts(expect, world, ended);
  checkProvider(expect, world, ended);
  checkDailyLimit(expect, world, plan, ended);
  checkRows(expect, world, plan, ended);
  for (const payment of ended) {
    checkHistory(expect, payment);
    checkMoney(expect, world, payment);
    checkAmounts(expect, world, plan, payment);
    checkRefunds(expect, world, payment);
    checkEvents(expect, world, payment);
  }
  return violations;
}

function endedPayments({ env, objects }: World, plan: Plan): readonly Ended[] {
  return plan.payments.flatMap((payment) => {
    const { objectId } = intentByUniqueId(env, payment.merchant, payment.uniqueId);
    const store = objects.hosts.get(objectId)?.store();
    const stored = store?.exists() ? store.load() : null;
    return store === undefined || stored === null || stored.intent === null
      ? []
      : [
          {
            payment,
            intent: stored.intent,
            history: JSON.parse(stored.history),
            events: store.events(stored),
          },
        ];
  });
}
