import { describe, expect, test } from 'vitest';
import { anchorNow } from '../../../src/engine/checkout/browser/anchor.ts';

/** Goal: the remaining time is right for every device clock, and after the device has slept. */

const MONOTONIC_MS = 1_234.5;
const WALL_MS = 1_790_000_000_000;
const ANCHOR = { remainingMs: 900_000, monotonicMs: MONOTONIC_MS, wallMs: WALL_MS };

const HOUR_MS = 3_600_000;

describe('the remaining time', () => {
  test.each([
    { name: 'at once', monotonic: 0, wall: 0, remaining: 900_000, slept: false },
    { name: 'a minute on', monotonic: 60_000, wall: 60_000, remaining: 840_000, slept: false },
    { name: 'past the end', monotonic: 901_000, wall: 901_000, remaining: -1_000, slept: false },
    { name: 'clock set right', monotonic: 9_000, wall: 11_000, remaining: 891_000, slept: false },
    { name: 'slept a little', monotonic: 9_000, wall: 11_001, remaining: 888_999, slept: true },
    { name: 'slept an hour', monotonic: 50, wall: HOUR_MS, remaining: -2_700_000, slept: true },
    { name: 'clock set back', monotonic: 9_000, wall: -HOUR_MS, remaining: 891_000, slept: false },
    { name: 'clock stands', monotonic: 9_000, wall: 0, remaining: 891_000, slept: false },
  ])('$name: $remaining ms', ({ monotonic, wall, remaining, slept }) => {
    const now = anchorNow(ANCHOR, MONOTONIC_MS + monotonic, WALL_MS + wall);
    expect(now.remainingMs).toBe(remaining);
    expect(now.hasSlept).toBe(slept);
  });
});

test('a sleep counts once: afterwards the anchor starts again', () => {
  const awake = anchorNow(ANCHOR, MONOTONIC_MS + 1_000, WALL_MS + 301_000);
  expect(awake).toMatchObject({ remainingMs: 599_000, hasSlept: true });
  const later = anchorNow(awake, MONOTONIC_MS + 2_000, WALL_MS + 302_000);
  expect(later).toMatchObject({ remainingMs: 598_000, hasSlept: false });
});
