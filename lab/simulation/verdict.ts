import { Store } from '../../src/engine/intent/store.ts';
import { objectNameOf } from '../../src/kit/crypto/object-name.ts';
import { checkAmounts } from './check-amounts.ts';
import { checkAnswers } from './check-answers.ts';
import { checkAttention } from './check-attention.ts';
import { checkEvents, checkHistory, checkReceipts } from './check-events.ts';
import { checkLinks } from './check-links.ts';
import { checkMoney, checkProvider } from './check-money.ts';
import { checkDailyLimit, checkRefunds } from './check-refunds.ts';
import { checkRegisters } from './check-registers.ts';
import { checkRestore } from './check-restore.ts';
import { checkRows } from './check-rows.ts';
import { checkSearch } from './check-search.ts';
import type { Ended } from './ended.ts';
import type { PlannedPayment } from './plan.ts';
import type { World } from './world.ts';

/** Checks every promise from outside, after all faults are over and everything has settled. */
export async function checkPromises(world: World): Promise<void> {
  const each = world.plan.payments.map((payment) => endedOf(world, payment));
  const ended = (await Promise.all(each)).flat();
  const checks = [checkAnswers, checkReceipts, checkProvider, checkDailyLimit, checkRows];
  for (const check of [...checks, checkAttention, checkRegisters, checkRestore, checkLinks]) {
    check(world, ended);
  }
  for (const payment of ended) {
    for (const check of [checkHistory, checkMoney, checkAmounts, checkRefunds, checkEvents]) {
      check(world, payment);
    }
  }
  await checkSearch(world, ended);
}

async function endedOf({ objects }: World, payment: PlannedPayment): Promise<readonly Ended[]> {
  const name = await objectNameOf({ ...payment.merchant, uniqueId: payment.uniqueId });
  const host = objects.hosts.get(objects.namespace.idFromName(name).toString());
  const store = host === undefined ? null : new Store(host.storage());
  const stored = store?.exists() ? store.load() : null;
  if (store === null || stored === null || stored.intent === null) {
    return [];
  }
  const history = JSON.parse(stored.history);
  return [{ payment, intent: stored.intent, history, events: store.events(stored) }];
}
