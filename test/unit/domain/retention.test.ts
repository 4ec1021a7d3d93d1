import { describe, expect, test } from 'vitest';
import { keptFromErasure } from '../../../src/engine/domain/erasure.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { type LegalHold, retentionEndsAtMs } from '../../../src/engine/domain/retention.ts';
import { DAY_MS } from '../../../src/engine/domain/schedule.ts';

/** Goal: each reason alone decides whether a payment may be deleted (docs/decisions.md#24, #51). */

const CHANGED_MS = 1_000 * DAY_MS;

function payment(changes: Partial<Intent> = {}) {
  const attempt = { status: 'succeeded', updatedAtMs: CHANGED_MS };
  const intent = {
    terms: { createdAtMs: CHANGED_MS, expiresAtMs: CHANGED_MS + DAY_MS },
    status: 'succeeded',
    attempts: [attempt],
    refunds: [],
    anomalies: [],
    updatedAtMs: CHANGED_MS,
    ...changes,
  } as unknown as Intent;
  return { intent, hold: null, isSending: false };
}

function hold(untilMs: number | null): LegalHold {
  return { reason: 'r', operator: 'o', heldAtMs: 0, untilMs, changedAtMs: 0 };
}

const attempts = (status: string) =>
  [{ status, updatedAtMs: CHANGED_MS }] as unknown as Intent['attempts'];
const anomalies = (reviewedAtMs: number | null) =>
  [{ kind: 'restored', reviewedAtMs }] as unknown as Intent['anomalies'];
const refunds = (status: string) => [{ status }] as unknown as Intent['refunds'];

describe('retention ends', () => {
  const kept = 400 * DAY_MS;

  test.each([
    ['after the last change', payment(), CHANGED_MS + kept],
    [
      'with a hold that ends later',
      { ...payment(), hold: hold(CHANGED_MS + 2 * kept) },
      CHANGED_MS + 2 * kept,
    ],
    ['after a hold that ended before', { ...payment(), hold: hold(1) }, CHANGED_MS + kept],
    ['never while held', { ...payment(), hold: hold(null) }, null],
    ['never while an event waits', { ...payment(), isSending: true }, null],
    ['never while it is open', payment({ status: 'open' }), null],
    ['never while a refund is under way', payment({ refunds: refunds('processing') }), null],
  ])('%s', (_when, one, endsAtMs) => {
    expect(retentionEndsAtMs(one, kept)).toBe(endsAtMs);
  });
});

describe('an erasure is refused', () => {
  const later = { refundAgeDaysMax: 180, nowMs: CHANGED_MS + 181 * DAY_MS };

  test.each([
    ['legal_hold', { ...payment(), hold: hold(null) }, null],
    ['legal_hold', { ...payment(), hold: hold(later.nowMs + 1) }, later.nowMs + 1],
    ['needs_attention', payment({ anomalies: anomalies(null) }), null],
    ['open', payment({ status: 'processing' }), CHANGED_MS + DAY_MS],
    ['attempt_pending', payment({ status: 'expired', attempts: attempts('unresolved') }), null],
    ['refund_open', payment({ refunds: refunds('requires_action') }), null],
    ['event_pending', { ...payment(), isSending: true }, null],
  ] as const)('%s', (reason, one, untilMs) => {
    expect(keptFromErasure(one, later)).toEqual({ reason, untilMs });
  });

  test('as long as the merchant may refund it, and not longer', () => {
    const at = (nowMs: number) => keptFromErasure(payment(), { ...later, nowMs });
    const untilMs = CHANGED_MS + 180 * DAY_MS;
    expect(at(untilMs)).toEqual({ reason: 'refundable', untilMs });
    expect(at(untilMs + 1)).toBeNull();
  });

  test('as long as the merchant may refund the later of two paid attempts', () => {
    const paid = [CHANGED_MS, CHANGED_MS - DAY_MS].map((updatedAtMs) => ({
      status: 'succeeded',
      updatedAtMs,
    }));
    const one = payment({ attempts: paid as unknown as Intent['attempts'] });
    const untilMs = CHANGED_MS + 180 * DAY_MS;
    expect(keptFromErasure(one, { ...later, nowMs: untilMs })).toMatchObject({ untilMs });
  });

  test('not after its legal hold has ended', () => {
    expect(keptFromErasure({ ...payment(), hold: hold(later.nowMs) }, later)).toBeNull();
  });

  test('for 30 days even if no money was taken or the merchant refunds it no more', () => {
    const untilMs = CHANGED_MS + 30 * DAY_MS;
    for (const one of [payment(), payment({ status: 'failed', attempts: attempts('failed') })]) {
      const refundAgeDaysMax = one.intent.status === 'failed' ? 180 : null;
      const at = (nowMs: number) => keptFromErasure(one, { refundAgeDaysMax, nowMs });
      expect(at(untilMs - 1)).toEqual({ reason: 'late_report', untilMs });
      expect(at(untilMs)).toBeNull();
    }
  });

  test('not for a payment without an attempt', () => {
    const one = payment({ status: 'canceled', attempts: [] });
    expect(keptFromErasure(one, { refundAgeDaysMax: 180, nowMs: CHANGED_MS })).toBeNull();
  });
});
