import { describe, expect, test } from 'vitest';
import {
  NO_OPENINGS,
  OPEN_MAX,
  type Openings,
  SLOW_FROM,
  takeOpening,
} from '../../../src/engine/links/openings.ts';
import { slugOf, verifySlug } from '../../../src/engine/links/slug.ts';
import { amountMinorWritten } from '../../../src/kit/typed-amount.ts';

/** Goal: the rules of payment links that need no gateway (docs/decisions.md#68). */

const MINUTE_MS = 60_000;
/** Payments of a link live half an hour. */
const LIFE_MS = 30 * MINUTE_MS;

/** Submissions at these times, of visitors who wait if they must. Returns when each counted. */
function submit(timesMs: readonly number[], isPatient: boolean): readonly number[] {
  let openings: Openings = NO_OPENINGS;
  return timesMs.filter((atMs) => {
    const result = takeOpening(openings, atMs, isPatient);
    openings = result.type === 'taken' ? result.openings : openings;
    return result.type === 'taken';
  });
}

const START_MS = Date.UTC(2026, 10, 29, 8);

describe('open payments of a link', () => {
  test.each([
    ['at once', 0],
    ['over a minute', 6],
    ['over an hour', 360],
    ['over a day', 8_640],
  ])('10,000 submissions %s never leave more than the cap open', (_name, everyMs) => {
    const times = Array.from({ length: 10_000 }, (_, index) => START_MS + index * everyMs);
    const taken = submit(times, true);
    const open = taken.map((atMs, index) => {
      const first = taken.findIndex((other) => other > atMs - LIFE_MS);
      return index - first + 1;
    });
    expect(Math.max(...open)).toBeLessThanOrEqual(OPEN_MAX);
    expect(taken.length).toBeGreaterThanOrEqual(OPEN_MAX);
  });

  test('a flood over the edge of two windows leaves no more than the cap open', () => {
    const edgeMs = START_MS + LIFE_MS;
    const times = [edgeMs - 1, edgeMs].flatMap((atMs) => Array(OPEN_MAX).fill(atMs));
    expect(submit(times, true)).toHaveLength(OPEN_MAX);
  });

  test('visitors who do not wait are slowed down long before the cap', () => {
    const times = Array.from({ length: 10_000 }, () => START_MS);
    expect(submit(times, false)).toHaveLength(SLOW_FROM);
  });

  test('a shop is open again after an hour at most', () => {
    const flood = Array.from({ length: 10_000 }, () => START_MS);
    const taken = submit([...flood, START_MS + 2 * LIFE_MS], false);
    expect(taken.at(-1)).toBe(START_MS + 2 * LIFE_MS);
  });

  test('one network alone cannot reach the cap: 20 submissions a minute', () => {
    const times = Array.from({ length: 20 * 240 }, (_, index) => START_MS + index * 3_000);
    expect(submit(times, true)).toHaveLength(times.length);
  });
});

describe('a slug', () => {
  const key = (keyId: string, fill: number) => ({
    keyId,
    base64: btoa(String.fromCharCode(...new Array(32).fill(fill))),
  });
  const [OLD, NEW] = [key('k1', 1), key('k2', 2)];
  const name = {
    tenant: { environment: 'production', merchantId: 'mer_alpha' },
    code: '00ff10203040a0b0',
  } as const;

  test('names the link, also after a rotation', async () => {
    const slug = await slugOf([OLD], name);
    expect(slug).toMatch(/^[\w-]{40,60}$/);
    expect(await verifySlug([OLD], slug)).toEqual(name);
    expect(await verifySlug([NEW, OLD], slug)).toEqual(name);
    expect(await verifySlug([NEW], slug)).toBeNull();
  });

  test('with any other character is refused', async () => {
    const slug = await slugOf([OLD], name);
    for (let index = 0; index < slug.length; index += 1) {
      for (const other of ['A', 'b', '-', '.', '%', 'é', '']) {
        const changed = slug.slice(0, index) + other + slug.slice(index + 1);
        if (changed !== slug) {
          expect(await verifySlug([OLD], changed), changed).toBeNull();
        }
      }
    }
    for (const text of ['', 'x', `${slug}AAAA`, slug.slice(0, -4), 'A'.repeat(100_000)]) {
      expect(await verifySlug([OLD], text)).toBeNull();
    }
  });
});

test.each([
  ['250', 25_000],
  ['250.5', 25_050],
  ['1,500.50', 150_050],
  ['1 500', 150_000],
  [' 250 birr ', 25_000],
  ['ETB 250', 25_000],
  ['ብር 250', 25_000],
  ['250ብር', 25_000],
  ['250 Br.', 25_000],
  ['$5', 500],
  ['', null],
  ['birr', null],
  ['-5', null],
  ['1.005', null],
  ['1e3', null],
  ['12,50', null],
  ['0x10', null],
  ['9999999999', null],
])('reads %j as a customer writes it', (text, minor) => {
  expect(amountMinorWritten(text)).toBe(minor);
});
