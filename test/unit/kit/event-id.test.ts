import { describe, expect, test } from 'vitest';
import { eventTimeMs, newEventId } from '../../../src/kit/crypto/event-id.ts';

/**
 * Goal: the book finds an event by the time in its id. Method: ids of known times, and texts that
 * are not an event's id.
 */

test.each([0, 1_763_800_000_000])('an id of time %i leads to it', (createdAtMs) => {
  expect(newEventId(createdAtMs)).toMatch(/^evt_[0-9a-f]{32}$/);
  expect(eventTimeMs(newEventId(createdAtMs))).toBe(createdAtMs);
});

describe('eventTimeMs is null for', () => {
  test.each([
    ['an empty text', ''],
    ['the prefix alone', 'evt_'],
    ['a random UUID', 'evt_017f22e279b04cc398c4dc0c0c07398f'],
    ['a UUIDv7 with hyphens', 'evt_017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
    ['a test event', 'evt_test_017f22e279b07cc398c4dc0c0c07398f'],
    ['a digit too few', 'evt_017f22e279b07cc398c4dc0c0c07398'],
    ['a digit too many', 'evt_017f22e279b07cc398c4dc0c0c07398f0'],
    ['capitals', 'EVT_017F22E279B07CC398C4DC0C0C07398F'],
    ['a line end', 'evt_017f22e279b07cc398c4dc0c0c07398f\n'],
    ['another prefix', 'whs_017f22e279b07cc398c4dc0c0c07398f'],
  ])('%s', (_name, text) => {
    expect(eventTimeMs(text)).toBeNull();
  });
});
