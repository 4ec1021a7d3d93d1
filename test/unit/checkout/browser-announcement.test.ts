import { describe, expect, test } from 'vitest';
import {
  type Announcement,
  announcementsAhead,
  dueAnnouncement,
} from '../../../src/engine/checkout/browser/announcement.ts';

/** Goal: a screen reader announces each mark once, when it is passed, and never a wrong time. */

const FIVE: Announcement = [300_000, 'five minutes'];
const ONE: Announcement = [60_000, 'one minute'];
const BOTH = [FIVE, ONE];

describe('what is due', () => {
  test.each([
    { remainingMs: 300_001, text: undefined },
    { remainingMs: 300_000, text: 'five minutes' },
    { remainingMs: 299_200, text: 'five minutes' },
    { remainingMs: 241_000, text: 'five minutes' },
    { remainingMs: 240_000, text: undefined },
    { remainingMs: 60_001, text: undefined },
    { remainingMs: 60_000, text: 'one minute' },
    { remainingMs: 49_000, text: 'one minute' },
    { remainingMs: 48_000, text: undefined },
    { remainingMs: 0, text: undefined },
    { remainingMs: -1_000, text: undefined },
  ])('with $remainingMs ms left: $text', ({ remainingMs, text }) => {
    expect(dueAnnouncement(BOTH, remainingMs)).toBe(text);
  });

  test('is undefined without announcements', () => {
    expect(dueAnnouncement([], 60_000)).toBeUndefined();
  });
});

describe('what is still ahead', () => {
  test.each([
    { remainingMs: 900_000, ahead: [FIVE, ONE] },
    { remainingMs: 300_001, ahead: [FIVE, ONE] },
    { remainingMs: 300_000, ahead: [ONE] },
    { remainingMs: 60_000, ahead: [] },
    { remainingMs: -1, ahead: [] },
  ])('with $remainingMs ms left', ({ remainingMs, ahead }) => {
    expect(announcementsAhead(BOTH, remainingMs)).toEqual(ahead);
  });
});

describe('a countdown', () => {
  test.each([
    { name: 'by seconds', from: 302, to: 0, step: 1, announced: ['five minutes', 'one minute'] },
    { name: 'by late ticks', from: 303, to: 0, step: 7, announced: ['five minutes', 'one minute'] },
    { name: 'begun after the first', from: 200, to: 0, step: 1, announced: ['one minute'] },
    { name: 'that leaps over both', from: 400, to: 0, step: 390, announced: [] },
  ])('$name announces $announced', ({ from, to, step, announced }) => {
    let ahead = announcementsAhead(BOTH, from * 1_000);
    const heard: string[] = [];
    for (let seconds = from; seconds >= to; seconds -= step) {
      const text = dueAnnouncement(ahead, seconds * 1_000);
      ahead = announcementsAhead(ahead, seconds * 1_000);
      heard.push(...(text === undefined ? [] : [text]));
    }
    expect(heard).toEqual(announced);
  });

  test('repeats no announcement when the server sets it back', () => {
    const ahead = announcementsAhead(BOTH, 299_000);
    expect(dueAnnouncement(announcementsAhead(ahead, 305_000), 299_500)).toBeUndefined();
  });
});
