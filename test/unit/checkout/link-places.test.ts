import { expect, test } from 'vitest';
import { Random } from '../../../lab/harness/random.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { isPending, LAST_QUERY_MS } from '../../../src/engine/domain/time.ts';
import {
  fullness,
  type Place,
  type PlaceReport,
  placeReportOf,
  reservedPlace,
  settledPlace,
} from '../../../src/engine/links/places.ts';
import {
  ABANDON_PAYMENT,
  CANCEL,
  fail,
  someTerms,
  startAttempt,
  succeed,
  TICK,
  unknown,
} from '../../support/intents.ts';

/**
 * Goal: a link with a maximum never commits more payments, loses no place, and marks each payment that is
 * one too many, in any order of what customers, providers, the merchant and failures do
 * (docs/promises.md#12, docs/decisions.md#69). Method: random histories of real payments and a
 * register, between which messages are late, lost and repeated.
 */

const HISTORIES = 3_000;
const STEPS = 60;
const PAYMENTS = 6;
const EXPIRY_MS = 600_000;
const WINDOW_MS = 120_000;
/** Every window and every payment has ended. */
const END_MS = 10 * EXPIRY_MS;

interface Message {
  readonly payment: number;
  readonly report: PlaceReport;
}

class History {
  readonly random: Random;
  readonly reached = new Set<string>();
  readonly payments: Intent[] = [];
  readonly places = new Map<number, Place>();
  /** What the payments' objects have sent. Any of it may arrive again later. */
  readonly sent: Message[] = [];
  nowMs = 0;
  max: number;
  wasLowered = false;

  constructor(seed: number) {
    this.random = new Random(seed, 'places');
    this.max = this.random.between(1, 3);
    for (let index = 0; index < PAYMENTS; index += 1) {
      const terms = someTerms({ uniqueId: `LINK-${index}`, expiresAtMs: EXPIRY_MS });
      this.payments.push(openIntent({ ...terms, countedLink: '00' }));
    }
  }

  others(payment: number | null) {
    const places = [...this.places].filter(([owner]) => owner !== payment);
    const live = places.filter(([, one]) => one.type === 'reserved' && one.untilMs > this.nowMs);
    return {
      committed: places.filter(([, { type }]) => type === 'committed').length,
      reserved: live.length,
      paymentsMax: this.max,
    };
  }

  put(payment: number, place: Place | null): void {
    if (place === null) {
      this.places.delete(payment);
    } else {
      this.places.set(payment, place);
    }
  }

  intent(payment: number): Intent {
    return this.payments[payment] as Intent;
  }

  execute(payment: number, commands: readonly Command[]): void {
    this.payments[payment] = decide(this.intent(payment), commands, this.nowMs).intent;
    const report = placeReportOf(this.intent(payment), this.nowMs);
    if (report !== null) {
      this.sent.push({ payment, report });
    }
  }

  /** The Worker reserves a place and starts the attempt, unless it dies in between. */
  start(payment: number, dies: boolean): void {
    this.execute(payment, [TICK]);
    const { attempts, status } = this.intent(payment);
    if (status !== 'open') {
      return;
    }
    const deadlineAtMs = this.nowMs + WINDOW_MS;
    const place = reservedPlace(
      this.places.get(payment) ?? null,
      this.others(payment),
      attempts.length + 1,
      deadlineAtMs + LAST_QUERY_MS,
    );
    if (place === null) {
      this.reached.add(`refused: ${fullness(this.others(payment), this.max)}`);
      return;
    }
    this.put(payment, place);
    const taken = this.others(null);
    expect(taken.committed + taken.reserved).toBeLessThanOrEqual(this.max);
    if (!dies) {
      const id = `a${attempts.length}`;
      this.execute(payment, [
        { ...startAttempt(id, { deadlineAtMs }), expectedAttempts: attempts.length },
      ]);
    }
  }

  /** A report arrives at the register. The answer may be lost on its way back. */
  arrive({ payment, report }: Message, isAnswerLost: boolean): void {
    const own = this.places.get(payment) ?? null;
    const others = this.others(payment);
    const place = settledPlace(own, others, report, this.nowMs);
    this.put(payment, place);
    if (own?.type !== place?.type && place !== null) {
      this.reached.add(place.type);
      const isHeld = own?.type === 'reserved' && own.untilMs > this.nowMs;
      const isLeft = others.committed + (isHeld ? 0 : others.reserved) < this.max;
      // A place that is left is never denied, and none is given that is not.
      expect(place.type).toBe(isLeft ? 'committed' : 'surplus');
      if (isHeld && !this.wasLowered) {
        expect(place.type).toBe('committed');
      }
    }
    if (own?.type === 'committed' || own?.type === 'surplus') {
      expect(place).toBe(own);
    }
    if (place?.type === 'surplus' && !isAnswerLost) {
      this.execute(payment, [{ type: 'report_surplus' }]);
    }
  }

  step(): void {
    const { random } = this;
    const payment = random.between(0, PAYMENTS - 1);
    const pending = this.intent(payment).attempts.filter(isPending);
    const attempt = pending.length === 0 ? null : random.pick(pending);
    const ofAttempt = (commandOf: (attemptId: string) => Command) =>
      attempt === null ? undefined : this.execute(payment, [commandOf(attempt.id)]);
    const acts = {
      start: () => this.start(payment, random.chance(0.1)),
      fail: () => ofAttempt(fail),
      succeed: () => ofAttempt(succeed),
      unresolved: () => ofAttempt((id) => unknown(id, null)),
      leave: () => ofAttempt((attemptId) => ({ type: 'abandon_attempt', attemptId })),
      cancel: () => this.execute(payment, [random.chance(0.5) ? CANCEL : ABANDON_PAYMENT]),
      edit: () => this.edit(random.between(1, 4)),
      // Nothing that was sent arrives. The objects send it again.
      crash: () => this.sent.splice(0),
      arrive: () => this.sent.length > 0 && this.arrive(random.pick(this.sent), random.chance(0.2)),
      wait: () => this.wait(random.pick([0, 1_000, 30_000, WINDOW_MS])),
    };
    const often = ['start', 'arrive', 'arrive', 'wait'] as const;
    acts[random.pick([...(Object.keys(acts) as (keyof typeof acts)[]), ...often])]();
  }

  edit(max: number): void {
    this.wasLowered ||= max < this.max;
    this.max = max;
  }

  wait(durationMs: number): void {
    this.nowMs += durationMs;
    for (const index of this.payments.keys()) {
      this.execute(index, [TICK]);
    }
  }

  /** Each object sends what it knows until it is answered. */
  arriveAll(): void {
    for (const payment of this.payments.keys()) {
      const report = placeReportOf(this.intent(payment), this.nowMs);
      if (report !== null) {
        this.arrive({ payment, report }, false);
      }
    }
  }

  check(): void {
    for (const [payment, { attempts, status }] of this.payments.entries()) {
      const place = this.places.get(payment);
      const inFlight = attempts.some(
        (attempt) => attempt.status === 'processing' && attempt.deadlineAtMs > this.nowMs,
      );
      if (status === 'processing' && inFlight) {
        // No late message has given it back.
        expect(place).toMatchObject({ type: 'reserved' });
      }
    }
  }

  end(): void {
    this.arriveAll();
    for (const [payment, place] of this.places) {
      const { attempts } = this.intent(payment);
      // Only what may still be paid holds a place, or a start that nobody made.
      const isHeld = place.type === 'reserved' && place.attempt <= attempts.length;
      expect([payment, isHeld && !attempts.some(isPending)]).toEqual([payment, false]);
    }
    this.wait(END_MS);
    this.arriveAll();
    for (const [index, { status, anomalies }] of this.payments.entries()) {
      const place = this.places.get(index);
      const isSurplus = anomalies.some(({ kind }) => kind === 'surplus_payment');
      expect([index, place?.type === 'surplus']).toEqual([index, isSurplus]);
      expect([index, place?.type === 'committed' || isSurplus]).toEqual([
        index,
        status === 'succeeded',
      ]);
    }
    expect(this.others(null).reserved).toBe(0);
  }
}

test('never commits more than the maximum, and every reservation comes back', () => {
  const reached = new Set<string>();
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const history = new History(seed);
    try {
      for (let step = 0; step < STEPS; step += 1) {
        const before = history.others(null).committed;
        history.step();
        const { committed } = history.others(null);
        expect(committed).toBeLessThanOrEqual(Math.max(before, history.max));
        history.check();
      }
      history.end();
    } catch (error) {
      throw new Error(`history ${seed}`, { cause: error });
    }
    for (const name of history.reached) {
      reached.add(name);
    }
  }
  expect([...reached].sort()).toEqual([
    'committed',
    'refused: reserved',
    'refused: sold_out',
    'surplus',
  ]);
});

test('a payment that was one too many stays so, although the register has forgotten it', () => {
  const none = { committed: 0, reserved: 0, paymentsMax: 10 };
  expect(settledPlace(null, none, { type: 'paid', isSurplus: true }, 0)).toEqual({
    type: 'surplus',
  });
});
