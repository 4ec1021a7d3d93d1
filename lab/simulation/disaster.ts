import { endMaintenance } from '../../src/control/modes/modes.ts';
import { reviewPayment } from '../../src/control/payments/review.ts';
import { configOf } from '../../src/engine/config.ts';
import type { Intent } from '../../src/engine/domain/intent.ts';
import { PAYMENT_ID } from '../../src/engine/intent/schema.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { bookOf } from '../../src/lists/book/client.ts';
import { continueBackup } from '../../src/recovery/backup/daily.ts';
import type { PaymentLine, RefundLine } from '../../src/recovery/backup/manifest.ts';
import { parsePaymentsPart } from '../../src/recovery/backup/names.ts';
import { openPart } from '../../src/recovery/backup/part.ts';
import { proveRestore, restoreStep } from '../../src/recovery/restore/gateway.ts';
import type { Actors } from './actors.ts';
import type { Bucket } from './bucket.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database.ts';
import type { Journal } from './journal.ts';
import { keyOf, MERCHANTS } from './merchants.ts';
import type { Objects } from './objects.ts';
import type { Plan, PlannedDisaster, PlannedPayment } from './plan.ts';
import { type Provider, returnedMinor } from './provider.ts';
import type { Queues } from './queues.ts';

const ACTOR = {
  kind: 'operator',
  id: 'hana',
  name: 'hana',
  isProved: true,
  address: null,
} as const;
const MINUTE_MS = 60_000;
const RETRY_MS = 30_000;
/** The waits of a patient operator grow to ten minutes. */
const RETRY_FACTOR_MAX = 20;
const TRIES_MAX = 3_000;

/** What can be lost, and who brings it back. */
interface Surroundings {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly env: Env;
  readonly journal: Journal;
  readonly objects: Objects;
  readonly registers: Objects;
  readonly books: Objects;
  readonly receipts: Objects;
  readonly queues: Queues;
  readonly database: Database;
  readonly bucket: Bucket;
  readonly provider: Provider;
  readonly actors: Actors;
  /** Nothing has failed. */
  readonly isCalm: boolean;
}

/** A backup, the loss of everything but the bucket, and the restore, at moments of the plan. */
export class Disaster {
  readonly #world: Surroundings;
  readonly #plan: PlannedDisaster;
  /** The newest state of each payment in the bucket, since the loss. */
  payments: ReadonlyMap<string, Intent> = new Map();
  /** Ids of refunds in the registers' parts, since the loss. */
  #refundIds: ReadonlySet<string> = new Set();
  lostAtMs: number | null = null;
  isInMaintenance = false;
  /** No key of a merchant is known, because the gateway is empty. */
  isEmpty = false;
  isOver = false;

  constructor(world: Surroundings, plan: PlannedDisaster) {
    this.#world = world;
    this.#plan = plan;
  }

  /** The whole story, as one process outside of Kefel. */
  async happen(): Promise<void> {
    const { clock, journal } = this.#world;
    const { answeredBeforeMs, lossAfterMs, restoreAfterMs, reviewAfterMs } = this.#plan;
    const { isRestoredTwice, repeatsCreates } = this.#plan;
    const answered = journal.counts();
    await clock.sleep(answeredBeforeMs ?? 0);
    const run = await this.#until('backup', () => this.#backUp());
    const isChecked = answeredBeforeMs !== null && this.#world.isCalm;
    await clock.sleep(lossAfterMs);
    await this.#lose();
    journal.lose(this.payments, isChecked ? answered : null);
    await clock.sleep(restoreAfterMs);
    const restoring = () => this.#until('restore', () => this.#restore(run));
    await Promise.all(isRestoredTwice ? [restoring(), restoring()] : [restoring()]);
    await clock.sleep(MINUTE_MS);
    await this.#until('end of maintenance', () =>
      this.#operate(async (gateway) => endMaintenance(gateway, ACTOR, {}, {})),
    );
    this.isInMaintenance = false;
    this.isOver = true;
    if (repeatsCreates) {
      this.#world.actors.createAgain();
    }
    await clock.sleep(reviewAfterMs);
    for (const payment of this.#world.plan.payments) {
      await this.#review(payment);
    }
  }

  /** Whether a careful merchant waits with a refund: it cannot know which ones were made. */
  mustNotRefund({ merchant, uniqueId }: PlannedPayment, refundId: string): boolean {
    const { journal } = this.#world;
    const lost = journal.lostRefunds.get(keyOf(merchant, uniqueId)) ?? new Set();
    const isKnown = this.#refundIds.has(keyOf(merchant, refundId));
    return this.lostAtMs !== null && lost.size > 0 && !(lost.has(refundId) && isKnown);
  }

  /** Tries again until it is done. */
  async #until<T>(what: string, work: () => Promise<T | null>): Promise<T> {
    const { clock, journal } = this.#world;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      try {
        const result = await work();
        if (result !== null) {
          return result;
        }
      } catch (error) {
        clock.note(`${what} again after ${String(error)}`);
        await clock.sleep(RETRY_MS * Math.min(tries + 1, RETRY_FACTOR_MAX));
      }
    }
    journal.expect('12 backup', false, `the ${what} does not end`);
    throw new Error(`the ${what} does not end`);
  }

  #operate<T>(work: (gateway: Parameters<typeof restoreStep>[0]) => Promise<T>): Promise<T> {
    const { env, actors } = this.#world;
    return actors.request('operator', () =>
      work({ env, config: configOf(env), nowMs: Date.now() }),
    );
  }

  /** One call of the operator. The run, or null: call again. */
  async #backUp(): Promise<string | null> {
    const { env, clock } = this.#world;
    const outcome = await this.#operate(async ({ nowMs }) => {
      const done = await Promise.all(MERCHANTS.map((tenant) => bookOf(env, tenant, 0).backUp()));
      return done.includes(false) ? null : continueBackup(env, nowMs, { isExtra: true });
    });
    if (outcome?.state === 'finished') {
      return outcome.run;
    }
    await clock.sleep(RETRY_MS);
    return null;
  }

  /** Everything is gone but the bucket, the provider's records and the merchants'. */
  async #lose(): Promise<void> {
    const { clock, objects, registers, books, receipts, queues, database, bucket } = this.#world;
    clock.note('everything is lost');
    this.lostAtMs = clock.nowMs;
    this.isEmpty = true;
    clock.killWorkers();
    for (const namespace of [objects, registers, books, receipts]) {
      namespace.lose();
    }
    queues.lose();
    database.sql.reset();
    const payments = new Map<string, Intent>();
    const refundIds = new Set<string>();
    for (const [name, { bytes }] of [...bucket.objects].sort()) {
      const part = parsePaymentsPart(name);
      const lines = await openPart([], name, bytes as Uint8Array<ArrayBuffer>);
      for (const { uniqueId, records } of part === null ? [] : (lines as PaymentLine[])) {
        const row = records.find(({ id }) => id === PAYMENT_ID);
        payments.set(keyOf(part as Tenant, uniqueId), JSON.parse(row?.content ?? '').intent);
      }
      const [kind, environment, merchantId = ''] = name.split('/');
      for (const { refund_unique_id: id } of kind === 'registers' ? (lines as RefundLine[]) : []) {
        refundIds.add(keyOf({ environment, merchantId } as Tenant, id));
      }
    }
    this.payments = payments;
    this.#refundIds = refundIds;
  }

  /** One step. True once the proof was given. */
  async #restore(run: string): Promise<true | null> {
    const { phase } = await this.#operate((gateway) =>
      restoreStep(gateway, ACTOR, {}, { run, memberRows: 0 }),
    );
    this.isInMaintenance = true;
    this.isEmpty = false;
    if (phase !== 'proof' && phase !== 'finished') {
      return null;
    }
    const prove = (fields = {}) =>
      this.#operate((gateway) =>
        proveRestore(gateway, ACTOR, {}, { run, memberRows: {}, ...fields }),
      );
    const proof = await prove();
    this.#check(proof);
    if (proof.closedAtMs === null) {
      await prove({ without: proof.missing });
    }
    return true;
  }

  #check({ lines, differences }: Awaited<ReturnType<typeof proveRestore>>): void {
    const { expect } = this.#world.journal;
    const inBackup = lines
      .filter(({ what }) => what.startsWith('payments of '))
      .reduce((sum, line) => sum + (line.inBackup ?? 0), 0);
    const expected = this.payments.size;
    // A book that could not report to D1 is restored without a line of its own.
    const areNamed = !differences.some((text) => UNNAMED.test(text));
    expect(
      '12 backup',
      inBackup === expected || !areNamed,
      `the proof counts ${inBackup} of ${expected}`,
    );
    const others = differences.filter((text) => !EXPECTED_DIFFERENCE.test(text));
    expect('12 backup', others.length === 0, others.join('; '));
  }

  /**
   * The operator returns in the provider's portal what was paid by an attempt that Kefel does not know,
   * and ends the hold.
   */
  async #review({ merchant, uniqueId }: PlannedPayment): Promise<void> {
    const { actors, provider, journal, clock } = this.#world;
    const { intent } = await this.#until('look', async () => ({
      intent: await actors.read(merchant, uniqueId),
    }));
    if (!intent?.anomalies.some(({ reviewedAtMs }) => reviewedAtMs === null)) {
      return;
    }
    const { environment, merchantId } = merchant;
    for (const [reference, terms] of journal.lostAttempts) {
      const order = provider.orders.get(reference);
      if (order?.state === 'paid' && keyOf(terms, terms.uniqueId) === keyOf(merchant, uniqueId)) {
        const left = order.amountMinor - returnedMinor(order);
        order.returnedByHand.set('portal', left);
        clock.note(`the operator returns ${left} of ${reference}`);
      }
    }
    await this.#until('review', () =>
      this.#operate((gateway) =>
        reviewPayment(
          gateway,
          ACTOR,
          { environment, merchantId, uniqueId },
          { note: 'Seen in the portal' },
        ),
      ),
    );
  }
}

const UNNAMED = /: the manifest does not name this book$/;
/** What a restore in the simulation may differ in. */
const EXPECTED_DIFFERENCE = new RegExp(
  `^the backup has no members$|refund .* is known to the register|${UNNAMED.source}`,
);
