import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { forgetOutages } from '../../src/engine/attempts/method-outages.ts';
import { configOf } from '../../src/engine/config.ts';
import { forgetDeliverySlots } from '../../src/engine/webhooks/consume.ts';
import { forgetCaches } from './bounded-cache.ts';
import { OUTSIDE, START_MS } from './clock.ts';
import { newSqlite } from './database.ts';
import { enter, replaceGlobals } from './globals.ts';
import type { Violation } from './journal.ts';
import { insertMerchants } from './merchants.ts';
import type { Plan } from './plan.ts';
import { checkPromises } from './verdict.ts';
import { type Setup, World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** After the last fault: longer than provider queries, the schedule of webhooks and pauses. */
const SETTLING_MS = 75 * DAY_MS;
/** When people look at a payment again: this replaces alarms that the runtime has lost. */
const LOOKS_AFTER_MS = [2 * MINUTE_MS, 2 * 60 * MINUTE_MS, 10 * DAY_MS];

/** Until a gateway is restored: longer than every wait of a plan. */
const DISASTER_HOURS_MAX = 48;

const LOST_ALARMS = ['alarm_lost', 'alarm_not_set'] as const;

/** `root`: of the repository, or of a copy of it. Call once: it replaces what the runtime gives. */
export function setUp(root: string): Setup {
  const { vars, queues } = parse(readFileSync(join(root, 'wrangler.toml'), 'utf8')) as unknown as {
    readonly vars: Setup['variables'];
    readonly queues: { readonly consumers: Setup['queues'] };
  };
  const setup = { sqlite: newSqlite(root), variables: vars, queues: queues.consumers };
  replaceGlobals();
  return setup;
}

export interface HistoryResult {
  /** Of the trace. */
  readonly hash: number;
  readonly events: number;
  readonly faults: ReadonlyMap<string, number>;
  /** What the history reached, for the report on coverage. */
  readonly reached: readonly string[];
  readonly violations: readonly Violation[];
  readonly lines: readonly string[] | null;
}

/** Runs one history. The same plan gives the same result, hash included. */
export async function runHistory(
  plan: Plan,
  setup: Setup,
  isTraced: boolean,
): Promise<HistoryResult> {
  const world = new World(plan, setup, isTraced);
  const { clock, journal, provider, actors } = world;
  enter(world);
  // Shared by all histories of this process: the configuration never changes.
  configOf(world.env);
  forgetCaches();
  forgetOutages();
  forgetDeliverySlots();
  insertMerchants(setup.sqlite, plan.refundDailyMaxMinor);
  try {
    actors.begin();
    await clock.runUntil(START_MS + plan.faultsEndAfterMs);
    clock.note('the faults are over');
    clock.faults.isOver = true;
    for (
      let hours = 0;
      hours < DISASTER_HOURS_MAX && world.disaster?.isOver === false;
      hours += 1
    ) {
      await clock.runUntil(clock.nowMs + 60 * MINUTE_MS);
    }
    // By then all orders are closed and all refunds executed.
    clock.schedule(OUTSIDE, 2 * 60 * MINUTE_MS, () => provider.reconcile());
    // Where the runtime has lost no alarm, everything must go on by itself.
    const hasLostAlarm = LOST_ALARMS.some((fault) => clock.faults.counts.has(fault));
    for (const afterMs of hasLostAlarm ? LOOKS_AFTER_MS : []) {
      clock.schedule(OUTSIDE, afterMs, () => actors.lookAtAll());
    }
    clock.schedule(OUTSIDE, 3 * DAY_MS, () => actors.resolveAll());
    await clock.runUntil(clock.nowMs + SETTLING_MS);
    for (const line of [...clock.internalErrors]) {
      journal.expect('no internal errors', false, line);
    }
    if (clock.isEndless) {
      journal.expect('5 expiry', false, `no end after ${clock.events} events`);
    } else {
      await checkPromises(world);
    }
    return {
      hash: clock.hash >>> 0,
      events: clock.events,
      faults: clock.faults.counts,
      reached: [...journal.reached],
      violations: journal.violations,
      lines: clock.lines,
    };
  } finally {
    world.objects.release();
    world.registers.release();
    world.books.release();
    world.receipts.release();
    setup.sqlite.reset();
  }
}
